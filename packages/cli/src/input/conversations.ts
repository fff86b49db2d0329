import { describeLosses, type Loss, type Position, type Transcript, toUpload, type Upload } from '@svc/transcripts'
import { CliError, exit } from '../exit.js'
import { grouped } from '../grouped.js'
import { count } from '../terminal/index.js'
import type { Source } from './sources.js'

/** One transcript of a source. */
export interface Conversation {
  source: Source
  transcript: Transcript
  /** Its own name, else that of its file. */
  name: string
  /** The part of a split transcript, from 1. */
  part: number
  /** The positions of its turns, set by `locateTurns`. */
  positions?: (Position | undefined)[]
}

/** The origin of a transcript, in every JSON object about it. */
export const originOf = ({ source, transcript }: Conversation, name: string) => ({
  path: source.path,
  record: transcript.place.record,
  name,
})

/** A transcript in messages: its file, and its record if there are several. */
export const labelOf = ({ source, transcript }: Conversation): string =>
  `${source.path}${transcript.place.record > 1 || transcript.place.pointer ? ` record ${transcript.place.record}` : ''}`

/** The position of a turn (from 1) in its file. */
export const placeOfTurn = ({ positions }: Conversation, turn: number | null | undefined): Position | undefined =>
  typeof turn === 'number' ? positions?.[turn - 1] : undefined

/** Report losses: one line for all transcripts, or one for each if `verbose`. */
export function reportLosses(
  say: (line: string) => void,
  conversations: readonly Conversation[],
  verbose: boolean | undefined,
): void {
  const reporter = lossReporter(say, verbose)
  for (const conversation of conversations) reporter.see(conversation)
  reporter.end()
}

/** Reports the losses of conversations that arrive one by one and are not held. */
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
      if (sums.size > 0) say(`note: losses: ${byReason([...sums.values()])}`)
    },
  }
}

const mostKinds = 3
const mostReasons = 4

/** The most frequent reasons, each with its most frequent kinds, so that it stays one line. */
function byReason(losses: readonly Loss[]): string {
  const total = (of: readonly Loss[]) => of.reduce((sum, { count }) => sum + count, 0)
  const reasons = [...grouped(losses, ({ code, why }) => `${code} ${why}`).values()]
  const first = most(reasons, mostReasons, total).map((of) => {
    const kinds = most(of, mostKinds, ({ count }) => count).map(counted)
    const more = of.length > mostKinds ? ` and ${of.length - mostKinds} more` : ''
    return `${of[0]?.code} ${kinds.join(', ')}${more}: ${of[0]?.why}`
  })
  const isCut = reasons.length > mostReasons || reasons.some(({ length }) => length > mostKinds)
  const rest = reasons.length > mostReasons ? `; ${count(reasons.length - mostReasons, 'other reason')}` : ''
  return `${first.join('; ')}${rest}${isCut ? '; --verbose lists all' : ''}`
}

/** The largest of many items; all of a few, in their order. */
const most = <Item>(items: readonly Item[], n: number, sizeOf: (item: Item) => number): readonly Item[] =>
  items.length <= n ? items : items.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, n)

const counted = ({ what, count }: Loss): string => `${what}${count > 1 ? ` (${count} times)` : ''}`

export const lossText = (losses: Iterable<Loss>): string =>
  [...losses].map((loss) => `${loss.code} ${counted(loss)}`).join(', ')

/** The losses of all transcripts, one entry for each kind. */
export function sumOfLosses(conversations: readonly Conversation[]): Loss[] {
  const sums = new Map<string, Loss>()
  for (const loss of conversations.flatMap(({ transcript }) => transcript.losses)) addLoss(sums, loss)
  return [...sums.values()]
}

export function addLoss(sums: Map<string, Loss>, loss: Loss): void {
  const key = JSON.stringify([loss.code, loss.what, loss.why])
  sums.set(key, { ...loss, count: loss.count + (sums.get(key)?.count ?? 0) })
}

export const invalidInput = (details: string[], what: 'sent' | 'written', hint: string | undefined): CliError =>
  new CliError(exit.input, `The input has ${count(details.length, 'problem')}; nothing was ${what}.`, {
    details,
    ...(hint && { hint }),
  })

/** Flags that override the fields of a transcript. */
export interface IdentityFlags {
  process: boolean
  name?: string
  modelName?: string
  language?: string
  sourceSystem?: string
  externalId?: string
  externalUserId?: string
  metadata?: Record<string, string>
  sourceTimestamp?: string
}

export function bodyOf({ transcript, name }: Conversation, flags: IdentityFlags): Upload {
  const { modelName, language, sourceSystem, externalId, externalUserId, sourceTimestamp } = flags
  return toUpload(transcript, {
    name: flags.name ?? name,
    modelName,
    language,
    sourceSystem,
    externalId,
    externalUserId,
    sourceTimestamp,
    metadata: flags.metadata && { ...transcript.metadata, ...flags.metadata },
    process: flags.process ? undefined : false,
  })
}

/** Refuse a name or id for several transcripts. */
export function refuseSharedIdentity(total: number, flags: IdentityFlags): void {
  if (total <= 1) return
  const [flag] = [flags.name !== undefined && '--name', flags.externalId !== undefined && '--external-id'].filter(
    Boolean,
  )
  if (!flag) return
  throw new CliError(exit.usage, `${flag} names one transcript, but the input holds ${count(total, 'transcript')}.`, {
    hint: `remove ${flag}, or upload that transcript alone`,
  })
}
