import { operations } from './operations/index.js'
import { defaultReadings } from './readings.js'

/**
 * Something that goes wrong with a request. Before the operation runs: `latency`, `limited` (one window of 429 that begins
 * with the first request it meets), `status` (an answer of something in between), `reset-before`, `hang-before`. While it
 * runs: `submit-error` (the annotation job of an upload cannot be submitted: `processing_status: error`). After it
 * has run, so that a write is stored: `reset-after`, `hang-after`, `lost` (the connection ends without an answer), `stall`,
 * `truncate`, `drip`, `wrong-type` (the right status with a page of HTML).
 */
export type Fault =
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'limited'; readonly ms: number }
  | { readonly kind: 'status'; readonly code: number; readonly retryAfter?: number }
  | { readonly kind: 'reset-before' | 'hang-before' | 'reset-after' | 'hang-after' | 'lost' | 'wrong-type' }
  | { readonly kind: 'submit-error' }
  /** Default: half of the body. */
  | { readonly kind: 'stall' | 'truncate'; readonly bytes?: number }
  /** Default: 16 bytes every 100 ms. */
  | { readonly kind: 'drip'; readonly bytes?: number; readonly everyMs?: number }

/** A fault, and which requests it meets. */
export type FaultRule = Fault & {
  /** The operation, such as `transcripts.upload`. Default: every one. */
  readonly on?: string
  /** So many requests pass first. Default 0. */
  readonly skip?: number
  /** So many requests are met. Default: all that come. Not for `limited`, which ends with its window. */
  readonly times?: number
}

type Kind = Fault['kind']

/** The parameters of each kind; those with `!` must be there. */
const parameters: Readonly<Record<Kind, readonly string[]>> = {
  latency: ['ms!'],
  limited: ['ms!'],
  status: ['code!', 'retryAfter'],
  'reset-before': [],
  'hang-before': [],
  'reset-after': [],
  'hang-after': [],
  lost: [],
  'wrong-type': [],
  'submit-error': [],
  stall: ['bytes'],
  truncate: ['bytes'],
  drip: ['bytes', 'everyMs'],
}

/** What a rule may be on: every operation of both surfaces. */
const operationIds = operations(defaultReadings).map(({ id }) => id)

/** The operations that submit an annotation job; the only ones that `submit-error` meets. */
export const uploads: readonly string[] = ['transcripts.upload', 'legacy.createTranscript']

/** The kinds of faults by their names. */
export const faultKinds = Object.keys(parameters) as readonly Kind[]

/**
 * Reads a rule from its text: an operation and a colon (or nothing), a kind, parameters. `status; code=503; retry-after=2`,
 * `transcripts.upload: reset-after; times=1`. Throws an Error that says what was expected.
 */
export function parseFault(text: string): FaultRule {
  const [head = '', ...rest] = text.split(';').map((part) => part.trim())
  const colon = head.lastIndexOf(':')
  const on = colon < 0 ? '' : head.slice(0, colon).trim()
  const values = rest.filter((part) => part !== '').map((part) => parameterOf(part, text))
  const rule = { kind: head.slice(colon + 1).trim(), ...(on && on !== '*' && { on }), ...Object.fromEntries(values) }
  const problem = faultProblem(rule)
  if (problem) throw new Error(`The fault "${text}" cannot be read: ${problem}.`)
  return rule as FaultRule
}

/** What is wrong with a rule that came as JSON or text; undefined when nothing is. */
export function faultProblem(rule: Readonly<Record<string, unknown>>): string | undefined {
  const { kind, on } = rule
  if (on !== undefined && !operationIds.includes(String(on))) {
    return `there is no operation ${on}; there are ${operationIds.join(', ')}`
  }
  if (!faultKinds.includes(kind as Kind)) return `expected a kind out of ${faultKinds.join(', ')}`
  if (kind === 'submit-error' && on !== undefined && !uploads.includes(String(on))) {
    return `submit-error meets ${uploads.join(' and ')} only, not ${on}`
  }
  const known = parameters[kind as Kind]
  const missing = known.find((name) => name.endsWith('!') && rule[name.slice(0, -1)] === undefined)
  if (missing) return `${kind} needs ${dashed(missing.slice(0, -1))}`
  const counted = kind === 'limited' ? ['skip'] : ['skip', 'times']
  const names = [...known.map((name) => name.replace('!', '')), ...counted]
  for (const [name, value] of Object.entries(rule)) {
    if (name === 'kind' || (name === 'on' && typeof value === 'string')) continue
    if (!names.includes(name)) return `${kind} takes ${names.map(dashed).join(', ')}, and not ${dashed(name)}`
    const least = name === 'bytes' && kind === 'drip' ? 1 : 0
    if (!Number.isSafeInteger(value) || (value as number) < least)
      return `${dashed(name)} must be an integer from ${least}`
  }
  const { code } = rule
  if (kind === 'status' && ((code as number) < 400 || (code as number) > 599)) return 'code must be from 400 to 599'
  return undefined
}

function parameterOf(part: string, text: string): [string, number] {
  const [name = '', value = '', ...more] = part.split('=').map((side) => side.trim())
  if (name === '' || value === '' || more.length > 0) {
    throw new Error(`The fault "${text}" cannot be read: expected name=number in place of "${part}".`)
  }
  return [name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()), Number(value)]
}

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
