import type { Shard } from '@svc/bulk'
import type { CheckInput, PlanEstimate } from '@svc/checks'
import { type AnnotationRequest, checkAnnotation } from '@svc/client'
import { count, jsonBounds, kindOf } from '@svc/text'
import { toAnnotationMessages } from '@svc/transcripts'
import { jsonOr, jsonOrText } from './config/index.js'
import type { Context } from './context.js'
import { CliError, exit } from './exit.js'
import {
  addCounts,
  asViolations,
  type Conversation,
  diagnosticsOf,
  type GuardFlags,
  guard,
  type Input,
  invalidInput,
  type LocatedViolation,
  locateViolation,
  lossReporter,
  originOf,
  ownKeys,
  type ReadFlags,
  type Reading,
  readConversations,
  redactionLine,
  refuseSecrets,
  type Unread,
  violationLines,
  withSentLosses,
} from './input/index.js'
import type { Io } from './io/index.js'
import { printJsonLine, startProgress } from './output/index.js'

export interface AnnotateFlags extends ReadFlags, GuardFlags, OptionFlags {
  annotator: string
  concurrency: number
  dryRun?: boolean
  shard?: Shard
}

interface OptionFlags {
  options?: string
  option?: Record<string, string>
  /** The options of the policy, which the flags override. */
  preset?: Record<string, unknown> | undefined
}

export interface PlannedAnnotation {
  /** The index in the input. */
  index: number
  conversation: Conversation
  body: AnnotationRequest & { options?: Record<string, unknown> | undefined }
  /** Counts of redacted texts, by the name of their placeholder. */
  redacted: Record<string, number>
}

/** Read the transcripts of the input. Unreadable input is added to `unread`; without it, unreadable input is an error. */
export async function readInput(
  context: Context,
  { sources, skipped }: Pick<Input, 'sources' | 'skipped'>,
  flags: ReadFlags,
  unread?: Unread[],
): Promise<Reading> {
  const progress = await startProgress(context, 'reading', { afterMs: 500 })
  const onRead = (done: number) => progress.update(() => ({ done }))
  const more = { skipped, onRead, ...(unread && { unread }) }
  return readConversations(sources, flags, context.now(), more).finally(progress.stop)
}

/** @throws with all violations and credentials found */
export async function planRequests(
  { io, settings }: Pick<Context, 'io' | 'settings'>,
  { conversations, problems, hint, add }: Reading,
  flags: AnnotateFlags,
): Promise<PlannedAnnotation[]> {
  const options = await readOptions(io, flags)
  const keys = ownKeys(await settings())
  const secrets: LocatedViolation[] = []
  const violations: LocatedViolation[] = []
  const requests: PlannedAnnotation[] = []
  for (const [index, conversation] of conversations.entries()) {
    await io.checkpoint()
    const transcript = toAnnotationMessages(conversation.transcript)
    const plain = { annotator: flags.annotator, transcript, ...(options && { options }) }
    const { body, hits, redacted } = guard(plain, flags, keys)
    secrets.push(...asViolations(hits).map((each) => locateViolation(conversation, each)))
    violations.push(...checkAnnotation(body).violations.map((each) => locateViolation(conversation, each)))
    requests.push({ index, conversation: withSentLosses(conversation), body, redacted })
  }
  const wrong = [...problems, ...(await diagnosticsOf(violations))]
  if (wrong.length > 0) throw invalidInput(wrong, 'sent', hint, add)
  refuseSecrets(await violationLines(secrets))
  return requests
}

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
  const value = jsonOr(new TextDecoder().decode(bytes), undefined)
  if (kindOf(value) === 'an object') return value as Record<string, unknown>
  throw new CliError(exit.input, `${path}: expected the options as one JSON object with ${jsonBounds}.`)
}

/** The transcripts and the unread files as a check takes them, in the order of the input. */
export function inputsOf(requests: readonly PlannedAnnotation[], unread: readonly Unread[] = []): CheckInput[] {
  const read = requests.map(({ conversation, body, redacted }): CheckInput => {
    const { source, transcript, name, part } = conversation
    const { digest: _, ...withoutHash } = transcript
    // The hash of what was redacted, beside the rest, would be a way to guess it.
    const shown = Object.keys(redacted).length > 0 ? withoutHash : transcript
    return { path: source.path, transcript: shown, messages: body.transcript, name, part }
  })
  const upToEach = unread.flatMap(
    ({ path, record, part, sha256, why, at, detail, temporary, after }, nth): CheckInput[] => [
      ...read.slice(unread[nth - 1]?.after ?? 0, after),
      { path, record, part, sha256: sha256 ?? undefined, error: detail, why, at, temporary },
    ],
  )
  return [...upToEach, ...read.slice(unread.at(-1)?.after ?? 0)]
}

/** The remaining milliseconds of the deadline of the run; undefined without one. */
export function leftOfRun({ flags, call }: Pick<Context, 'flags' | 'call'>): number | undefined {
  if (flags.deadline === undefined) return undefined
  try {
    return call().deadlineMs
  } catch {
    return 0
  }
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
  const losses = lossReporter(say, verbose)
  for (const { conversation } of requests) losses.see(conversation)
  losses.end()
  return redacted
}

export function reportPlan(
  context: Context,
  requests: readonly Pick<PlannedAnnotation, 'conversation'>[],
  what: string,
  reads?: PlanEstimate['reads'],
): void {
  if (context.flags.json) {
    for (const { conversation } of requests) {
      const origin = originOf(conversation, conversation.name)
      printJsonLine(context, { schema: 'svc/annotation@1', result: 'planned', ...origin })
    }
  }
  const sent =
    reads && `${count(reads.list, 'list request')} and ${count(reads.single, 'read')} were sent, and nothing else`
  context.say(`${what}; ${sent ?? 'nothing was sent'}`)
}
