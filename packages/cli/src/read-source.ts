import {
  type Chunk,
  describeLosses,
  nameFor,
  type ParseOptions,
  parse,
  parseBatches,
  split,
  type Transcript,
} from '@svc/transcripts'
import { type Conversation, labelOf } from './conversations.js'
import type { Source } from './input/sources.js'
import type { Flaw } from './positions.js'
import { count } from './text.js'

/** How a source is read, and who is told of what is said beside its transcripts. */
export interface SourceReading {
  options: ParseOptions
  /** Any loss is an error. */
  strict?: boolean
  /** Transcripts that are too large become several. */
  split?: boolean
  told: { problems: Flaw[]; notes: string[] }
}

interface Named {
  transcript: Transcript
  name: string
}

type Parts = ReturnType<Source['chunks']>

export const isList = (parts: Parts): parts is Chunk[] => Array.isArray(parts)

/**
 * The transcripts of a source that is there already, for which nothing has to be waited; undefined where anything is
 * wrong with it, which `conversationsOf` then tells.
 */
export function conversationsAtOnce(
  source: Source,
  parts: Chunk[],
  reading: SourceReading,
): Conversation[] | undefined {
  const parsed = parsedAtOnce(parts, reading.options)
  if (!parsed) return undefined
  tellSkipped(source, parsed.skipped.length, reading)
  const name = namer(source)
  const isOnly = parsed.transcripts.length === 1
  const named = parsed.transcripts.map((transcript, at) => name(transcript, at + 1, isOnly))
  return asConversations(source, named, reading)
}

function parsedAtOnce([whole, ...more]: Chunk[], options: ParseOptions): ReturnType<typeof parse> | undefined {
  if (!(whole instanceof Uint8Array) || more.length > 0) return undefined
  try {
    return parse(whole, options)
  } catch {
    return undefined
  }
}

/**
 * The transcripts of one source, together as they are complete, and never none; with `strict` those that are carried
 * whole.
 */
export async function* conversationsOf(
  source: Source,
  parts: Parts,
  reading: SourceReading,
): AsyncGenerator<Conversation[], void, undefined> {
  for await (const batch of namedIn(source, parts, reading)) {
    const conversations = asConversations(source, batch, reading)
    if (conversations.length > 0) yield conversations
  }
}

function asConversations(source: Source, batch: readonly Named[], { split: splits, strict, told }: SourceReading) {
  const conversations: Conversation[] = []
  for (const { transcript, name } of batch) {
    const parts = splits ? split({ ...transcript, name }) : [transcript]
    for (const [at, part] of parts.entries()) {
      const conversation = { source, transcript: part, name: splits ? (part.name ?? name) : name, part: at + 1 }
      if (strict && part.losses.length > 0) told.problems.push(lossesAsFlaw(conversation))
      else conversations.push(conversation)
    }
  }
  return conversations
}

/** Transcripts with their names, which tell whether one is the only one: so one is held back until the next is there. */
async function* namedIn(
  source: Source,
  parts: Parts,
  reading: SourceReading,
): AsyncGenerator<Named[], void, undefined> {
  const name = namer(source)
  const batches = parseBatches(parts, reading.options)
  let held: Transcript | undefined
  let given = 0
  let failure: { error: unknown } | undefined
  try {
    for (;;) {
      const next = await batches.next()
      if (next.done) {
        tellSkipped(source, next.value.skipped.length, reading)
        break
      }
      const known = held ? [held, ...next.value] : next.value
      held = known.at(-1)
      yield known.slice(0, -1).map((transcript) => name(transcript, ++given, false))
    }
  } catch (error) {
    failure = { error }
  } finally {
    // Who asks for no more leaves an open file behind.
    await batches.return({ format: 'upload', skipped: [] })
  }
  if (held) yield [name(held, given + 1, given === 0)]
  if (failure) throw failure.error
}

/** Names a transcript by itself, or by its file and its place in it, from 1. */
function namer({ path }: Source): (transcript: Transcript, place: number, isOnly: boolean) => Named {
  const fileName = path === '-' ? 'stdin' : path
  return (transcript, place, isOnly) => ({
    transcript,
    name: nameFor(transcript, fileName, place, isOnly ? 1 : Infinity),
  })
}

function tellSkipped({ path }: Source, skipped: number, { told }: SourceReading): void {
  if (skipped > 0) told.notes.push(`${path}: ${count(skipped, 'conversation')} without any turn left out`)
}

const lossesAsFlaw = (conversation: Conversation): Flaw => ({
  path: labelOf(conversation),
  at: undefined,
  pointer: '',
  message: `${describeLosses(conversation.transcript.losses)} (--strict allows no loss)`,
})
