import type { Journal, JournalEntry } from './journal/index.js'
import { operations } from './routes/index.js'
import { isObject, suggestion } from './validation/index.js'

/** The parts that a request must have: of an object only the fields that are named. Values may be matchers such as `expect.any(String)`. */
export interface ExpectedRequest {
  /** The JSON body, or the text of any other. */
  body?: unknown
  /** The decoded query. */
  query?: Readonly<Record<string, unknown>>
  /** Headers by their lower-case names. Credentials are redacted. */
  headers?: Readonly<Record<string, unknown>>
  /** The status of the answer. */
  status?: unknown
  /** The redacted key, or null. */
  key?: unknown
  /** The name of the key. */
  keyName?: unknown
  /** The workspace of the key. */
  workspace?: unknown
  /** How often such a request was sent. Default: at least once. */
  times?: number
}

/** The matchers of `matchers`, for the types of a test runner. `R` is what an assertion returns. */
export interface ServerMatchers<R = unknown> {
  /**
   * Expect a server to have received a request: `expect(server).toHaveReceived('transcripts.upload', { body: { name: 't' } })`.
   * A failure shows the nearest request that was sent. It looks at the journal, which keeps the latest requests.
   *
   * @throws {TypeError} if the operation or a field of `expected` does not exist, and if the answer may stand in requests or bodies
   * that the journal has dropped
   */
  toHaveReceived(operation: string, expected?: ExpectedRequest): R
}

/** The result of a matcher in Jest or vitest. */
export interface MatcherResult {
  /** True if the assertion without `.not` holds. */
  pass: boolean
  /** The message of a failure: the expectation, the requests, and the differences of the nearest one. */
  message(): string
}

/** The `this` of a matcher in Jest and vitest. */
export interface MatcherContext {
  /** Compares two values. */
  equals(a: unknown, b: unknown, testers?: never[]): boolean
  /** The helpers of the runner. */
  utils: {
    /** Compares an object with the fields that it must have. */
    subsetEquality?: unknown
    /** Shows how two values differ. */
    diff?(expected: unknown, received: unknown): string | null | undefined
  }
}

/** Matchers for `expect.extend`. `@svc/reference-server/vitest` and `/jest` extend `expect` by them, with their types. */
export const matchers = {
  /** Expect a server to have received a request: see `ServerMatchers`. */
  toHaveReceived,
}

type Part = Exclude<keyof ExpectedRequest, 'times'>

const parts: readonly Part[] = ['body', 'query', 'headers', 'status', 'key', 'keyName', 'workspace']

function toHaveReceived(
  this: MatcherContext,
  received: unknown,
  operation: string,
  { times, ...expected }: ExpectedRequest = {},
): MatcherResult {
  const requests = requestsOf(received)
  checkExpected(operation, expected)
  const sent = requests.filter((request) => request.operation === operation)
  const differing = (request: JournalEntry) =>
    parts.filter((part) => part in expected && !fits(this, request, expected, part))
  const matching = sent.filter((request) => differing(request).length === 0)
  const pass = times === undefined ? matching.length > 0 : matching.length === times
  const isUnknown = !(pass && times === undefined) && unknownReason(requests, sent, expected, differing)
  if (isUnknown) throw new TypeError(`toHaveReceived: cannot tell, because the journal dropped ${isUnknown}.`)
  const wanted = `${operation}${Object.keys(expected).length > 0 ? ' as described' : ''}`
  const message = () => {
    const often = times === undefined ? 'at least once' : counted(times)
    if (pass) return `expected the server not to receive ${wanted}; received ${counted(matching.length)}`
    const lines = [`expected the server to receive ${wanted} ${often}; received ${counted(matching.length)}`]
    const others = sent.filter((request) => !matching.includes(request))
    if (sent.length === 0) lines.push(otherOperations(requests))
    const nearest = matching.length > (times ?? 0) ? undefined : nearestOf(others, expected, differing)
    if (nearest)
      lines.push(
        `The nearest of ${others.length} other ${operation}:`,
        ...differences(this, nearest, expected, differing),
      )
    return lines.join('\n\n')
  }
  return { pass, message }
}

/** Requests and bodies that were dropped may match, too: what was dropped, and what to do. */
function unknownReason(
  requests: readonly JournalEntry[],
  sent: readonly JournalEntry[],
  expected: ExpectedRequest,
  differing: (request: JournalEntry) => Part[],
): string | undefined {
  const { dropped = 0 } = requests as Partial<Journal>
  if (dropped > 0) return `${dropped} earlier requests; raise journalSize or clear it before`
  if (expected.body === undefined) return undefined
  const bodiless = sent.filter(
    (request) => request.bodiesDropped && differing(request).every((part) => part === 'body'),
  )
  if (bodiless.length === 0) return undefined
  const sizes = bodiless.map(({ bodyBytes = 0 }) => bodyBytes).join(', ')
  return `the body of ${bodiless.length} requests (${sizes} bytes); raise journalBytes or clear it before`
}

const counted = (count: number): string => (count === 1 ? 'once' : `${count} times`)

/** The journal of a server, a journal, or the entries that the control plane gives. */
function requestsOf(received: unknown): readonly JournalEntry[] {
  const requests: unknown = isObject(received) && 'requests' in received ? received.requests : received
  if (Array.isArray(requests)) return requests
  throw new TypeError('toHaveReceived: expected a server, or the requests of its journal.')
}

function checkExpected(operation: string, expected: object): void {
  const ids = [...new Set(operations.map(({ id }) => id))]
  if (!ids.includes(operation))
    throw new TypeError(
      `toHaveReceived: there is no operation ${JSON.stringify(operation)}${suggestion(operation, ids)}; there are: ${ids.join(', ')}.`,
    )
  for (const name of Object.keys(expected)) {
    if (!(parts as readonly string[]).includes(name))
      throw new TypeError(
        `toHaveReceived: no such field ${JSON.stringify(name)}${suggestion(name, [...parts, 'times'])}.`,
      )
  }
}

function fits(
  { equals, utils }: MatcherContext,
  request: JournalEntry,
  expected: ExpectedRequest,
  part: Part,
): boolean {
  // A part that has to be absent is named with undefined.
  return equals(request[part], expected[part], [utils.subsetEquality].filter(Boolean) as never[])
}

function otherOperations(requests: readonly JournalEntry[]): string {
  const ids = new Set(requests.map(({ operation, method, path }) => operation ?? `${method} ${path}`))
  return ids.size === 0 ? 'It received no request.' : `It received only: ${[...ids].slice(0, 20).join(', ')}.`
}

/** The request with the fewest other parts, then the one that has most of the values. */
function nearestOf(
  requests: readonly JournalEntry[],
  expected: ExpectedRequest,
  differing: (request: JournalEntry) => Part[],
): JournalEntry | undefined {
  const common = (request: JournalEntry) =>
    parts.reduce((sum, part) => sum + commonValues(expected[part], request[part]), 0)
  const ranked = requests.map((request) => ({ request, others: differing(request).length, common: common(request) }))
  return ranked.sort((a, b) => a.others - b.others || b.common - a.common)[0]?.request
}

/** How many values of `expected` stand at the same place in `received`. */
function commonValues(expected: unknown, received: unknown): number {
  if (typeof expected !== 'object' || expected === null) return expected === received ? 1 : 0
  if (typeof received !== 'object' || received === null) return 0
  const fields = received as Readonly<Record<string, unknown>>
  return Object.entries(expected).reduce((sum, [name, value]) => sum + commonValues(value, fields[name]), 0)
}

function differences(
  { utils }: MatcherContext,
  request: JournalEntry,
  expected: ExpectedRequest,
  differing: (request: JournalEntry) => Part[],
): string[] {
  return differing(request).map((part) => {
    if (part === 'body' && request.body === undefined && request.isUnchecked)
      return `body\nnot read, because the request got ${request.status} before`
    const shown = utils.diff?.(expected[part], expectedPart(request[part], expected[part]))
    return `${part}\n${shown || `expected ${JSON.stringify(expected[part])}, received ${JSON.stringify(request[part])}`}`
  })
}

/** Of an object only the fields that are expected, so that a diff shows no others. */
function expectedPart(received: unknown, expected: unknown): unknown {
  if (Array.isArray(received) && Array.isArray(expected))
    return received.map((each, index) => expectedPart(each, expected[index]))
  if (!isObject(received) || !isObject(expected) || 'asymmetricMatch' in expected) return received
  return Object.fromEntries(
    Object.entries(received).flatMap(([name, value]) =>
      name in expected ? [[name, expectedPart(value, expected[name])]] : [],
    ),
  )
}
