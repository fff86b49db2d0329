import { operations } from '../routes/index.js'

/**
 * A failure that the server produces on purpose. Before the operation runs: `latency`, `limited` (429 for one window that
 * begins with the first matching request), `status` (such as a 503 of a proxy), `waf` (a 403 with the HTML page of a gateway),
 * `too-large-close` (the connection ends without a response), `reset-before`, `hang-before`. While it runs: `submit-error` (the
 * annotation job of an upload cannot be submitted: `processing_status: error`). After it has run, so that a write is stored:
 * `reset-after`, `hang-after`, `lost` (the connection ends without a response), `stall`, `truncate`, `drip`, `wrong-type` (the
 * right status with a page of HTML).
 */
export type Fault =
  | { readonly kind: 'latency'; readonly ms: number }
  /** The form of `Retry-After`: seconds (default), no header, an HTTP date, or `retry-after-ms` in its place. */
  | { readonly kind: 'limited'; readonly ms: number; readonly form?: 'seconds' | 'none' | 'date' | 'ms' }
  | { readonly kind: 'status'; readonly code: number; readonly retryAfter?: number }
  /** Only requests with a body of more bytes than `over`. Default 0: every request. */
  | { readonly kind: 'waf' | 'too-large-close'; readonly over?: number }
  | { readonly kind: 'reset-before' | 'hang-before' | 'reset-after' | 'hang-after' | 'lost' | 'wrong-type' }
  | { readonly kind: 'submit-error' }
  /** Default: half of the body. */
  | { readonly kind: 'stall' | 'truncate'; readonly bytes?: number }
  /** Default: 16 bytes every 100 ms. */
  | { readonly kind: 'drip'; readonly bytes?: number; readonly everyMs?: number }

/** A fault, and the requests that it applies to. */
export type FaultRule = Fault & {
  /** The operation, such as `transcripts.upload`. Default: every one. */
  readonly on?: string
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

type Parameters = Readonly<Record<string, Parameter>>

const parameters: Readonly<Record<Kind, Parameters>> = {
  latency: { ms: required(integer()) },
  limited: { ms: required(integer()), form: oneOf('seconds', 'none', 'date', 'ms') },
  status: { code: required(integer(400, 599)), retryAfter: integer() },
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
 * `transcripts.upload: reset-after; times=1`. Throws an Error that says what was expected.
 */
export function parseFault(text: string): FaultRule {
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

export function faultProblem(rule: Readonly<Record<string, unknown>>): string | undefined {
  const { kind, on } = rule
  if (on !== undefined && !operationIds.includes(String(on)))
    return `unknown operation ${on}; expected one of ${operationIds.join(', ')}`
  if (!faultKinds.includes(kind as Kind)) return `expected one of the kinds ${faultKinds.join(', ')}`
  if (kind === 'submit-error' && on !== undefined && !uploads.includes(String(on)))
    return `submit-error applies to ${uploads.join(' and ')} only, not to ${on}`
  const own = parameters[kind as Kind]
  const missing = Object.keys(own).find((name) => own[name]?.isRequired && rule[name] === undefined)
  if (missing) return `${kind} needs ${kebabCase(missing)}`
  const known: Parameters = { ...own, skip: integer(), ...(kind !== 'limited' && { times: integer() }) }
  for (const [name, value] of Object.entries(rule)) {
    if (name === 'kind' || (name === 'on' && typeof value === 'string')) continue
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined
    if (!parameter) {
      const names = Object.keys(known).map(kebabCase).join(', ')
      return `unknown parameter ${kebabCase(name)}; ${kind} takes ${names}`
    }
    if (!parameter.isValid(value)) return `${kebabCase(name)} must be ${parameter.expected}`
  }
  return undefined
}

const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const camelCase = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
