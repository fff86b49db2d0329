import type { DeliveryFault, IncomingRequest, OutgoingResponse } from './http-messages.js'
import { tooManyRequests } from './rate-limit.js'
import { Refusal } from './refusal.js'
import { operations } from './routes/index.js'

interface FaultsBefore {
  /** Milliseconds to wait first. */
  latencyMs: number
  /** The response in place of the operation's. */
  refusal?: Refusal
  /** The response never arrives, and the operation does not run. */
  delivery?: DeliveryFault
}

interface Entry {
  rule: FaultRule
  /** How many requests of its operation it has counted. */
  count: number
  /** When its window of 429 began. */
  limitedSince: number | undefined
}

/** The fault rules of one server, in the order in which they were added. */
export class Faults {
  readonly #initial: readonly FaultRule[]
  #entries: Entry[] = []

  /** Throws an Error for an invalid rule. */
  constructor(rules: readonly (FaultRule | string)[] = []) {
    this.#initial = rules.map(readRule)
    this.reset()
  }

  /** Add a rule, as an object or in the text form of `parseFault`. Throws an Error for an invalid one. */
  add(rule: FaultRule | string): void {
    this.#entries.push({ rule: readRule(rule), count: 0, limitedSince: undefined })
  }

  /** Restore the rules of the start, with their counts at 0. */
  reset(): void {
    this.clear()
    for (const rule of this.#initial) this.add(rule)
  }

  /** Remove every rule. */
  clear(): void {
    this.#entries = []
  }

  /** The current rules. */
  get rules(): readonly FaultRule[] {
    return this.#entries.map(({ rule }) => rule)
  }

  /** Count a request of an operation with every rule, and return the faults that apply to it. */
  match(operation: string, now: number): readonly Fault[] {
    return this.#entries.flatMap((entry) => matchRule(entry, operation, now) ?? [])
  }
}

function readRule(rule: FaultRule | string): FaultRule {
  if (typeof rule === 'string') return parseFault(rule)
  const problem = faultProblem({ ...rule })
  if (problem) throw new Error(`Invalid fault: ${problem}.`)
  return rule
}

function matchRule(entry: Entry, operation: string, now: number): Fault | undefined {
  const { rule } = entry
  if (rule.on !== undefined && rule.on !== operation) return undefined
  if (rule.kind === 'submit-error' && !uploads.includes(operation)) return undefined
  const index = entry.count++ - (rule.skip ?? 0)
  if (index < 0 || index >= (rule.times ?? Number.POSITIVE_INFINITY)) return undefined
  if (rule.kind !== 'limited') return rule
  entry.limitedSince ??= now
  const ms = entry.limitedSince + rule.ms - now
  return ms > 0 ? { kind: 'limited', ms } : undefined
}

/** The effect of faults before the operation: every latency up to the first fault that ends the request. */
export function faultsBefore(faults: readonly Fault[]): FaultsBefore {
  let latencyMs = 0
  for (const fault of faults) {
    if (fault.kind === 'latency') latencyMs += fault.ms
    if (fault.kind === 'limited' && fault.ms > latencyMs) {
      const seconds = Math.ceil((fault.ms - latencyMs) / 1000)
      return { latencyMs, refusal: tooManyRequests('A fault limits this request.', seconds) }
    }
    if (fault.kind === 'status') return { latencyMs, refusal: statusRefusal(fault) }
    if (fault.kind === 'reset-before') return { latencyMs, delivery: { kind: 'reset' } }
    if (fault.kind === 'hang-before') return { latencyMs, delivery: { kind: 'hang' } }
  }
  return { latencyMs }
}

function statusRefusal({ code, retryAfter }: Extract<Fault, { kind: 'status' }>): Refusal {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return new Refusal(code, 'A fault answers in place of the operation.', { headers })
}

const proxyPage = {
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>A proxy</title><p>This page stands where JSON should be.',
}

/** The response with the first fault that applies to it. */
export function faultsAfter(faults: readonly Fault[], response: OutgoingResponse): OutgoingResponse {
  for (const fault of faults) {
    if (fault.kind === 'wrong-type')
      return { ...response, ...proxyPage, headers: { ...response.headers, ...proxyPage.headers } }
    const delivery = deliveryOf(fault, response.body.length)
    if (delivery) return { ...response, delivery }
  }
  return response
}

function deliveryOf(fault: Fault, length: number): DeliveryFault | undefined {
  switch (fault.kind) {
    case 'reset-after':
      return { kind: 'reset' }
    case 'hang-after':
      return { kind: 'hang' }
    case 'lost':
      return { kind: 'close' }
    case 'stall':
    case 'truncate':
      return { kind: fault.kind, bytes: fault.bytes ?? Math.floor(length / 2) }
    case 'drip':
      return { kind: 'drip', bytes: fault.bytes ?? 16, everyMs: fault.everyMs ?? 100 }
    default:
      return undefined
  }
}

/**
 * A failure that the server produces on purpose. Before the operation runs: `latency`, `limited` (429 for one window that
 * begins with the first matching request), `status` (such as a 503 of a proxy), `reset-before`, `hang-before`. While it runs:
 * `submit-error` (the annotation job of an upload cannot be submitted: `processing_status: error`). After it has run, so that
 * a write is stored: `reset-after`, `hang-after`, `lost` (the connection ends without a response), `stall`, `truncate`,
 * `drip`, `wrong-type` (the right status with a page of HTML).
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

/** The parameters of each kind; `!` marks a required one. */
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

const operationIds = [...new Set(operations.map(({ id }) => id))]

/** The operations that submit an annotation job. */
const uploads: readonly string[] = ['transcripts.upload', 'legacy.createTranscript']

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
      throw new Error(`Invalid fault "${text}": expected name=number in place of "${part}".`)
    rule[name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())] = Number(value)
  }
  const problem = faultProblem(rule)
  if (problem) throw new Error(`Invalid fault "${text}": ${problem}.`)
  return rule as unknown as FaultRule
}

/** The problem of a rule from JSON or text; undefined if it is valid. */
export function faultProblem(rule: Readonly<Record<string, unknown>>): string | undefined {
  const { kind, on, code } = rule
  if (on !== undefined && !operationIds.includes(String(on)))
    return `unknown operation ${on}; expected one of ${operationIds.join(', ')}`
  if (!faultKinds.includes(kind as Kind)) return `expected a kind out of ${faultKinds.join(', ')}`
  if (kind === 'submit-error' && on !== undefined && !uploads.includes(String(on)))
    return `submit-error applies to ${uploads.join(' and ')} only, not to ${on}`
  const known = parameters[kind as Kind]
  const missing = known.find((name) => name.endsWith('!') && rule[name.slice(0, -1)] === undefined)
  if (missing) return `${kind} needs ${kebabCase(missing.slice(0, -1))}`
  const names = [...known.map((name) => name.replace('!', '')), 'skip', ...(kind === 'limited' ? [] : ['times'])]
  for (const [name, value] of Object.entries(rule)) {
    if (name === 'kind' || (name === 'on' && typeof value === 'string')) continue
    if (!names.includes(name))
      return `unknown parameter ${kebabCase(name)}; ${kind} takes ${names.map(kebabCase).join(', ')}`
    const min = name === 'bytes' && kind === 'drip' ? 1 : 0
    if (!Number.isSafeInteger(value) || (value as number) < min)
      return `${kebabCase(name)} must be an integer from ${min}`
  }
  if (kind === 'status' && ((code as number) < 400 || (code as number) > 599)) return 'code must be from 400 to 599'
  return undefined
}

const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The header with which a request asks for a fault of its own, if the option `faultHeader` is on. */
export const faultHeader = 'svc-fault'

/** The fault that a request asks for in its header. Throws a 400 for an invalid one. */
export function requestedFault(request: IncomingRequest): Fault | undefined {
  const text = request.header(faultHeader)
  if (text === null) return undefined
  try {
    const { on, skip, times, ...fault } = parseFault(text)
    if (on === undefined && skip === undefined && times === undefined) return fault
    throw new Error('operation, skip and times are not allowed in a header.')
  } catch (error) {
    throw new Refusal(400, `${faultHeader}: ${(error as Error).message}`)
  }
}
