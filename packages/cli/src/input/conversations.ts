import { describeLosses, type Loss, type Position, type Transcript } from '@svc/transcripts'
import { CliError, exit } from '../exit.js'
import { grouped } from '../grouped.js'
import { count } from '../terminal/index.js'
import type { Source } from './sources.js'

/** One transcript of a source. */
export interface Conversation {
  source: Source
  transcript: Transcript
  /** Its own name, or its file's. */
  name: string
  /** Which part it is of one that was split, from 1. */
  part: number
  /** Where its turns stand in the file, once `locateTurns` has looked. */
  positions?: (Position | undefined)[]
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
export const placeOfTurn = ({ positions }: Conversation, turn: number | null | undefined): Position | undefined =>
  typeof turn === 'number' ? positions?.[turn - 1] : undefined

/** Says what was lost, once for all transcripts, to the person; for each on its own where they want to know more. */
export function reportLosses(
  say: (line: string) => void,
  conversations: readonly Conversation[],
  verbose: boolean | undefined,
): void {
  const told = lossReporter(say, verbose)
  for (const conversation of conversations) told.see(conversation)
  told.end()
}

/** `tellLosses` for conversations that come one after the other, and are not held. */
export function lossReporter(say: (line: string) => void, verbose: boolean | undefined) {
  const sums = new Map<string, Loss>()
  return {
    see(conversation: Conversation): void {
      const { losses } = conversation.transcript
      if (losses.length === 0) return
      if (verbose) say(`note: ${labelOf(conversation)}: ${describeLosses(losses)}`)
      else for (const loss of losses) addLoss(sums, loss)
    },
    end(): void {
      if (sums.size > 0) say(`note: not carried as it was: ${byReason([...sums.values()])}`)
    },
  }
}

/** Each reason once, behind what it is the reason of. */
function byReason(losses: readonly Loss[]): string {
  const reasons = grouped(losses, ({ code, why }) => `${code} ${why}`)
  return [...reasons.values()].map((of) => `${of[0]?.code} ${of.map(counted).join(', ')}: ${of[0]?.why}`).join('; ')
}

const counted = ({ what, count }: Loss): string => `${what}${count > 1 ? ` (${count} times)` : ''}`

/** Losses in few words; empty when there are none. */
export const lossText = (losses: Iterable<Loss>): string =>
  [...losses].map((loss) => `${loss.code} ${counted(loss)}`).join(', ')

/** What was lost of all transcripts together, one entry for each kind. */
export function sumOfLosses(conversations: readonly Conversation[]): Loss[] {
  const sums = new Map<string, Loss>()
  for (const loss of conversations.flatMap(({ transcript }) => transcript.losses)) addLoss(sums, loss)
  return [...sums.values()]
}

/** Adds a loss to those of the same kind. */
export function addLoss(sums: Map<string, Loss>, loss: Loss): void {
  const key = JSON.stringify([loss.code, loss.what, loss.why])
  sums.set(key, { ...loss, count: loss.count + (sums.get(key)?.count ?? 0) })
}

/** Nothing is sent, or written, unless everything is valid. */
export const invalidInput = (details: string[], what: 'sent' | 'written', hint: string | undefined): CliError =>
  new CliError(exit.input, `The input has ${count(details.length, 'problem')}; nothing was ${what}.`, {
    details,
    ...(hint && { hint }),
  })
