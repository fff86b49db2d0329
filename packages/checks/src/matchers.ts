import { cut, escapeLine } from '@svc/text'
import type { Transcript } from '@svc/transcripts'
import { type CheckInput, type CheckOptions, type CheckResult, check, type Message } from './check/index.js'
import { CheckError } from './check-error.js'
import { terminal } from './renderers/index.js'
import { type CheckReport, errorLines, noteLines } from './report/index.js'

/** Options of `toPassChecks`: those of `check` without the transcripts, which are what is expected to pass. */
export type MatcherOptions = Omit<CheckOptions, 'transcripts'>

/** The matchers of `matchers`, for the types of a test runner. `T` is the type of what is expected. */
export interface CheckMatchers<T = unknown> {
  /**
   * Expect transcripts to pass a policy: `await expect(messages).toPassChecks({ client, annotator })`. Messages, a transcript
   * of `parse`, or transcripts as `check` takes them; or, without options and without `await`, the result of a check.
   *
   * Transcripts that cannot be judged neither pass nor fail, so that the assertion fails with `.not` too.
   *
   * @throws {CheckError} for options or a policy that cannot be used
   */
  toPassChecks(
    ...options: Awaited<T> extends CheckResult ? [] : [options: MatcherOptions]
  ): Awaited<T> extends CheckResult ? void : Promise<void>
}

/** The result of a matcher of Jest or vitest. */
export interface MatcherResult {
  /** True if the assertion without `.not` holds. */
  pass: boolean
  /** The transcripts that do not pass, and why, as the terminal shows them. */
  message(): string
}

/** The `this` that Jest and vitest give to a matcher. */
export interface MatcherContext {
  /** The assertion has a `.not`. */
  isNot?: boolean | undefined
  /** The name of the test. It is the path of a conversation that is given as its messages. */
  currentTestName?: string | undefined
}

/**
 * Matchers for `expect.extend` of Jest, vitest and others. `@svc/checks/vitest` extends vitest by them, with their types.
 *
 * @example
 * expect.extend(matchers)
 * await expect(messages).toPassChecks({ client, annotator: 'structural', policy: { failOn: 'critical' } })
 */
export const matchers = {
  /** Expect transcripts, or the result of a check, to pass: see `CheckMatchers`. */
  toPassChecks,
}

function toPassChecks(
  this: MatcherContext,
  received: unknown,
  options?: MatcherOptions,
): MatcherResult | Promise<MatcherResult> {
  const { isNot = false, currentTestName = 'transcript' } = this
  if (!isResult(received)) return matchAsync(inputsOf(received, currentTestName), options, isNot)
  if (options === undefined) return match(received, isNot)
  throw new CheckError('invalid_option', 'toPassChecks: expected no options for the result of a check.')
}

const matchAsync = async (
  transcripts: CheckOptions['transcripts'],
  options: MatcherOptions | undefined,
  isNot: boolean,
) => match(await check({ ...(options as MatcherOptions), transcripts }), isNot)

function match({ verdict, report }: CheckResult, isNot: boolean): MatcherResult {
  return {
    // An assertion with `.not` holds if this is false. It must not hold because the service is away.
    pass: verdict === 'passed' || (isNot && verdict === 'not judged'),
    message: () => `expected the transcripts to ${isNot ? 'fail' : 'pass'} their checks\n\n${reportText(report)}`,
  }
}

/** The report as the command shows it, on stdout and on stderr. */
function reportText(report: CheckReport): string {
  const shown = [...terminal(report, (_, text) => text, { showAll: true })].join('')
  const lines = [
    ...(report.error ? errorLines(report.error, escapeLine) : []),
    ...noteLines(report, escapeLine).map((line) => `note: ${line}`),
  ]
  return [shown.trimEnd(), ...lines].join('\n')
}

const isResult = (received: unknown): received is CheckResult =>
  typeof Object(received).render === 'function' && typeof Object(received).verdict === 'string'

function inputsOf(received: unknown, name: string): CheckOptions['transcripts'] {
  const { path, turns } = Object(received) as { path?: unknown; turns?: unknown }
  if (Array.isArray(received) && typeof Object(received[0]).role === 'string')
    return [{ path: name, name: titleOf(received), transcript: received }]
  if (Array.isArray(turns)) return [{ path: name, transcript: received as Transcript }]
  if (typeof path === 'string') return [received as CheckInput]
  const isMany = Symbol.iterator in Object(received) || Symbol.asyncIterator in Object(received)
  if (typeof received !== 'string' && isMany) return received as Iterable<CheckInput>
  const expected = 'messages, a transcript, transcripts as `check` takes them, or the result of a check'
  throw new CheckError('invalid_option', `toPassChecks: expected ${expected}.`)
}

/** The beginning of the first message, because the path says the test already. */
const titleOf = ([first]: readonly Message[]): string => cut(String(first?.content), 80)
