import type { Violation, ViolationCode } from './errors/index.js'
import { isObject, tagOf, toJsonValue, utf8Length } from './json.js'
import { lazily } from './lazily.js'
import type {
  AnnotationRequest,
  ProjectCreate,
  ToolCall,
  ToolResult,
  TranscriptMessage,
  TranscriptUpload,
  TurnUpload,
} from './types.js'

const form =
  /^(\d{4})-(\d\d)-(\d\d)([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?)?$/i

/** True for an ISO 8601 date or date-time that exists: no 30 February, no 25 o'clock. */
export function isIsoTime(text: string): boolean {
  const [, year, month, day] = form.exec(text)?.map(Number) ?? []
  if (year === undefined || !month || month > 12 || !day) return false
  // The calendar repeats after 400 years, and Date.UTC reads years below 100 as 19xx.
  const lastOfMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  return day <= lastOfMonth
}

/** The result of an input check. */
export interface InputReport {
  /** Violated bounds of the interface: the method throws an InputError. */
  violations: Violation[]
  /** Violations of a stricter reading (1 MB as 10^6 bytes): the method sends the input and emits an event. */
  warnings: Violation[]
}

interface At {
  pointer: string
  report: InputReport
}
/** Checks a value as JSON will send it, and reports violations under their JSON pointers. Quotes no text. */
interface Rule<Presence = 'required'> {
  (value: unknown, at: At): void
  /** Exists in the type only. */
  presence?: Presence
}
/** A rule for each field of the type, `optional` where the field is. */
type RulesOf<T> = {
  [Field in keyof T]-?: Rule<Record<never, never> extends Pick<T, Field> ? 'optional' : 'required'>
}

type Kind = Omit<Violation, 'pointer' | 'message'>

function addViolation({ pointer, report }: At, kind: Kind, expected: string, actual: string | number): void {
  report.violations.push({ pointer, message: `expected ${expected}, got ${actual}`, ...kind })
}

/** `codeOfText` is the code of a text that is none of the expected ones. */
const ruleFor =
  (expected: string, holds: (value: unknown) => boolean, codeOfText: ViolationCode = 'wrong_type'): Rule =>
  (value, at) => {
    if (holds(value)) return
    const code = value === undefined ? 'missing' : typeof value === 'string' ? codeOfText : 'wrong_type'
    // Only a short word is shown, because other text may be personal.
    const isWord = code === 'unknown_value' && /^[\w-]{1,24}$/.test(value as string)
    addViolation(at, { code }, expected, isWord ? `"${value}"` : typeName(value))
  }

const string = /* @__PURE__ */ ruleFor('a string', (value) => typeof value === 'string')
const flag = /* @__PURE__ */ ruleFor('true or false', (value) => typeof value === 'boolean')
const anyObject = /* @__PURE__ */ ruleFor('an object', isObject)
const anyArray = /* @__PURE__ */ ruleFor('an array', Array.isArray)
const anyValue = /* @__PURE__ */ ruleFor('a value', (value) => value !== undefined)
const isTime = (value: unknown) => typeof value === 'string' && isIsoTime(value)
const time = /* @__PURE__ */ ruleFor('an ISO 8601 time', isTime, 'malformed')
const oneOf = (words: readonly unknown[]): Rule =>
  ruleFor(`one of ${words.join(', ')}`, (value) => words.includes(value), 'unknown_value')

const optional =
  (rule: Rule): Rule<'optional'> =>
  (value, at) =>
    value === undefined || rule(value, at)

const object =
  <T>(fields: RulesOf<T>): Rule =>
  (value, at) => {
    if (!isObject(value)) return anyObject(value, at)
    for (const [name, rule] of Object.entries<Rule<unknown>>(fields))
      rule(Object.hasOwn(value, name) ? toJsonValue(value[name], name) : undefined, inside(at, name))
  }

const list =
  (rule: Rule, bound: Bound = {}): Rule =>
  (value, at) => {
    if (!Array.isArray(value)) return anyArray(value, at)
    checkBound(value.length, bound, 'items', at)
    for (const [i, item] of value.slice(0, bound.max).entries()) rule(toJsonValue(item, String(i)), inside(at, i))
  }

const inside = ({ pointer, report }: At, step: string | number): At => ({ pointer: `${pointer}/${step}`, report })

interface Bound {
  min?: number
  max?: number
}
const codes = { characters: ['too_short', 'too_long'], items: ['too_few', 'too_many'] } as const

/** Counts characters as Unicode code points, like the interface. */
const text =
  (bound: Required<Bound> | { max: number }): Rule =>
  (value, at) => {
    if (typeof value !== 'string') return string(value, at)
    checkBound(charactersOf(value, bound.max), bound, 'characters', at)
  }

/** The number of code points of a text; undefined for one that has far more than `max`, and is not counted. */
export function charactersOf(text: string, max: number): number | undefined {
  // A code point has at most two UTF-16 units.
  if (text.length > 2 * max) return undefined
  return text.length <= max ? text.length : [...text].length
}

/** An undefined size is above the bound, and too large to be counted. */
function checkBound(actual: number | undefined, { min = 0, max = Infinity }: Bound, unit: keyof typeof codes, at: At) {
  if (actual !== undefined && actual >= min && actual <= max) return
  const range = min ? `${min} to ${max}` : `at most ${max}`
  const [code, limit] = Number(actual) < min ? [codes[unit][0], min] : [codes[unit][1], max]
  const counted = actual === undefined ? {} : { actual }
  addViolation(at, { code, limit, ...counted }, `${range} ${unit}`, actual ?? `more than ${max}`)
}

interface ByteBound {
  max: number
  warn: number
}

const bytes =
  (what: string, bound: ByteBound): Rule =>
  (value, at) => {
    if (typeof value !== 'string') return string(value, at)
    // A UTF-16 unit has at most three bytes of UTF-8.
    if (value.length * 3 > bound.warn) checkBytes(utf8Length(value), what, bound, at)
  }

function checkBytes(actual: number, what: string, { max, warn }: ByteBound, at: At): void {
  const kind = { code: 'too_large', limit: actual > max ? max : warn, actual } as const
  if (actual > max) return addViolation(at, kind, `${what} to be at most ${max} bytes`, actual)
  const message = `${what} is ${actual} bytes; a service may refuse it`
  if (actual > warn) at.report.warnings.push({ pointer: at.pointer, message, ...kind })
}

function typeName(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? tagOf(value) : `a ${typeof value}`
}

/** Fields of an upload's turns that a message to annotate does not have. */
type ToolField = 'toolCalls' | 'toolResults'

// The rules of each body, by the fields of its type. Built when first used, and marked, so that a bundler can leave them
// out with the part that needs them.
const rules = /* @__PURE__ */ lazily(() => {
  const turn = object<TurnUpload>({
    role: oneOf(roles),
    content: bytes('the content', limits.turnBytes),
    metadata: optional(anyObject),
    createdAt: optional(time),
    toolCalls: optional(list(object<ToolCall>({ name: string, args: anyValue }))),
    toolResults: optional(list(object<ToolResult>({ name: string, result: anyValue }))),
  })
  // Else they would not be judged, and nothing would say so.
  const noTools = optional(ruleFor('none', (value) => !Object(value).length))
  const message = object<TranscriptMessage & Partial<Record<ToolField, unknown>>>({
    role: string,
    content: string,
    is_user_visible: optional(flag),
    toolCalls: noTools,
    toolResults: noTools,
  })
  return {
    'transcripts.upload': object<TranscriptUpload>({
      name: text(limits.name),
      modelName: optional(text(limits.modelName)),
      language: optional(text(limits.language)),
      sourceSystem: optional(text(limits.sourceSystem)),
      externalId: optional(text(limits.externalId)),
      externalUserId: optional(text(limits.externalUserId)),
      metadata: optional(anyObject),
      process: optional(flag),
      sourceTimestamp: optional(time),
      turns: list(turn, limits.turns),
    }),
    'annotations.create': object<AnnotationRequest>({
      annotator: string,
      options: optional(anyObject),
      transcript: list(message),
    }),
    'projects.create': object<ProjectCreate>({ name: text(limits.name), domain: optional(oneOf(domains)) }),
  }
})

type Checked = keyof ReturnType<typeof rules>

/**
 * Check the body of `transcripts.upload` against all bounds. Sizes are bytes of UTF-8: of each turn's `content`, and of the
 * JSON with its stamp, if any; `bytes` is the size of the JSON, if known
 * (interface: Endpoints › POST /projects/{projectId}/transcripts; Limits › Surface B).
 */
export const checkUpload = (input: unknown, bytes?: number): InputReport => check('transcripts.upload', input, bytes)

/**
 * Check the types of the body of `annotations.create`, which has no documented size bounds; `bytes` is the size of its
 * JSON, if known (interface: Resources › AnnotationRequest).
 */
export const checkAnnotation = (input: unknown, bytes?: number): InputReport =>
  check('annotations.create', input, bytes)

/** Check the body of `projects.create`; `bytes` as in `checkAnnotation` (interface: Endpoints › POST /projects). */
export const checkProject = (input: unknown, bytes?: number): InputReport => check('projects.create', input, bytes)

function check(operation: Checked, input: unknown, bytes?: number): InputReport {
  const report: InputReport = { violations: [], warnings: [] }
  const at = { pointer: '', report }
  try {
    const size = bytes ?? utf8Length(JSON.stringify(input) ?? '')
    rules()[operation](toJsonValue(input), at)
    if (operation === 'transcripts.upload') checkBytes(size, 'the whole upload', limits.bodyBytes, at)
  } catch (error) {
    // Later lines of the message name properties of the input.
    const why = error instanceof TypeError || error instanceof RangeError ? error.message.split('\n', 1)[0] : undefined
    addViolation(at, { code: 'not_json' }, 'a JSON value', why ?? 'an error')
  }
  return report
}

/** Checks the body of an operation, and the size of its JSON; undefined for an operation whose body has no rules. */
export type Validation = (operation: string, json: string | null, body: () => unknown) => InputReport | undefined

const hasRules = (operation: string): operation is Checked => Object.hasOwn(rules(), operation)

/** Checks uploads, projects and annotation requests before they are sent. */
export const validation: Validation = (operation, json, body) => {
  if (!hasRules(operation)) return undefined
  const [text, input] = [json ?? '', body()]
  // `parseBody` returns a text that is no JSON unchanged.
  if (input === text) return { violations: [{ pointer: '', message: 'expected JSON', code: 'not_json' }], warnings: [] }
  return check(operation, input, utf8Length(text))
}

/** The bounds of surface B. Characters are Unicode code points; bytes are UTF-8 (interface: Limits › Surface B). */
export const limits = {
  /** Characters of the name of a project or transcript. */
  name: { min: 1, max: 500 },
  /** Turns of one upload. */
  turns: { min: 1, max: 1_000 },
  /** Characters. */
  modelName: { max: 100 },
  /** Characters. */
  language: { max: 10 },
  /** Characters. */
  sourceSystem: { max: 100 },
  /** Characters. */
  externalId: { max: 500 },
  /** Characters. */
  externalUserId: { max: 500 },
  /** Bytes of a turn's content, "up to 1 MB": an error above 2^20, a warning above 10^6. */
  turnBytes: { max: 1_048_576, warn: 1_000_000 },
  /** Bytes of an upload's JSON, "approximately 5 MB": an error above 5 * 2^20, a warning above 4.5 * 10^6. */
  bodyBytes: { max: 5_242_880, warn: 4_500_000 },
  /** Items of a page: `limit`. */
  pageSize: { min: 1, max: 100, default: 20 },
} as const

/** The roles of a turn (interface: Resources › Turn). */
export const roles = ['user', 'assistant', 'system', 'tool', 'human_agent'] as const

/** The domains of a project (interface: Endpoints › POST /projects). */
export const domains = ['general', 'ai_coding'] as const
