import { describeLosses, nameFor, type ParseOptions, parseStream, split, type Transcript } from '@svc/transcripts'
import { count } from '../terminal/index.js'
import { type Conversation, labelOf } from './conversations.js'
import type { Diagnostic } from './positions.js'
import type { Source } from './sources.js'

/** How a source is read, and who is told of what is said beside its transcripts. */
export interface SourceReading {
  options: ParseOptions
  /** Any loss is an error. */
  strict?: boolean
  /** Transcripts that are too large become several. */
  split?: boolean
  told: { problems: Diagnostic[]; notes: string[] }
}

/** The transcripts of one source as they are complete; with `strict` those that are carried whole. */
export async function* conversationsOf(
  source: Source,
  reading: SourceReading,
): AsyncGenerator<Conversation, void, undefined> {
  const fileName = source.path === '-' ? 'stdin' : source.path
  const read = (transcript: Transcript, place: number, total: number) =>
    asConversations(source, transcript, nameFor(transcript, fileName, place, total), reading)
  const transcripts = parseStream(source.chunks(), reading.options)
  // A name tells whether a transcript is the only one, so one is held back until the next is there.
  let held: Transcript | undefined
  let given = 0
  let failure: { error: unknown } | undefined
  try {
    for (;;) {
      const next = await transcripts.next()
      if (next.done) {
        const skipped = next.value.skipped.length
        if (skipped > 0)
          reading.told.notes.push(`${source.path}: ${count(skipped, 'conversation')} without any turn left out`)
        break
      }
      if (held) yield* read(held, ++given, Infinity)
      held = next.value
    }
  } catch (error) {
    failure = { error }
  } finally {
    // Who asks for no more leaves an open file behind.
    await transcripts.return({ format: 'upload', skipped: [] })
  }
  if (held) yield* read(held, given + 1, given === 0 ? 1 : Infinity)
  if (failure) throw failure.error
}

/** The parts of a transcript that can be sent. */
function* asConversations(
  source: Source,
  transcript: Transcript,
  name: string,
  { split: splits, strict, told }: SourceReading,
): Generator<Conversation> {
  const parts = splits ? split({ ...transcript, name }) : [transcript]
  for (const [at, part] of parts.entries()) {
    const conversation = { source, transcript: part, name: splits ? (part.name ?? name) : name, part: at + 1 }
    if (strict && part.losses.length > 0) told.problems.push(lossesAsFlaw(conversation))
    else yield conversation
  }
}

const lossesAsFlaw = (conversation: Conversation): Diagnostic => ({
  path: labelOf(conversation),
  at: undefined,
  pointer: '',
  message: `${describeLosses(conversation.transcript.losses)} (--strict allows no loss)`,
})
