import type { Violation } from '@svc/client'
import { locate, nameFor, type Place, type Problem, parse, type Transcript } from '@svc/transcripts'
import { CliError, exit } from './exit.js'
import type { Source } from './sources.js'
import { count } from './text.js'

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

/** Where a 1-indexed turn of a transcript stands in its file; undefined when there is no such turn. */
export function placeOfTurn({ source, transcript }: Conversation, turn: number | null | undefined) {
  const place: Place | undefined = typeof turn === 'number' ? transcript.turns[turn - 1]?.place : undefined
  return place && locate(source.text, place)
}

/** Nothing is sent unless everything is valid. */
export const invalidInput = (details: string[]): CliError =>
  new CliError(exit.input, `The input has ${count(details.length, 'problem')}; nothing was sent.`, { details })

const detail = (source: Source, at: { line: number; column: number }, pointer: string | undefined, message: string) =>
  `${source.path}:${at.line}:${at.column} ${pointer ? `${pointer} ` : ''}${message}`
