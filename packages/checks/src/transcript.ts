import type { Loss, Position, Transcript } from '@svc/transcripts'

type Fields = 'metadata' | 'modelName' | 'language' | 'sourceSystem' | 'externalId' | 'externalUserId'

export interface Conversation {
  source: { path: string }
  transcript: Pick<Transcript, Fields | 'losses'> & { place: { record: number }; format?: string; digest?: string }
  name: string
  /** The part of a split transcript, from 1. */
  part: number
  /** Its cluster, if the caller names one. */
  cluster?: string
  /** The positions of its turns, as far as they were looked up. */
  positions?: readonly (Position | undefined)[]
}

/** A file or record that could not be read as a transcript, or a transcript that was not found. */
export interface Unread {
  /** The file, as reports show it. */
  path: string
  /** From 1. */
  record: number
  /** From 1. Default: 1. */
  part?: number
  /** Default: that of its path. */
  name?: string
  /** The place of the problem in the file. */
  at: Position | undefined
  /** SHA-256 of the bytes of the file in hex; null if they cannot be read. */
  sha256: string | null
  /** The kind of the reason. */
  why: 'not found' | 'no transcript' | 'unreadable' | 'incomplete' | 'broken link' | 'link not followed'
  /** The reason in words. */
  detail: string
  /** A further run may read it. Default: false. */
  temporary?: boolean | undefined
  /** Number of transcripts that were read before it. */
  after: number
}

/** The position of a turn (from 1) in its file. */
export const placeOfTurn = ({ positions }: Conversation, turn: number | null | undefined): Position | undefined =>
  typeof turn === 'number' ? positions?.[turn - 1] : undefined

export function sumOfLosses(conversations: readonly Conversation[]): Loss[] {
  const sums = new Map<string, Loss>()
  for (const { places: _, ...loss } of conversations.flatMap(({ transcript }) => transcript.losses)) {
    const key = JSON.stringify([loss.code, loss.what, loss.why])
    sums.set(key, { ...loss, count: loss.count + (sums.get(key)?.count ?? 0) })
  }
  return [...sums.values()]
}
