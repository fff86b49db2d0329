import type { Violation } from '@svc/client'
import { locateStream, type Place, type Position } from '@svc/transcripts'
import { ContainerError } from '@svc/transcripts/containers'
import { grouped } from '../grouped.js'
import type { Conversation } from './conversations.js'
import type { Source } from './sources.js'

/** A problem that prevents a transcript from being read or sent, and its place. */
export interface Diagnostic {
  /** Of its file, with the number of the record if the position is unknown. */
  path: string
  /** From 1. */
  record?: number
  at: Position | undefined
  /** RFC 6901; empty for the whole. */
  pointer: string
  message: string
  /** The file that holds the record, if its text may be read again. */
  source?: Source | undefined
}

/** A violation of the request body of a conversation, and its place. Does not hold the conversation. */
export interface LocatedViolation extends Violation {
  source: Source
  record: number
  place: Place
}

export const locateViolation = (
  { source, transcript }: Conversation,
  { pointer, message }: Violation,
): LocatedViolation => ({
  source,
  record: transcript.place.record,
  place: placeIn(transcript, pointer),
  pointer,
  message,
})

/** Find the positions of violations, reading each file once. */
export async function diagnosticsOf(violations: readonly LocatedViolation[]): Promise<Diagnostic[]> {
  const positions = await positionsOf(
    violations.map(({ source }) => source),
    violations.map(({ place }) => place),
  )
  return violations.map(({ source: { path }, record, pointer, message }, index) => {
    const at = positions[index]
    return { path: at ? path : `${path} record ${record}`, at, pointer, message }
  })
}

export const violationLines = async (violations: readonly LocatedViolation[]): Promise<string[]> =>
  (await diagnosticsOf(violations)).map(diagnosticLine)

/** Find the positions of the turns of conversations, reading each file once. */
export async function locateTurns(conversations: readonly Conversation[]): Promise<void> {
  const unknown = conversations.filter(({ positions }) => positions === undefined)
  const places = unknown.flatMap(({ transcript }) => transcript.turns.map(({ place }) => place))
  const sources = unknown.flatMap(({ source, transcript }) => transcript.turns.map(() => source))
  const positions = await positionsOf(sources, places)
  let at = 0
  for (const conversation of unknown) {
    const end = at + conversation.transcript.turns.length
    conversation.positions = positions.slice(at, end)
    at = end
  }
}

/** `file:line:column pointer message` */
export const diagnosticLine = ({ path, at, pointer, message }: Diagnostic): string =>
  `${path}:${at ? `${at.line}:${at.column}` : ''} ${pointer ? `${pointer} ` : ''}${message}`

/** A field that the record has by the same name has its own place; any other has that of the record. */
function placeIn({ turns, place }: Conversation['transcript'], pointer: string): Place {
  const turn = /^\/(?:turns|transcript)\/(\d+)/.exec(pointer)?.[1]
  const found = turn === undefined ? undefined : turns[Number(turn)]?.place
  return found ?? { ...place, pointer: `${place.pointer}${pointer}` }
}

/** Undefined for a stream that is no longer buffered from its beginning. */
async function positionsOf(sources: readonly Source[], places: readonly Place[]): Promise<(Position | undefined)[]> {
  const found: (Position | undefined)[] = []
  for (const [source, indices] of grouped(sources.keys(), (index) => sources[index] as Source)) {
    const wanted = indices.flatMap((index) => places[index] ?? [])
    const positions = await locateStream(source.chunks(), wanted).catch((error: unknown) => {
      if (error instanceof ContainerError) return []
      throw error
    })
    for (const [at, index] of indices.entries()) found[index] = positions[at]
  }
  return found
}
