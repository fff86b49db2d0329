import { operations } from '../routes/index.js'
import {
  anyObject,
  anything,
  closed,
  expecting,
  isObject,
  string,
  type Validator,
  type Violation,
} from '../validation/index.js'

/**
 * A failure that the server produces on purpose. Before the operation runs: `latency`, `limited` (429 for one window that
 * begins with the first matching request), `status` (such as a 503 of a proxy, or any answer of a script), `waf` (a 403 with the HTML page of a gateway),
 * `too-large-close` (the connection ends without a response), `reset-before`, `hang-before`. While it runs: `submit-error` (the
 * annotation job of an upload cannot be submitted: `processing_status: error`). After it has run, so that a write is stored:
 * `reset-after`, `hang-after`, `lost` (the connection ends without a response), `stall`, `truncate`, `drip`, `wrong-type` (the
 * right status with a page of HTML).
 */
export type Fault =
  | Latency
  /** The form of `Retry-After`: seconds (default), no header, an HTTP date, or `retry-after-ms` in its place. */
  | { readonly kind: 'limited'; readonly ms: number; readonly form?: 'seconds' | 'none' | 'date' | 'ms' }
  | ScriptedStatus
  /** Only requests with a body of more bytes than `over`. Default 0: every request. */
  | { readonly kind: 'waf' | 'too-large-close'; readonly over?: number }
  | { readonly kind: 'reset-before' | 'hang-before' | 'reset-after' | 'hang-after' | 'lost' | 'wrong-type' }
  | { readonly kind: 'submit-error' }
  /** Default: half of the body. */
  | { readonly kind: 'stall' | 'truncate'; readonly bytes?: number }
  /** Default: 16 bytes every 100 ms. */
  | { readonly kind: 'drip'; readonly bytes?: number; readonly everyMs?: number }

/**
 * A delay in milliseconds: always the same, evenly spread between two bounds, or spread so that half of the requests take at most
 * `p50` and one of 100 more than `p99`. The delays of a rule are the same in every run.
 */
export type Latency = { readonly kind: 'latency' } & (
  | { readonly ms: number }
  | { readonly min: number; readonly max: number }
  | { readonly p50: number; readonly p99: number }
)

/** An answer in place of the operation's. */
export interface ScriptedStatus {
  /** The kind of the fault. */
  readonly kind: 'status'
  /** From 200 to 599. */
  readonly code: number
  /** The header `Retry-After`, in seconds. Default: none. */
  readonly retryAfter?: number
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, any other value as JSON. Default: the error envelope of the surface; below 400 nothing. */
  readonly body?: unknown
}

/**
 * The requests that a rule is for; all fields that are given must hold. Of an object only the fields that are named are compared;
 * values are equal, lists item by item. Credentials are redacted, as in the journal.
 */
export interface FaultCondition {
  /** The path below the base URL of the surface, without the query, such as `/transcripts/tr_1`. */
  readonly path?: string
  /** The decoded query. */
  readonly query?: Readonly<Record<string, unknown>>
  /** Headers by their lower-case names. */
  readonly headers?: Readonly<Record<string, unknown>>
  /** The name of the key. */
  readonly keyName?: string
  /** The JSON body, or the text of any other. */
  readonly body?: unknown
  /** A text in the body, or in any string of a JSON body. */
  readonly contains?: string
}

/** A fault, and the requests that it applies to. */
export type FaultRule = Fault & {
  /** The operation, such as `transcripts.upload`. Default: every one. */
  readonly on?: string
  /** The requests of the operation that count. Default: every one. */
  readonly when?: FaultCondition
  /** How many requests pass first. Default 0. */
  readonly skip?: number
  /** How many requests it applies to. Default: all. Not for `limited`, which ends with its window. */
  readonly times?: number
}

type Kind = Fault['kind']

interface Parameter {
  isRequired?: true
  isValid(value: unknown): boolean
  expected: string
}

const integer = (min = 0, max = Number.MAX_SAFE_INTEGER): Parameter => ({
  isValid: (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
  expected: `an integer from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
})
const oneOf = (...values: string[]): Parameter => ({
  isValid: (value) => values.includes(value as string),
  expected: `one of ${values.join(', ')}`,
})
const required = (parameter: Parameter): Parameter => ({ ...parameter, isRequired: true })

/** Headers that say how a body is sent. */
const ownHeaders = new Set(['content-length', 'transfer-encoding', 'connection'])

const isHeader = (name: string, text: unknown) =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
  !ownHeaders.has(name.toLowerCase()) &&
  typeof text === 'string' &&
  /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

type Parameters = Readonly<Record<string, Parameter>>

const parameters: Readonly<Record<Kind, Parameters>> = {
  latency: { ms: integer(), min: integer(), max: integer(), p50: integer(1), p99: integer(1) },
  limited: { ms: required(integer()), form: oneOf('seconds', 'none', 'date', 'ms') },
  status: {
    code: required(integer(200, 599)),
    retryAfter: integer(),
    headers: {
      isValid: (value) => isObject(value) && Object.entries(value).every(([name, text]) => isHeader(name, text)),
      expected: `an object of header texts, without ${[...ownHeaders].join(', ')}`,
    },
    body: { isValid: () => true, expected: 'a text or JSON' },
  },
  waf: { over: integer() },
  'too-large-close': { over: integer() },
  'reset-before': {},
  'hang-before': {},
  'reset-after': {},
  'hang-after': {},
  lost: {},
  'wrong-type': {},
  'submit-error': {},
  stall: { bytes: integer() },
  truncate: { bytes: integer() },
  drip: { bytes: integer(1), everyMs: integer() },
}

const operationIds = [...new Set(operations.map(({ id }) => id))]

/** The operations that submit an annotation job. */
export const uploads: readonly string[] = ['transcripts.upload', 'legacy.createTranscript']

export const faultKinds = Object.keys(parameters) as readonly Kind[]

/**
 * Parse a rule: an optional operation with a colon, a kind, parameters. `status; code=503; retry-after=2`,
 * `transcripts.upload: reset-after; times=1`. Or the rule as JSON, which may also have `when`, `headers` and `body`. Throws an
 * Error that says what was expected.
 */
export function parseFault(text: string): FaultRule {
  if (text.trimStart().startsWith('{')) return parseJsonFault(text)
  const [head = '', ...rest] = text.split(';').map((part) => part.trim())
  const colon = head.lastIndexOf(':')
  const on = colon < 0 ? '' : head.slice(0, colon).trim()
  const rule: Record<string, unknown> = { kind: head.slice(colon + 1).trim(), ...(on && on !== '*' && { on }) }
  for (const part of rest.filter((part) => part !== '')) {
    const [name = '', value = '', ...more] = part.split('=').map((side) => side.trim())
    if (name === '' || value === '' || more.length > 0)
      throw new Error(`Invalid fault "${text}": expected name=value in place of "${part}".`)
    const number = Number(value)
    rule[camelCase(name)] = Number.isNaN(number) ? value : number
  }
  const problem = faultProblem(rule)
  if (problem) throw new Error(`Invalid fault "${text}": ${problem}.`)
  return rule as unknown as FaultRule
}

function parseJsonFault(text: string): FaultRule {
  let rule: unknown
  try {
    rule = JSON.parse(text)
  } catch {
    throw new Error(`Invalid fault ${text}: expected JSON, as the text begins with a brace.`)
  }
  const problem = faultProblem(rule as Record<string, unknown>)
  if (problem) throw new Error(`Invalid fault ${text}: ${problem}.`)
  return rule as FaultRule
}

const filled = expecting('expected a text that is not empty', (value) => typeof value === 'string' && value !== '')

const condition = closed({}, {
  path: expecting('expected a path that begins with /', (value) => typeof value === 'string' && value.startsWith('/')),
  query: anyObject,
  headers: anyObject,
  keyName: string,
  body: anything,
  contains: filled,
} satisfies Record<keyof FaultCondition, Validator>)

function conditionProblem(when: unknown): string | undefined {
  const problems: Violation[] = []
  condition(when, problems)
  return problems.map(({ pointer, expected }) => `when${pointer}: ${expected}`)[0]
}

/** The problem of parameters that are valid one by one. */
function combinationProblem({ kind, code, body, ...rule }: Readonly<Record<string, unknown>>): string | undefined {
  if (kind === 'status' && body !== undefined && [204, 304].includes(Number(code)))
    return `an answer with code ${code} has no body`
  if (kind !== 'latency') return undefined
  const given = ['ms', 'min', 'max', 'p50', 'p99'].filter((name) => rule[name] !== undefined).join()
  if (!['ms', 'min,max', 'p50,p99'].includes(given)) return 'latency needs ms, or min and max, or p50 and p99'
  if (Number(rule.min) > Number(rule.max)) return 'min must be at most max'
  return Number(rule.p50) > Number(rule.p99) ? 'p50 must be at most p99' : undefined
}

export function faultProblem(rule: Readonly<Record<string, unknown>>): string | undefined {
  const { kind, on } = rule
  if (on !== undefined && !operationIds.includes(String(on)))
    return `unknown operation ${on}; expected one of ${operationIds.join(', ')}`
  if (!faultKinds.includes(kind as Kind)) return `expected one of the kinds ${faultKinds.join(', ')}`
  if (kind === 'submit-error' && on !== undefined && !uploads.includes(String(on)))
    return `submit-error applies to ${uploads.join(' and ')} only, not to ${on}`
  const ofKind = parameters[kind as Kind]
  const missing = Object.keys(ofKind).find((name) => ofKind[name]?.isRequired && rule[name] === undefined)
  if (missing) return `${kind} needs ${kebabCase(missing)}`
  const accepted: Parameters = { ...ofKind, skip: integer(), ...(kind !== 'limited' && { times: integer() }) }
  for (const [name, value] of Object.entries(rule)) {
    if (name === 'kind' || (name === 'on' && typeof value === 'string')) continue
    if (name === 'when') {
      const problem = conditionProblem(value)
      if (problem) return problem
      continue
    }
    const parameter = Object.hasOwn(accepted, name) ? accepted[name] : undefined
    if (!parameter) {
      const names = Object.keys(accepted).map(kebabCase).join(', ')
      return `unknown parameter ${kebabCase(name)}; ${kind} takes ${names}`
    }
    if (!parameter.isValid(value)) return `${kebabCase(name)} must be ${parameter.expected}`
  }
  return combinationProblem(rule)
}

const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const camelCase = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
