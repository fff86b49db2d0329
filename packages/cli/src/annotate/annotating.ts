import { faultsIn, type Usage } from '@svc/checks'
import {
  type Annotation,
  type AnnotationRequest,
  checkAnnotation,
  ServiceError,
  type SvcClient,
  settleMany,
} from '@svc/client'
import {
  addCounts,
  asViolations,
  type Conversation,
  type GuardFlags,
  guard,
  type Input,
  invalidInput,
  type LocatedViolation,
  locateViolation,
  originOf,
  ownKeys,
  type ReadFlags,
  type Reading,
  readConversations,
  redactionLine,
  refuseSecrets,
  reportLosses,
  type Unread,
  violationLines,
} from '@svc/input'
import { cut, jsonBounds, nearest } from '@svc/text'
import { toAnnotationMessages } from '@svc/transcripts'
import { jsonOr, jsonOrText } from '../config/index.js'
import type { Context } from '../context.js'
import { createItemFailures, exitCodeFor, type ItemFailure, MalformedAnswer } from '../errors/index.js'
import { CliError, condemning, type ExitCode, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { printJsonLine, startProgress } from '../output/index.js'

export interface AnnotateFlags extends ReadFlags, GuardFlags, OptionFlags {
  annotator: string
  concurrency: number
  dryRun?: boolean
}

/** An annotation request whose options are read again. */
export type AnnotationBody = AnnotationRequest & { options?: Record<string, unknown> | undefined }

export interface PlannedAnnotation {
  /** The index in the input. */
  index: number
  conversation: Conversation
  body: AnnotationBody
  /** Counts of redacted texts, by the name of their placeholder. */
  redacted: Record<string, number>
}

export type Annotated = PlannedAnnotation & Answer

/**
 * Build the requests for the sources, and notes on what was skipped. Unreadable input is added to `unread`; without it,
 * unreadable input is an error.
 *
 * @throws {CliError} with all violations and credentials found
 */
export async function prepare(
  context: Context,
  { sources, skipped }: Pick<Input, 'sources' | 'skipped'>,
  flags: AnnotateFlags,
  unread?: Unread[],
): Promise<{ requests: PlannedAnnotation[]; notes: readonly string[] }> {
  const progress = await startProgress(context, 'reading', { afterMs: 500 })
  const onRead = (done: number) => progress.update(() => ({ done }))
  const more = { skipped, onRead, ...(unread && { unread }) }
  const reading = await readConversations(sources, flags, context.now(), more).finally(progress.stop)
  const options = await readOptions(context.io, flags)
  const requests = await planAnnotations(context, reading, flags, options)
  return { requests, notes: reading.notes }
}

/** Report the notes of the input, and the redactions and losses of these requests. Returns the redactions in sum. */
export function reportInput(
  { say, flags: { verbose } }: Context,
  requests: readonly PlannedAnnotation[],
  notes: readonly string[],
): Record<string, number> {
  const redacted: Record<string, number> = {}
  for (const request of requests) addCounts(redacted, request.redacted)
  const line = redactionLine(redacted)
  if (line) say(line)
  for (const note of notes) say(`note: ${note}`)
  reportLosses(
    say,
    requests.map(({ conversation }) => conversation),
    verbose,
  )
  return redacted
}

/** Report what `--dry-run` would annotate. */
export function reportPlan(
  context: Context,
  requests: readonly Pick<PlannedAnnotation, 'conversation'>[],
  what: string,
): void {
  if (context.flags.json) {
    for (const { conversation } of requests) {
      printJsonLine(context, {
        schema: 'svc/annotation@1',
        result: 'planned',
        ...originOf(conversation, conversation.name),
      })
    }
  }
  context.say(`${what}; nothing was sent`)
}

async function planAnnotations(
  { io, settings }: Context,
  { conversations, problems, hint }: Reading,
  flags: AnnotateFlags,
  options: Record<string, unknown> | undefined,
): Promise<PlannedAnnotation[]> {
  const own = ownKeys(await settings())
  const secrets: LocatedViolation[] = []
  const violations: LocatedViolation[] = []
  const requests: PlannedAnnotation[] = []
  for (const [index, conversation] of conversations.entries()) {
    await io.checkpoint()
    const transcript = toAnnotationMessages(conversation.transcript)
    const plain = { annotator: flags.annotator, transcript, ...(options && { options }) }
    const { body, hits, redacted } = guard(plain, flags, own)
    secrets.push(...asViolations(hits).map((each) => locateViolation(conversation, each)))
    violations.push(...checkAnnotation(body).violations.map((each) => locateViolation(conversation, each)))
    requests.push({ index, conversation, body, redacted })
  }
  const wrong = [...problems, ...(await violationLines(violations))]
  if (wrong.length > 0) throw invalidInput(wrong, 'sent', hint)
  refuseSecrets(await violationLines(secrets))
  return requests
}

export type Answer = { annotation: Annotation } | ItemFailure

/** True for a failure that all other requests would share: no further request is sent. */
export const stopsRun = (answer: Answer): boolean =>
  'error' in answer && answer.code !== exit.temporary && condemning.includes(answer.code)

/** A 2xx answer that is not the requested annotation. */
export class MalformedAnnotation extends MalformedAnswer {
  /** Tokens in and out, as far as the answer gives them. */
  readonly tokens: number

  constructor(faults: readonly string[], answer: unknown, cause?: unknown) {
    super(faults, {
      hint: 'check SVC_BASE_URL; `svc api POST /v1/annotations` shows the raw answer',
      cause,
    })
    this.tokens = tokensOf((answer as Partial<Annotation> | null)?.usage)
  }
}

/** Tokens in and out. `estimate` stands for tokens in that are not shown; other missing numbers count as 0. */
export function tokensOf(usage: Partial<Usage> | null | undefined, estimate = 0): number {
  const counted = (n: number | null | undefined, otherwise: number) =>
    Number.isInteger(n) ? Math.max(0, n ?? 0) : otherwise
  return counted(usage?.tokens_in, estimate) + counted(usage?.tokens_out, 0)
}

/** The tokens of a request: most tokenizers give one token for about four bytes of English. */
export const estimatedTokens = (body: AnnotationBody): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(body.transcript)) / 4)

/**
 * The only place where the annotations of a run are received, so that every caller gets a checked one. `call` throws if it
 * is too late for a call.
 */
export function annotateWith(client: SvcClient) {
  const failures = createItemFailures()
  return async (body: AnnotationBody, call: Context['call']): Promise<Answer> => {
    try {
      const annotation = await client.annotations.create(body, call())
      const faults = faultsOf(annotation, body.annotator)
      if (faults.length > 0) throw new MalformedAnnotation(faults, annotation)
      failures.succeeded()
      return { annotation }
    } catch (cause) {
      return failures.failed(await explainNotFound(asMalformed(cause, body.annotator), body.annotator, client))
    }
  }
}

function faultsOf(answer: unknown, annotator: string): string[] {
  const faults = faultsIn(answer)
  const { annotator: found } = (answer ?? {}) as { annotator?: unknown }
  return typeof found === 'string' && found !== annotator
    ? [...faults, `/annotator expected "${annotator}", found "${cut(found, 80)}"`]
    : faults
}

/** The client refuses an answer that is not JSON or too long; its body shows which field is wrong. */
function asMalformed(error: unknown, annotator: string): unknown {
  if (!(error instanceof ServiceError) || error.status < 200 || error.status >= 300) return error
  // The client's error already says that the body is empty or too long.
  if (error.body === '') return error
  const faults = faultsOf(error.body, annotator)
  return faults.length > 0 ? new MalformedAnnotation(faults, error.body, error) : error
}

/**
 * Annotate with limited concurrency; yields in the order of completion. Stops after a failure that all requests would
 * share.
 */
export async function* annotateAll(
  requests: readonly PlannedAnnotation[],
  context: Context,
  concurrency: number,
): AsyncGenerator<Annotated, void, undefined> {
  const ask = annotateWith(await context.client({ calls: requests.length, atOnce: concurrency }))
  let isCondemned = false
  const annotate = async (request: PlannedAnnotation): Promise<Annotated> => {
    const answer = await ask(request.body, context.call)
    isCondemned ||= stopsRun(answer)
    return { ...request, ...answer }
  }
  const until = () => isCondemned || context.io.signal.aborted
  for await (const settled of settleMany(requests, annotate, { concurrency, until })) {
    if (settled.status === 'rejected') throw settled.reason
    yield settled.value
  }
}

/** A 404 may have other causes, so the registry decides whether the annotator is missing. */
async function explainNotFound(error: unknown, annotator: string, client: SvcClient): Promise<unknown> {
  if (exitCodeFor(error) !== exit.notFound) return error
  const known = await client.annotators.list().catch(() => undefined)
  const isMissing = known?.every(({ id }) => typeof id === 'string' && id !== annotator)
  return known && isMissing ? noAnnotator(annotator, known, { cause: error }) : error
}

/** `details` give the place where the annotator is named. */
export function noAnnotator(
  annotator: string,
  known: readonly { id: string }[],
  { code = exit.notFound, ...more }: { code?: ExitCode; details?: string[]; cause?: unknown } = {},
): CliError {
  const ids = known.map(({ id }) => id)
  const meant = nearest(annotator, ids)
  return new CliError(code, `There is no annotator "${annotator}".`, {
    hint: `${meant ? `did you mean ${meant}? ` : ''}the registry has ${ids.join(', ') || 'none'}`,
    ...more,
  })
}

interface OptionFlags {
  options?: string
  option?: Record<string, string>
  /** The options of the policy, which the flags override. */
  preset?: Record<string, unknown> | undefined
}

/** The options of the policy, overridden by the options file, overridden by single flags. */
async function readOptions(io: Io, flags: OptionFlags): Promise<Record<string, unknown> | undefined> {
  if (!flags.options && !flags.option) return flags.preset
  const fromFile = flags.options ? await readOptionsFile(io, flags.options) : {}
  const single = Object.entries(flags.option ?? {}).map(([key, text]) => [key, jsonOrText('--option', text)])
  return { ...flags.preset, ...fromFile, ...Object.fromEntries(single) }
}

async function readOptionsFile(io: Io, path: string): Promise<Record<string, unknown>> {
  const bytes = await io.readFile(path, { maxBytes: 1 << 20 }).catch((cause: NodeJS.ErrnoException) => {
    io.stop.throwIfAborted()
    throw new CliError(exit.input, `${path}: the options file cannot be read (${cause.code}).`, {
      cause,
      hint: 'give the path of a JSON file',
    })
  })
  const options = jsonOr(new TextDecoder().decode(bytes), undefined)
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return { ...options }
  throw new CliError(exit.input, `${path}: expected the options as one JSON object with ${jsonBounds}.`)
}
