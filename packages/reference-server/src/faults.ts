import type { DeliveryFault, OutgoingResponse } from './http-messages.js'
import { tooManyRequests } from './rate-limit.js'
import { defaultReadings } from './readings.js'
import { Refusal } from './refusal.js'
import { operations } from './routes/index.js'

/** What is to happen to one request before its operation runs. */
export interface FaultsBefore {
  /** Milliseconds to wait first. */
  latencyMs: number
  /** Answered in place of the operation. */
  refusal?: Refusal
  /** The answer never arrives, and the operation does not run. */
  delivery?: DeliveryFault
}

/** The rules of one server, in the order in which they were added, and how often each was met. */
export class Faults {
  readonly #first: readonly FaultRule[]
  #rules: Entry[] = []

  /** Throws an Error for a rule that cannot be. */
  constructor(rules: readonly FaultRule[] = []) {
    this.#first = rules
    this.reset()
  }

  /** Adds a rule, or throws an Error that says why it cannot be. */
  add(rule: FaultRule): void {
    const problem = faultProblem({ ...rule })
    if (problem) throw new Error(`A fault cannot be: ${problem}.`)
    this.#rules.push({ rule, seen: 0, since: undefined })
  }

  /** Puts the rules back to those of the start, each as if it had met nothing. */
  reset(): void {
    this.clear()
    for (const rule of this.#first) this.add(rule)
  }

  /** Takes every rule away. */
  clear(): void {
    this.#rules = []
  }

  /** The rules that hold. */
  get rules(): readonly FaultRule[] {
    return this.#rules.map(({ rule }) => rule)
  }

  /** The faults that a request of an operation meets; each rule counts it. */
  match(operation: string, now: number): readonly Fault[] {
    return this.#rules.length === 0 ? none : this.#rules.flatMap((entry) => metBy(entry, operation, now))
  }
}

interface Entry {
  rule: FaultRule
  /** Requests of its operation until now. */
  seen: number
  /** When a window of 429 began. */
  since: number | undefined
}

function metBy(entry: Entry, operation: string, now: number): readonly Fault[] {
  const { rule } = entry
  if (rule.on !== undefined && rule.on !== operation) return none
  if (rule.kind === 'submit-error' && !uploads.includes(operation)) return none
  const index = entry.seen++ - (rule.skip ?? 0)
  if (index < 0 || index >= (rule.times ?? Number.POSITIVE_INFINITY)) return none
  if (rule.kind !== 'limited') return [rule]
  entry.since ??= now
  const left = entry.since + rule.ms - now
  return left > 0 ? [{ kind: 'limited', ms: left }] : none
}

/** What the faults of a request do before its operation runs; the first that ends it counts, and every latency. */
export function before(faults: readonly Fault[]): FaultsBefore {
  let latencyMs = 0
  for (const fault of faults) {
    if (fault.kind === 'latency') latencyMs += fault.ms
    if (fault.kind === 'limited' && fault.ms > latencyMs) {
      return { latencyMs, refusal: tooManyRequests('A fault limits this.', Math.ceil((fault.ms - latencyMs) / 1000)) }
    }
    if (fault.kind === 'status') return { latencyMs, refusal: inBetween(fault.code, fault.retryAfter) }
    if (fault.kind === 'reset-before') return { latencyMs, delivery: { kind: 'reset' } }
    if (fault.kind === 'hang-before') return { latencyMs, delivery: { kind: 'hang' } }
  }
  return { latencyMs }
}

/** What the faults of a request do to its answer. */
export function afterwards(faults: readonly Fault[], answer: OutgoingResponse): OutgoingResponse {
  for (const fault of faults) {
    if (fault.kind === 'wrong-type')
      return { ...answer, headers: { ...answer.headers, 'content-type': html }, body: page }
    const delivery = deliveryOf(fault, answer.body.length)
    if (delivery) return { ...answer, delivery }
  }
  return answer
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

function inBetween(code: number, retryAfter: number | undefined): Refusal {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return new Refusal(code, 'A fault answers in place of the operation.', { headers })
}

const none: readonly never[] = []
const html = 'text/html; charset=utf-8'
const page = '<!doctype html><title>A proxy</title><p>This page stands where JSON should be.'

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
const uploads: readonly string[] = ['transcripts.upload', 'legacy.createTranscript']

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
