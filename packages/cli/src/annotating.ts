import { type Annotation, type AnnotationRequest, checkAnnotation, type SvcClient } from '@svc/client'
import { toAnnotationMessages } from '@svc/transcripts'
import type { AnnotateFlags } from './commands/flags.js'
import type { Context } from './context.js'
import {
  type Conversation,
  invalidInput,
  type Reading,
  readConversations,
  tellLosses,
  violationIn,
} from './conversations.js'
import { CliError, type ExitCode, exit, exitCodeFor } from './exit.js'
import type { Io } from './io.js'
import { mapPool } from './pool.js'
import { jsonObject } from './settings.js'
import type { Source } from './sources.js'
import { count } from './text.js'

/** One annotation request, and the conversation that it is about. */
export interface PlannedAnnotation {
  /** Its place in the input, from 0. */
  index: number
  conversation: Conversation
  body: AnnotationRequest
}

/** A request with its annotation, or with the reason why there is none. */
export type Annotated = PlannedAnnotation & ({ annotation: Annotation } | { error: unknown; code: ExitCode })

/** The requests for what the sources hold, after saying what was lost; none where `--dry-run` only wants to know. */
export async function prepare(
  context: Context,
  sources: readonly Source[],
  flags: AnnotateFlags,
): Promise<PlannedAnnotation[] | undefined> {
  const reading = readConversations(sources)
  const requests = planAnnotations(reading, flags.annotator, await readOptions(context.io, flags))
  tellLosses(context.say, reading.conversations)
  if (!flags.dryRun) return requests
  context.say(`${count(requests.length, 'transcript')} would be annotated with ${flags.annotator}; nothing was sent`)
  return undefined
}

/** The requests for conversations, every one valid, or one error that lists all violations. */
function planAnnotations(
  { conversations, problems }: Reading,
  annotator: string,
  options: Record<string, unknown> | undefined,
): PlannedAnnotation[] {
  const requests = conversations.map((conversation, index) => {
    const transcript = toAnnotationMessages(conversation.transcript)
    return { index, conversation, body: { annotator, transcript, ...(options && { options }) } }
  })
  const violations = requests.flatMap(({ conversation, body }) =>
    checkAnnotation(body).violations.map((each) => violationIn(conversation, each)),
  )
  const wrong = [...problems, ...violations]
  if (wrong.length > 0) throw invalidInput(wrong)
  return requests
}

/** Failures that every further request would share. */
const condemning: readonly ExitCode[] = [exit.auth, exit.notFound, exit.input, exit.interrupted, exit.terminated]

/** Annotates, so many at a time, in the order of completion; stops at what would befall the rest too. */
export async function* annotateAll(
  requests: readonly PlannedAnnotation[],
  client: SvcClient,
  { concurrency, signal }: { concurrency: number; signal: AbortSignal },
): AsyncGenerator<Annotated, void, undefined> {
  let condemned = false
  const annotate = async (request: PlannedAnnotation): Promise<Annotated> => {
    try {
      return { ...request, annotation: await client.annotations.create(request.body, { signal }) }
    } catch (cause) {
      const error = await explainNotFound(cause, request.body.annotator, client)
      const code = exitCodeFor(error)
      condemned ||= condemning.includes(code)
      return { ...request, error, code }
    }
  }
  yield* mapPool(requests, concurrency, annotate, () => condemned || signal.aborted)
}

/** The causes of a 404 are not shown in the interface, so the registry is asked before the annotator is blamed. */
async function explainNotFound(error: unknown, annotator: string, client: SvcClient): Promise<unknown> {
  if (exitCodeFor(error) !== exit.notFound) return error
  const known = await client.annotators.list().catch(() => undefined)
  if (!known || known.some(({ id }) => id === annotator)) return error
  return new CliError(exit.notFound, `There is no annotator "${annotator}".`, {
    hint: `the registry has ${known.map(({ id }) => id).join(', ') || 'none'}`,
    cause: error,
  })
}

/** Request options: those of the file, and above them those of single flags, read as JSON where they are JSON. */
async function readOptions(io: Io, flags: AnnotateFlags): Promise<Record<string, unknown> | undefined> {
  if (!flags.options && !flags.option) return undefined
  const fromFile = flags.options ? await readOptionsFile(io, flags.options) : {}
  const single = Object.entries(flags.option ?? {}).map(([key, text]) => [key, asJson(text) ?? text])
  return { ...fromFile, ...Object.fromEntries(single) }
}

async function readOptionsFile(io: Io, path: string): Promise<Record<string, unknown>> {
  const bytes = await io.readFile(path).catch((cause: unknown) => {
    throw new CliError(exit.input, `${path}: the options file cannot be read.`, { cause })
  })
  const { success, data } = jsonObject.safeParse(asJson(new TextDecoder().decode(bytes)))
  if (success) return data
  throw new CliError(exit.input, `${path}: expected the options as one JSON object.`)
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How a source is named where a person reads it. */
export const label = ({ source, transcript }: Conversation): string =>
  `${source.path}${transcript.place.record > 1 || transcript.place.pointer ? ` record ${transcript.place.record}` : ''}`
