import type { TranscriptUpload, Violation, ViolationCode } from '@svc/client'
import { count, grouped, placeText, titleText } from '@svc/text'
import {
  byConversation,
  describeLosses,
  type Loss,
  locateStream,
  type Place,
  type Position,
  type Transcript,
  toUpload,
  type UnreadConversations,
  uploadLosses,
} from '@svc/transcripts'
import { ContainerError } from '@svc/transcripts/containers'
import type { InputFiles } from './files.js'
import { InputProblem } from './input-problem.js'
import type { Source } from './sources.js'

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

export const originOf = ({ source, transcript }: Conversation, name: string) => ({
  path: source.path,
  record: transcript.place.record,
  name,
})

/** The title of a conversation in every output. */
export const titleOf = ({ source, transcript, part, name }: Conversation): string =>
  titleText({ path: source.path, record: transcript.place.record, part, name, external_id: transcript.externalId })

export const labelOf = ({ source, transcript, part }: Conversation): string =>
  placeText({ path: source.path, record: transcript.place.record, part })

/** The conversation with the losses of an upload, or of annotation messages, among its own. */
export function withSentLosses(conversation: Conversation): Conversation {
  const { transcript } = conversation
  const losses = uploadLosses(transcript)
  if (losses.length === 0) return conversation
  return { ...conversation, transcript: { ...transcript, losses: [...transcript.losses, ...losses] } }
}

/** Reports the losses of conversations: one line for all of them, or one for each if `verbose`. */
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

const most = <Item>(items: readonly Item[], n: number, sizeOf: (item: Item) => number): readonly Item[] =>
  items.length <= n ? items : items.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, n)

const counted = ({ what, count }: Loss): string => `${what}${count > 1 ? ` (${count} times)` : ''}`

export const lossText = (losses: Iterable<Loss>): string =>
  [...losses].map((loss) => `${loss.code} ${counted(loss)}`).join(', ')

/** Add a loss to sums over several transcripts, without its places. */
export function addLoss(sums: Map<string, Loss>, { places: _, ...loss }: Loss): void {
  const key = JSON.stringify([loss.code, loss.what, loss.why])
  sums.set(key, { ...loss, count: loss.count + (sums.get(key)?.count ?? 0) })
}

export const invalidInput = (
  problems: readonly Diagnostic[],
  what: 'sent' | 'written' | 'read',
  hint: string | undefined,
  add?: readonly string[],
): InputProblem => {
  const outcome = what === 'read' ? '' : `; nothing was ${what}`
  return new InputProblem('invalid_input', `The input has ${count(problems.length, 'problem')}${outcome}.`, {
    details: diagnosticLines(problems),
    ...(hint && { hint }),
    ...(add && { add }),
  })
}

/** Flags that override the fields of a transcript. */
export interface IdentityFlags extends Partial<Omit<TranscriptUpload, 'turns' | 'metadata'>> {
  process: boolean
  metadata?: Record<string, string>
}

export function bodyOf({ transcript, name }: Conversation, flags: IdentityFlags): TranscriptUpload {
  return toUpload(transcript, {
    ...flags,
    name: flags.name ?? name,
    metadata: flags.metadata && { ...transcript.metadata, ...flags.metadata },
    process: flags.process ? undefined : false,
  })
}

export function refuseSharedIdentity(total: number, flags: IdentityFlags): void {
  if (total <= 1) return
  const [flag] = [flags.name !== undefined && '--name', flags.externalId !== undefined && '--external-id'].filter(
    Boolean,
  )
  if (!flag) return
  throw new InputProblem(
    'shared_identity',
    `${flag} names one transcript, but the input holds ${count(total, 'transcript')}.`,
    {
      hint: `remove ${flag}, or upload that transcript alone`,
    },
  )
}

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
  /** The conversations that are not read because of it. Default: one. */
  conversations?: UnreadConversations
  /** True if the file as a whole is refused, and the record is only where that shows. */
  isOfFile?: boolean
}

/** Problems that cost the same conversations, or that are of one record of a file. */
export const problemsTogether = (problems: readonly Diagnostic[]): [Diagnostic, ...Diagnostic[]][] =>
  [...grouped(problems, ({ path }) => path).values()].flatMap((ofFile) => byConversation(ofFile))

export interface BodyViolation extends Omit<Violation, 'code'> {
  code: ViolationCode | 'credential'
}

/** A violation of the request body of a conversation, and its place. Does not hold the conversation. */
export interface LocatedViolation extends BodyViolation {
  source: Source
  record: number
  place: Place
}

export const locateViolation = ({ source, transcript }: Conversation, violation: BodyViolation): LocatedViolation => ({
  ...violation,
  source,
  record: transcript.place.record,
  place: placeIn(transcript, violation.pointer),
})

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
  diagnosticLines(await diagnosticsOf(violations))

/** A run that is to stop may leave out positions: what it found is reported without them. */
export async function locateTurns(
  { stop }: Pick<InputFiles, 'stop'>,
  conversations: readonly Conversation[],
): Promise<void> {
  const unknown = conversations.filter(({ positions }) => positions === undefined)
  const places = unknown.flatMap(({ transcript }) => transcript.turns.map(({ place }) => place))
  const sources = unknown.flatMap(({ source, transcript }) => transcript.turns.map(() => source))
  const positions = await positionsOf(sources, places).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
  let at = 0
  for (const conversation of unknown) {
    const end = at + conversation.transcript.turns.length
    if (positions) conversation.positions = positions.slice(at, end)
    at = end
  }
}

export const diagnosticLine = ({ path, at, pointer, message }: Diagnostic): string =>
  `${path}:${at ? `${at.line}:${at.column}` : ''} ${pointer ? `${pointer} ` : ''}${message}`

/** The most lines about one file. */
const mostLines = 20

/** A line for each problem, and one for equal ones of a file; of a file with many, for the first ones. */
export const diagnosticLines = (problems: readonly Diagnostic[]): string[] =>
  [...grouped(problems, ({ path }) => path.replace(/ record \d+$/, ''))].flatMap(([path, of]) => {
    const equal = [...grouped(of, ({ pointer, message }) => `${pointer} ${message}`).values()]
    const lines = equal.slice(0, mostLines).map((each) => {
      const [first] = each as [Diagnostic]
      return each.length > 1
        ? `${diagnosticLine(first)} (and at ${count(each.length - 1, 'other place')})`
        : diagnosticLine(first)
    })
    const left = equal.slice(mostLines).reduce((sum, { length }) => sum + length, 0)
    return left > 0 ? [...lines, `${path}: and ${count(left, 'more problem')}`] : lines
  })

/** A field that the record has by the same name has its own place; any other has that of the record. */
function placeIn({ turns, place }: Conversation['transcript'], pointer: string): Place {
  const turn = /^\/(?:turns|transcript)\/(\d+)/.exec(pointer)?.[1]
  const placeOfTurn = turn === undefined ? undefined : turns[Number(turn)]?.place
  return placeOfTurn ?? { ...place, pointer: `${place.pointer}${pointer}` }
}

/** Undefined for a stream that is no longer buffered from its beginning, and for another file of a session than its first. */
async function positionsOf(sources: readonly Source[], places: readonly Place[]): Promise<(Position | undefined)[]> {
  const located: (Position | undefined)[] = []
  for (const [source, all] of grouped(sources.keys(), (index) => sources[index] as Source)) {
    const indices = all.filter((index) => source.folder === undefined || places[index]?.member === undefined)
    const wanted = indices.flatMap((index) => places[index] ?? [])
    const positions = await locateStream(source.chunks(), wanted).catch((error: unknown) => {
      if (error instanceof ContainerError) return []
      throw error
    })
    for (const [at, index] of indices.entries()) located[index] = positions[at]
  }
  return located
}
