import type { Violation } from '@svc/client'
import { locate, nameFor, type Place, type Problem, parse, type Transcript } from '@svc/transcripts'
import { CliError, exit } from './exit.js'
import type { Source } from './sources.js'
import { count, inert } from './text.js'

/** One transcript of a source. */
export interface Conversation {
  source: Source
  transcript: Transcript
  /** Its own name, or its file's. */
  name: string
}

/** What was read, and a line for each thing that could not be. */
export interface Reading {
  conversations: Conversation[]
  problems: string[]
}

/** Every transcript of the sources, and everything that is wrong with any of them. */
export function readConversations(sources: readonly Source[]): Reading {
  const reading: Reading = { conversations: [], problems: [] }
  for (const source of sources) {
    try {
      const { transcripts } = parse(source.text)
      const fileName = source.path === '-' ? 'stdin' : source.path
      for (const [i, transcript] of transcripts.entries()) {
        const name = nameFor(transcript, fileName, i + 1, transcripts.length)
        reading.conversations.push({ source, transcript, name })
      }
    } catch (error) {
      const problems = (error as { problems?: Problem[] }).problems
      if (!problems) throw error
      reading.problems.push(...problems.map((each) => detail(source, each, each.pointer, each.message)))
    }
  }
  return reading
}

/** A violation of an upload or annotation body as a line of its source: `file:line:column pointer message`. */
export function violationIn({ source, transcript }: Conversation, { pointer, message }: Violation): string {
  const turn = /^\/(?:turns|transcript)\/(\d+)/.exec(pointer)?.[1]
  const place = (turn === undefined ? undefined : transcript.turns[Number(turn)]?.place) ?? transcript.place
  return detail(source, locate(source.text, place), pointer, message)
}

/** Where a transcript comes from, the same in every JSON object that speaks of it. */
export const originOf = ({ source, transcript }: Conversation, name: string) => ({
  path: source.path,
  record: transcript.place.record,
  name,
})

/** How a transcript is called where a person reads of it: its file, and its record where there are more. */
export const labelOf = ({ source, transcript }: Conversation): string =>
  `${source.path}${transcript.place.record > 1 || transcript.place.pointer ? ` record ${transcript.place.record}` : ''}`

/** Where a 1-indexed turn of a transcript stands in its file; undefined when there is no such turn. */
export function placeOfTurn({ source, transcript }: Conversation, turn: number | null | undefined) {
  const place: Place | undefined = typeof turn === 'number' ? transcript.turns[turn - 1]?.place : undefined
  return place && locate(source.text, place)
}

/** What of the input could not be carried as it was, counted over all transcripts; undefined when nothing was lost. */
function lossLine(conversations: readonly Conversation[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { code, what, count } of conversations.flatMap(({ transcript }) => transcript.losses)) {
    const loss = `${code} ${what}`
    counts.set(loss, (counts.get(loss) ?? 0) + count)
  }
  const losses = [...counts].map(([loss, times]) => (times > 1 ? `${loss} (${times} times)` : loss))
  return losses.length > 0 ? `note: not carried as it was: ${losses.join(', ')}` : undefined
}

/** Says what was lost, once, to the person. */
export function tellLosses(say: (line: string) => void, conversations: readonly Conversation[]): void {
  const line = lossLine(conversations)
  if (line) say(inert(line))
}

/** Nothing is sent unless everything is valid. */
export const invalidInput = (details: string[]): CliError =>
  new CliError(exit.input, `The input has ${count(details.length, 'problem')}; nothing was sent.`, { details })

const detail = (source: Source, at: { line: number; column: number }, pointer: string | undefined, message: string) =>
  `${source.path}:${at.line}:${at.column} ${pointer ? `${pointer} ` : ''}${message}`
