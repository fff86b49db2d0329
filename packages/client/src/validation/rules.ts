import type { Violation } from '../errors/index.js'
import { isObject, utf8Length } from '../json.js'
import { limits, roles } from './limits.js'

const form =
  /^(\d{4})-(\d\d)-(\d\d)([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?)?$/i

/** Whether a text is a calendar date or date-time of ISO 8601 that exists: no 30 February, no 25 o'clock. */
export function isIsoTime(text: string): boolean {
  const [, year, month, day] = form.exec(text)?.map(Number) ?? []
  if (year === undefined || !month || month > 12 || !day) return false
  // The calendar repeats after 400 years, and Date.UTC takes years below 100 for those of the 20th century.
  const lastOfMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  return day <= lastOfMonth
}

/** What is wrong with an input; nothing when both lists are empty. */
export interface InputReport {
  /** What breaks a bound of the interface: a verb rejects it with an InputError. */
  violations: Violation[]
  /** What only a stricter reading refuses (1 MB as 10^6 bytes): a verb sends it and tells of it as an event. */
  warnings: Violation[]
}

/** Looks at a value as JSON will send it, and reports what is wrong with it under its JSON pointer. Quotes no text. */
type Rule = (value: unknown, pointer: string, report: InputReport) => void

const addViolation = ({ violations }: InputReport, pointer: string, expected: string, came: string | number): void => {
  violations.push({ pointer, message: `expected ${expected}, got ${came}` })
}

/** A rule that a predicate tells; `expected` names what it wants. */
const rule =
  (expected: string, holds: (value: unknown) => boolean): Rule =>
  (value, pointer, report) => {
    if (!holds(value)) addViolation(report, pointer, expected, typeName(value))
  }

const string = rule('a string', (value) => typeof value === 'string')
const flag = rule('true or false', (value) => typeof value === 'boolean')
const anyObject = rule('an object', isObject)
const anyValue = rule('a value', (value) => value !== undefined)
const time = rule('an ISO 8601 time', (value) => typeof value === 'string' && isIsoTime(value))
const oneOf =
  (words: readonly string[]): Rule =>
  (value, pointer, report) => {
    if (words.includes(value as string)) return
    // A word that is misspelt may be shown; a text may be somebody's.
    const misspelt = typeof value === 'string' && /^[\w-]{1,24}$/.test(value)
    addViolation(report, pointer, `one of ${words.join(', ')}`, misspelt ? `"${value}"` : typeName(value))
  }

const optional =
  (rule: Rule): Rule =>
  (value, pointer, report) =>
    value === undefined || rule(value, pointer, report)

const object =
  (fields: Record<string, Rule>): Rule =>
  (value, pointer, report) => {
    if (!isObject(value)) return addViolation(report, pointer, 'an object', typeName(value))
    for (const name in fields)
      fields[name]?.(Object.hasOwn(value, name) ? toJsonValue(value[name]) : undefined, `${pointer}/${name}`, report)
  }

const list =
  (rule: Rule, { min, max }: Bound = {}): Rule =>
  (value, pointer, report) => {
    if (!Array.isArray(value)) return addViolation(report, pointer, 'an array', typeName(value))
    if (exceeds(value.length, { min, max }))
      addViolation(report, pointer, `${rangeOf({ min, max })} items`, value.length)
    for (const [i, item] of value.slice(0, max).entries()) rule(toJsonValue(item), `${pointer}/${i}`, report)
  }

/** Characters as the interface counts them: Unicode code points. */
const text =
  (bound: Bound): Rule =>
  (value, pointer, report) => {
    if (typeof value !== 'string') return string(value, pointer, report)
    const { max = Infinity } = bound
    // A code point is at most two units long; what is far too long is not counted.
    const length = value.length <= max || value.length > 2 * max ? value.length : [...value].length
    if (exceeds(length, bound))
      addViolation(
        report,
        pointer,
        `${rangeOf(bound)} characters`,
        value.length > 2 * max ? `more than ${max}` : length,
      )
  }

/** A text of so many bytes of UTF-8. */
const bytes =
  (what: string, bound: ByteBound): Rule =>
  (value, pointer, report) => {
    if (typeof value !== 'string') return string(value, pointer, report)
    // A unit is at most three bytes long.
    if (value.length * 3 > bound.warn) checkBytes(utf8Length(value), what, bound, pointer, report)
  }

function checkBytes(size: number, what: string, { max, warn }: ByteBound, pointer: string, report: InputReport): void {
  if (size > max) return addViolation(report, pointer, `${what} to be at most ${max} bytes`, size)
  if (size <= warn) return
  const message = `${what} is ${size} bytes; a service that reads MB as 10^6 bytes refuses it`
  report.warnings.push({ pointer, message })
}

/** A value as JSON takes it: what its `toJSON` gives, and nothing for what has no JSON. */
function toJsonValue(value: unknown): unknown {
  const own = (value as { toJSON?: unknown } | null | undefined)?.toJSON
  const given = typeof own === 'function' ? own.call(value) : value
  return typeof given === 'function' || typeof given === 'symbol' ? undefined : given
}

interface Bound {
  min?: number | undefined
  max?: number | undefined
}
interface ByteBound {
  max: number
  warn: number
}

const exceeds = (n: number, { min = 0, max = Infinity }: Bound): boolean => n < min || n > max
const rangeOf = ({ min, max }: Bound): string => (min ? `${min} to ${max}` : `at most ${max}`)

function typeName(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : `a ${typeof value}`
}

const turn = object({
  role: oneOf(roles),
  content: bytes('the content of a turn', limits.turnBytes),
  metadata: optional(anyObject),
  createdAt: optional(time),
  toolCalls: optional(list(object({ name: string, args: anyValue }))),
  toolResults: optional(list(object({ name: string, result: anyValue }))),
})

const upload = object({
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
})

const message = object({ role: string, content: string, is_user_visible: optional(flag) })
const annotation = object({ annotator: string, options: optional(anyObject), transcript: list(message) })
const project = object({ name: text(limits.name), domain: optional(oneOf(['general', 'ai_coding'])) })

/**
 * Checks the body of `transcripts.upload` as JSON would send it, against every bound, all at once. Sizes are bytes of
 * UTF-8: a turn's of its `content`, the upload's of its JSON, measured here unless `bytes` gives it; the stamp counts too
 * where the input bears it (`stampUpload`). Changes nothing
 * (interface: Endpoints › POST /projects/{projectId}/transcripts; Limits › Surface B).
 */
export function checkUpload(input: unknown, bytes?: number): InputReport {
  const { report, size } = check(upload, input, bytes)
  if (size !== undefined) checkBytes(size, 'the whole upload', limits.bodyBytes, '', report)
  return report
}

/**
 * Checks the body of `annotations.create`, all at once: fields and their types, for the interface shows no size bounds.
 * `bytes`, where it is known, spares writing the JSON once more (interface: Resources › AnnotationRequest).
 */
export const checkAnnotation = (input: unknown, bytes?: number): InputReport => check(annotation, input, bytes).report

/**
 * Checks the body of `projects.create`, all at once; `bytes` as in `checkAnnotation`
 * (interface: Endpoints › POST /projects).
 */
export const checkProject = (input: unknown, bytes?: number): InputReport => check(project, input, bytes).report

function check(rule: Rule, input: unknown, bytes: number | undefined): { report: InputReport; size?: number } {
  const report: InputReport = { violations: [], warnings: [] }
  try {
    const size = bytes ?? utf8Length(JSON.stringify(input) ?? '')
    rule(toJsonValue(input), '', report)
    return { report, size }
  } catch (error) {
    // The first line names the trouble; those that follow name properties.
    const why = error instanceof TypeError || error instanceof RangeError ? error.message.split('\n', 1)[0] : undefined
    addViolation(report, '', 'what can be written as JSON', why ?? 'an error')
    return { report }
  }
}
