import type { Answer, Delivery } from './call.js'
import { type Fault, type FaultRule, faultProblem, uploads } from './fault.js'
import { limited } from './rate-limit.js'
import { Refusal } from './refusal.js'

/** What is to happen to one request before its operation runs. */
export interface Before {
  /** Milliseconds to wait first. */
  latencyMs: number
  /** Answered in place of the operation. */
  refusal?: Refusal
  /** The answer never arrives, and the operation does not run. */
  delivery?: Delivery
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
  meet(operation: string, now: number): readonly Fault[] {
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
export function before(faults: readonly Fault[]): Before {
  let latencyMs = 0
  for (const fault of faults) {
    if (fault.kind === 'latency') latencyMs += fault.ms
    if (fault.kind === 'limited' && fault.ms > latencyMs) {
      return { latencyMs, refusal: limited('A fault limits this.', Math.ceil((fault.ms - latencyMs) / 1000)) }
    }
    if (fault.kind === 'status') return { latencyMs, refusal: inBetween(fault.code, fault.retryAfter) }
    if (fault.kind === 'reset-before') return { latencyMs, delivery: { kind: 'reset' } }
    if (fault.kind === 'hang-before') return { latencyMs, delivery: { kind: 'hang' } }
  }
  return { latencyMs }
}

/** What the faults of a request do to its answer. */
export function afterwards(faults: readonly Fault[], answer: Answer): Answer {
  for (const fault of faults) {
    if (fault.kind === 'wrong-type')
      return { ...answer, headers: { ...answer.headers, 'content-type': html }, body: page }
    const delivery = deliveryOf(fault, answer.body.length)
    if (delivery) return { ...answer, delivery }
  }
  return answer
}

function deliveryOf(fault: Fault, length: number): Delivery | undefined {
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
