import { httpDate } from '../clock.js'
import type { DeliveryFault, IncomingRequest, OutgoingResponse } from '../http-messages.js'
import { Refusal } from '../refusal.js'
import { isObject } from '../validation/index.js'
import {
  type Fault,
  type FaultCondition,
  type FaultRule,
  faultProblem,
  type Latency,
  parseFault,
  type ScriptedStatus,
  uploads,
} from './rule.js'

/** A fault of one request: its latency is drawn, and the rest of its window is known. */
export type AppliedFault = Exclude<Fault, Latency> | { readonly kind: 'latency'; readonly ms: number }

/** A request as far as rules look at it. */
export interface MatchedRequest {
  /** Without the query. */
  path: string
  /** The size of its body in bytes. */
  size: number
  /** The entry of the journal, as far as it is known. */
  entry: Readonly<Record<'query' | 'headers', object> & { keyName?: string; body?: unknown }>
}

interface FaultsBefore {
  latencyMs: number
  /** An error in place of the response; the operation does not run. */
  refusal?: Refusal
  /** A response in place of the operation's, which may not arrive; the operation does not run. */
  response?: OutgoingResponse
}

/** A rule with what it has counted. */
export interface FaultState {
  /** The rule as it was added. */
  rule: FaultRule
  /** How many requests of its operation it has counted. */
  count: number
  /** Milliseconds since its window of 429 began; undefined before that. */
  limitedForMs?: number
}

interface Entry extends Omit<FaultState, 'limitedForMs'> {
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

  /** The current rules with what they have counted. */
  states(now: number): FaultState[] {
    return this.#entries.map(({ rule, count, limitedSince }) => {
      return { rule, count, ...(limitedSince !== undefined && { limitedForMs: now - limitedSince }) }
    })
  }

  /** Replace all rules, as they were at another time. Throws an Error for an invalid one. */
  restore(states: readonly (FaultRule | string | FaultState)[], now: number): void {
    this.#entries = states.map((state) => {
      if (typeof state === 'string' || !('rule' in state))
        return { rule: readRule(state), count: 0, limitedSince: undefined }
      const { rule, count, limitedForMs } = state
      return { rule: readRule(rule), count, limitedSince: limitedForMs === undefined ? undefined : now - limitedForMs }
    })
  }

  /** The part of a body that the rules of an operation depend on. */
  needed(operation: string): 'nothing' | 'size' | 'body' {
    const rules = this.#entries.filter(({ rule }) => isFor(rule, operation)).map(({ rule }) => rule)
    if (rules.some(({ when }) => when?.body !== undefined || when?.contains !== undefined)) return 'body'
    return rules.some((rule) => sizeLimit(rule) > 0) ? 'size' : 'nothing'
  }

  /** Count a request of an operation with every rule, and return the faults that apply to it. */
  match(operation: string, now: number, request: MatchedRequest): readonly AppliedFault[] {
    return this.#entries.flatMap((entry) => matchRule(entry, operation, now, request) ?? [])
  }
}

function readRule(rule: FaultRule | string): FaultRule {
  if (typeof rule === 'string') return parseFault(rule)
  const problem = faultProblem({ ...rule })
  if (problem) throw new Error(`Invalid fault: ${problem}.`)
  return rule
}

const isFor = ({ on }: FaultRule, operation: string) => on === undefined || on === operation

/** The size in bytes that a body must exceed for a fault; 0: it applies to every request. */
export const sizeLimit = (fault: Fault | AppliedFault): number => ('over' in fault ? (fault.over ?? 0) : 0)

/** True if a fault applies to a request with a body of `size` bytes. */
export const appliesTo = (fault: Fault | AppliedFault, size: number): boolean =>
  sizeLimit(fault) === 0 || size > sizeLimit(fault)

function matchRule(entry: Entry, operation: string, now: number, request: MatchedRequest): AppliedFault | undefined {
  const { rule } = entry
  if (!isFor(rule, operation) || !appliesTo(rule, request.size) || !fits(rule.when, request)) return undefined
  if (rule.kind === 'submit-error' && !uploads.includes(operation)) return undefined
  const index = entry.count++ - (rule.skip ?? 0)
  if (index < 0 || index >= (rule.times ?? Number.POSITIVE_INFINITY)) return undefined
  if (rule.kind === 'latency') return drawn(rule, index)
  if (rule.kind !== 'limited') return rule
  entry.limitedSince ??= now
  const ms = entry.limitedSince + rule.ms - now
  return ms > 0 ? { ...rule, ms } : undefined
}

function fits(when: FaultCondition | undefined, { path, entry }: MatchedRequest): boolean {
  if (!when) return true
  const { path: wanted = path, contains, ...parts } = when
  return wanted === path && isPart(parts, entry) && (contains === undefined || hasText(entry.body, contains))
}

/** True if a value has everything that is expected: of an object some fields, of a list all items. */
function isPart(expected: unknown, value: unknown): boolean {
  if (Array.isArray(expected))
    return (
      Array.isArray(value) && value.length === expected.length && expected.every((each, at) => isPart(each, value[at]))
    )
  if (!isObject(expected)) return expected === value
  return isObject(value) && Object.entries(expected).every(([name, each]) => isPart(each, value[name]))
}

function hasText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text)
  return typeof value === 'object' && value !== null && Object.values(value).some((each) => hasText(each, text))
}

/** Multiples of it, without their whole part, are spread evenly: few requests show the spread, and each run is the same. */
const goldenRatio = (Math.sqrt(5) - 1) / 2

/** The latency of the request with an index. */
function drawn(rule: Latency, index: number): AppliedFault {
  const share = ((index + 1) * goldenRatio) % 1
  if ('ms' in rule) return { kind: 'latency', ms: rule.ms }
  if ('min' in rule) return { kind: 'latency', ms: rule.min + share * (rule.max - rule.min) }
  // The quantiles of the log-logistic distribution, which has a long tail, as services have.
  return { kind: 'latency', ms: rule.p50 * (share / (1 - share)) ** (Math.log(rule.p99 / rule.p50) / Math.log(99)) }
}

/**
 * The effect of faults before the operation: every latency up to the first fault that ends the request. `now`: the time of the
 * request, in milliseconds since the epoch.
 */
export function faultsBefore(faults: readonly AppliedFault[], now: number): FaultsBefore {
  let latencyMs = 0
  for (const fault of faults) {
    if (fault.kind === 'latency') latencyMs += fault.ms
    else if (fault.kind === 'limited') {
      const restMs = fault.ms - latencyMs
      if (restMs > 0) return { latencyMs, refusal: limitedRefusal(fault, restMs, now + fault.ms) }
    } else if (fault.kind === 'status') return { latencyMs, ...scripted(fault) }
    else if (fault.kind === 'waf') return { latencyMs, response: gatewayPage }
    else {
      const kind = unanswered[fault.kind]
      if (kind) return { latencyMs, response: { status: 0, headers: {}, body: '', delivery: { kind } } }
    }
  }
  return { latencyMs }
}

/** The faults that leave a request without a response before its operation. */
const unanswered: { readonly [Kind in Fault['kind']]?: 'reset' | 'hang' | 'close' } = {
  'reset-before': 'reset',
  'hang-before': 'hang',
  'too-large-close': 'close',
}

/** The page of a firewall that takes a request for an attack. */
const gatewayPage: OutgoingResponse = {
  status: 403,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>403 Forbidden</title><h1>403 Forbidden</h1><p>The gateway blocked this request.',
}

type Limited = Extract<Fault, { kind: 'limited' }>

function limitedRefusal({ form = 'seconds' }: Limited, restMs: number, end: number): Refusal {
  return new Refusal(429, 'A fault limits this request.', { headers: retryAfterForms[form](restMs, end) })
}

const retryAfterForms: Readonly<
  Record<NonNullable<Limited['form']>, (restMs: number, end: number) => Refusal['headers']>
> = {
  seconds: (restMs) => ({ 'retry-after': String(Math.ceil(restMs / 1000)) }),
  none: () => ({}),
  // The date has whole seconds, and must not be before the end.
  date: (_, end) => ({ 'retry-after': httpDate(Math.ceil(end / 1000) * 1000) }),
  ms: (restMs) => ({ 'retry-after-ms': String(Math.ceil(restMs)) }),
}

function scripted({ code, retryAfter, body, ...rest }: ScriptedStatus): Omit<FaultsBefore, 'latencyMs'> {
  const headers = {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...Object.fromEntries(Object.entries(rest.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  }
  if (body === undefined && code >= 400)
    return { refusal: new Refusal(code, 'A fault answers in place of the operation.', { headers }) }
  if (body === undefined) return { response: { status: code, headers, body: '' } }
  const [type, text] =
    typeof body === 'string' ? ['text/plain; charset=utf-8', body] : ['application/json', JSON.stringify(body)]
  return { response: { status: code, headers: { 'content-type': type, ...headers }, body: text } }
}

const proxyPage = {
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>A proxy</title><p>This page stands where JSON should be.',
}

export function faultsAfter(faults: readonly AppliedFault[], response: OutgoingResponse): OutgoingResponse {
  for (const fault of faults) {
    if (fault.kind === 'wrong-type')
      return { ...response, ...proxyPage, headers: { ...response.headers, ...proxyPage.headers } }
    const delivery = deliveryOf(fault, response.body.length)
    if (delivery) return { ...response, delivery }
  }
  return response
}

function deliveryOf(fault: AppliedFault, length: number): DeliveryFault | undefined {
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

/** The header with which a request asks for a fault of its own, if the option `faultHeader` is on. */
export const faultHeader = 'svc-fault'

/** The fault that a request asks for in its header. Throws a 400 for an invalid one. */
export function requestedFault(request: IncomingRequest): AppliedFault | undefined {
  const text = request.header(faultHeader)
  if (text === null) return undefined
  try {
    const { on, when, skip, times, ...fault } = parseFault(text)
    if (on === undefined && when === undefined && skip === undefined && times === undefined)
      return fault.kind === 'latency' ? drawn(fault, 0) : (fault as AppliedFault)
    throw new Error('operation, when, skip and times are not allowed in a header.')
  } catch (error) {
    throw new Refusal(400, `${faultHeader}: ${(error as Error).message}`)
  }
}
