import { Losses, shortened, type ToolCall, type ToolResult, type Turn, utf8Length } from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { toUpload } from './upload.js'

/** The limits of one upload. */
export interface SplitLimits {
  /** Default: 1000. */
  turns?: number
  /** The content of one turn, and its arguments and results, in bytes of UTF-8 each. Default: 1 000 000. */
  turnBytes?: number
  /** The JSON that is sent, in bytes of UTF-8. Default: 4 500 000. */
  bodyBytes?: number
}

/** Room in a body for a name, an id and metadata that are given when it is sent. */
const reserve = 16_384

/**
 * A transcript in as many parts as the service's limits need; itself when it fits. Parts are cut before a user's turn
 * where one is near, never between a call and its result unless what lies between is more than a part may hold, and are linked by
 * `metadata.part { index, count, first_turn, last_turn }`, `metadata.source_total_turns`, a name with ` (part 2/3)` and
 * an external id with `#2/3`. What is too long in a turn keeps its beginning and its end.
 */
export function split(transcript: Transcript, limits: SplitLimits = {}): Transcript[] {
  const { turns: most = 1000, turnBytes = 1_000_000, bodyBytes = 4_500_000 } = limits
  const losses = new Losses()
  losses.addAll(transcript.losses)
  const turns = transcript.turns.map((turn) => cutTurn(turn, turnBytes, losses))
  const whole = losses.size === transcript.losses.length ? transcript : { ...transcript, turns, losses: losses.list() }
  const sizes = turns.map(sizeOf)
  const head = utf8Length(JSON.stringify(toUpload({ ...transcript, turns: [] }))) + reserve
  const ends = endsOf(turns, sizes, most, bodyBytes - head, losses)
  if (ends.length <= 1) return [whole]
  return ends.map((end, index) =>
    partOf(whole, losses, { index, count: ends.length, start: ends[index - 1] ?? 0, end }),
  )
}

interface Part {
  index: number
  count: number
  start: number
  end: number
}

/** The losses of the whole are reported once, with its first part. */
function partOf(whole: Transcript, losses: Losses, { index, count, start, end }: Part): Transcript {
  const number = `${index + 1}/${count}`
  const part = { index: index + 1, count, first_turn: start + 1, last_turn: end }
  const [first] = whole.turns.slice(start, end)
  return {
    ...whole,
    ...(whole.name !== undefined && { name: shortened(whole.name, 500, ` (part ${number})`) }),
    ...(whole.externalId !== undefined && { externalId: shortened(whole.externalId, 500, `#${number}`) }),
    metadata: { ...whole.metadata, part, source_total_turns: whole.turns.length },
    turns: whole.turns.slice(start, end),
    losses: index === 0 ? losses.list() : [],
    place: index === 0 ? whole.place : (first?.place ?? whole.place),
  }
}

/** The index behind the last turn of each part. */
function endsOf(
  turns: readonly Turn[],
  sizes: readonly number[],
  most: number,
  room: number,
  losses: Losses,
): number[] {
  const ends: number[] = []
  const { before, apart } = joinedTurns(turns, most)
  let start = 0
  while (start < turns.length) {
    let end = start
    for (let bytes = 0; end < turns.length && end - start < most; end++) {
      bytes += sizes[end] ?? 0
      if (bytes > room && end > start) break
    }
    if (end < turns.length) end = betterCut(turns, before, start, end)
    ends.push(end)
    start = end
  }
  const parted = ends.slice(0, -1).reduce((sum, end) => sum + (before[end] ?? 0), apart)
  if (ends.length > 1 && parted > 0) {
    losses.add('cut', 'call from its result', 'what lies between them is more than one upload may hold', parted)
  }
  return ends
}

/** Before a user's turn in the later half, else as late as it can be, and in any case where the fewest calls are parted. */
function betterCut(turns: readonly Turn[], before: readonly number[], start: number, end: number): number {
  const least = Math.min(...before.slice(start + 1, end + 1))
  let latest = end
  for (let at = end; at > start; at--) {
    if (before[at] !== least) continue
    if (before[latest] !== least) latest = at
    if (turns[at]?.role === 'user' && at >= start + (end - start) / 2) return at
  }
  return latest
}

function sizeOf(turn: Turn): number {
  const { visible: _visible, place: _place, ...sent } = turn
  return utf8Length(JSON.stringify(sent)) + 1
}

/**
 * How many calls a cut before each turn would part from their results: a result answers the last open call of its name.
 * Pairs that lie further apart than `most` turns are left out, since no cut can keep them; `apart` counts them.
 */
function joinedTurns(turns: readonly Turn[], most: number): { before: number[]; apart: number } {
  const open = new Map<string, number[]>()
  const steps = new Array<number>(turns.length + 1).fill(0)
  let apart = 0
  for (const [at, { toolCalls = [], toolResults = [] }] of turns.entries()) {
    for (const { name } of toolResults) {
      const call = open.get(name)?.pop()
      if (call === undefined) continue
      if (at - call >= most) apart++
      else {
        steps[call + 1] = (steps[call + 1] ?? 0) + 1
        steps[at + 1] = (steps[at + 1] ?? 0) - 1
      }
    }
    for (const { name } of toolCalls) {
      const calls = open.get(name)
      if (calls) calls.push(at)
      else open.set(name, [at])
    }
  }
  let depth = 0
  const before = steps.map((step) => {
    depth += step
    return depth
  })
  return { before, apart }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const whyCut = 'the service takes 1 MB a turn; beginning and end are kept'

/**
 * A turn whose content, and each of whose arguments and results, is at most so many bytes of UTF-8: its beginning and
 * end, and between them how much went. Arguments and results that are no text are cut as the text of their JSON.
 */
function cutTurn(turn: Turn, most: number, losses: Losses): Turn {
  const content = cutText(turn.content, most)
  const calls = cutEach(turn.toolCalls, most, 'args')
  const results = cutEach(turn.toolResults, most, 'result')
  if (!content && !calls && !results) return turn
  const cut: Turn = { ...turn }
  if (content) {
    losses.add('cut', `turn content over ${most} bytes`, whyCut)
    cut.content = content.text
    cut.metadata = { ...turn.metadata, content_cut: { bytes: content.bytes, removed: content.removed } }
  }
  if (calls) {
    losses.add('cut', `tool arguments over ${most} bytes`, whyCut)
    cut.toolCalls = calls
  }
  if (results) {
    losses.add('cut', `tool result over ${most} bytes`, whyCut)
    cut.toolResults = results
  }
  return cut
}

interface Cut {
  text: string
  bytes: number
  removed: number
}

/** Undefined where the text is short enough. */
function cutText(text: string, most: number): Cut | undefined {
  // A code unit is at most three bytes, so most texts need no counting.
  if (text.length * 3 <= most) return undefined
  const bytes = encoder.encode(text)
  if (bytes.length <= most) return undefined
  const half = Math.floor((most - 100) / 2)
  const head = bytes.subarray(0, boundaryBefore(bytes, half))
  const tail = bytes.subarray(boundaryBefore(bytes, bytes.length - half))
  const removed = bytes.length - head.length - tail.length
  const kept = `${decoder.decode(head)}\n[… ${removed} bytes removed …]\n${decoder.decode(tail)}`
  return { text: kept, bytes: bytes.length, removed }
}

/** Undefined where nothing had to be cut. Those of one turn share what a turn may hold. */
function cutEach<Each extends ToolCall | ToolResult>(
  list: readonly Each[] | undefined,
  most: number,
  field: keyof Each,
): Each[] | undefined {
  if (list === undefined) return undefined
  let isCut = false
  const each = list.map((item) => {
    const value = item[field]
    const cut = cutText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), most / list.length)
    isCut ||= cut !== undefined
    return cut ? { ...item, [field]: cut.text } : item
  })
  return isCut ? each : undefined
}

/** The start of the character that the index is in. */
function boundaryBefore(bytes: Uint8Array, index: number): number {
  let at = index
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
