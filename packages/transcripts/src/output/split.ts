import { limits as bounds } from '@svc/client'
import {
  joinedCalls,
  Losses,
  shortened,
  type ToolCall,
  type ToolResult,
  type Turn,
  uploadedTurn,
} from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { toUpload } from './upload.js'

/** The limits of one upload. */
export interface SplitLimits {
  /** Default: 1000. */
  turns?: number
  /** The content of one turn, its tool arguments and its tool results, each in bytes of UTF-8. Default: 1 000 000. */
  turnBytes?: number
  /** The JSON of the body, in bytes of UTF-8. Default: 4 500 000. */
  bodyBytes?: number
}

/** Bytes of the body reserved for a name, an id and metadata that the caller adds. */
const reserve = 16_384

/**
 * Split a transcript into parts within the service's limits; one part if it fits. A part ends before a user's turn if
 * possible, and between a call and its result only if both do not fit into one part. Each part has `metadata.part
 * { index, count, first_turn, last_turn }`, `metadata.source_total_turns`, a name with ` (part 2/3)` and an external id
 * with `#2/3`. A text that is too long keeps its beginning and end
 * (interface: Limits › Surface B).
 */
export function split(transcript: Transcript, limits: SplitLimits = {}): Transcript[] {
  const {
    turns: maxTurns = bounds.turns.max,
    turnBytes = bounds.turnBytes.warn,
    bodyBytes = bounds.bodyBytes.warn,
  } = limits
  const losses = new Losses()
  losses.addAll(transcript.losses)
  const turns = transcript.turns.map((turn) => cutTurn(turn, turnBytes, losses))
  const whole = losses.size === transcript.losses.length ? transcript : { ...transcript, turns, losses: losses.list() }
  const sizes = turns.map(sizeOf)
  const headBytes = utf8Length(JSON.stringify(toUpload({ ...transcript, turns: [] }))) + reserve
  const ends = endsOf(turns, sizes, maxTurns, bodyBytes - headBytes, losses)
  if (ends.length <= 1) return [whole]
  return ends.map((_, index) => partOf(whole, losses, index, ends))
}

/** The first part reports the losses of the transcript. */
function partOf(whole: Transcript, losses: Losses, index: number, ends: readonly number[]): Transcript {
  const { length: count, [index - 1]: start = 0, [index]: end = 0 } = ends
  const number = `${index + 1}/${count}`
  const part = { index: index + 1, count, first_turn: start + 1, last_turn: end }
  const [first] = whole.turns.slice(start, end)
  return {
    ...whole,
    ...(whole.name !== undefined && { name: shortened(whole.name, bounds.name.max, ` (part ${number})`) }),
    ...(whole.externalId !== undefined && {
      externalId: shortened(whole.externalId, bounds.externalId.max, `#${number}`),
    }),
    metadata: { ...whole.metadata, part, source_total_turns: whole.turns.length },
    turns: whole.turns.slice(start, end),
    losses: index === 0 ? losses.list() : [],
    place: index === 0 ? whole.place : (first?.place ?? whole.place),
  }
}

/** The index after the last turn of each part. */
function endsOf(turns: readonly Turn[], sizes: number[], maxTurns: number, maxBytes: number, losses: Losses): number[] {
  const ends: number[] = []
  const { byCut, always } = separatedCalls(turns, maxTurns)
  let start = 0
  while (start < turns.length) {
    let end = start
    for (let bytes = 0; end < turns.length && end - start < maxTurns; end++) {
      bytes += sizes[end] ?? 0
      if (bytes > maxBytes && end > start) break
    }
    if (end < turns.length) end = bestEnd(turns, byCut, start, end)
    ends.push(end)
    start = end
  }
  const separated = ends.slice(0, -1).reduce((sum, end) => sum + (byCut[end] ?? 0), always)
  if (ends.length > 1 && separated > 0) {
    losses.add('cut', 'call from its result', 'what lies between them is more than one upload may hold', separated)
  }
  return ends
}

/** Ends a part where it separates the fewest calls from their results: before a user's turn in its later half, else as late as possible. */
function bestEnd(turns: readonly Turn[], byCut: readonly number[], start: number, end: number): number {
  const least = Math.min(...byCut.slice(start + 1, end + 1))
  let latest = end
  for (let at = end; at > start; at--) {
    if (byCut[at] !== least) continue
    if (byCut[latest] !== least) latest = at
    if (turns[at]?.role === 'user' && at >= start + (end - start) / 2) return at
  }
  return latest
}

function sizeOf(turn: Turn): number {
  return utf8Length(JSON.stringify(uploadedTurn(turn))) + 1
}

/**
 * The number of calls that a cut before each turn separates from their results. Pairs more than `maxTurns` turns apart are
 * separated by any cuts, and are counted in `always` only.
 */
function separatedCalls(turns: readonly Turn[], maxTurns: number): { byCut: number[]; always: number } {
  const joined = joinedCalls(turns)
  const turnOf = new Map(joined.flatMap(({ callIds }, at) => callIds.map((id) => [id, at])))
  const steps = new Array<number>(turns.length + 1).fill(0)
  let always = 0
  for (const [at, { resultIds }] of joined.entries()) {
    for (const id of resultIds) {
      const call = id === undefined ? undefined : turnOf.get(id)
      if (call === undefined || call > at) continue
      if (at - call >= maxTurns) always++
      else {
        steps[call + 1] = (steps[call + 1] ?? 0) + 1
        steps[at + 1] = (steps[at + 1] ?? 0) - 1
      }
    }
  }
  let depth = 0
  const byCut = steps.map((step) => {
    depth += step
    return depth
  })
  return { byCut, always }
}

const encoder = new TextEncoder()
const utf8Length = (text: string): number => encoder.encode(text).length
const decoder = new TextDecoder()
const tooLarge = 'the service accepts 1 MB per turn; beginning and end are kept'

/**
 * Cut the content, arguments and results of a turn to at most this many bytes of UTF-8 each. Arguments and results that
 * are not text are cut as JSON text.
 */
function cutTurn(turn: Turn, maxBytes: number, losses: Losses): Turn {
  const content = cutText(turn.content, maxBytes)
  const calls = cutEach(turn.toolCalls, maxBytes, 'args')
  const results = cutEach(turn.toolResults, maxBytes, 'result')
  if (!content && !calls && !results) return turn
  const cut: Turn = { ...turn }
  if (content) {
    const { text, bytes, removed } = content
    losses.add('cut', `turn content over ${maxBytes} bytes`, tooLarge)
    cut.content = text
    cut.metadata = { ...turn.metadata, content_cut: { bytes, removed } }
  }
  if (calls) {
    losses.add('cut', `tool arguments over ${maxBytes} bytes`, tooLarge)
    cut.toolCalls = calls
  }
  if (results) {
    losses.add('cut', `tool result over ${maxBytes} bytes`, tooLarge)
    cut.toolResults = results
  }
  return cut
}

interface Cut {
  text: string
  bytes: number
  removed: number
}

/** Undefined if the text is short enough. */
function cutText(text: string, maxBytes: number): Cut | undefined {
  // A code unit has at most three bytes, so most texts need no encoding.
  if (text.length * 3 <= maxBytes) return undefined
  const bytes = encoder.encode(text)
  if (bytes.length <= maxBytes) return undefined
  const half = Math.floor((maxBytes - 100) / 2)
  const head = bytes.subarray(0, boundaryBefore(bytes, half))
  const tail = bytes.subarray(boundaryBefore(bytes, bytes.length - half))
  const removed = bytes.length - head.length - tail.length
  const shortText = `${decoder.decode(head)}\n[… ${removed} bytes removed …]\n${decoder.decode(tail)}`
  return { text: shortText, bytes: bytes.length, removed }
}

/** Undefined if nothing was cut. All calls or results of a turn share its limit. */
function cutEach<Each extends ToolCall | ToolResult>(
  list: readonly Each[] | undefined,
  maxBytes: number,
  field: keyof Each,
): Each[] | undefined {
  if (list === undefined) return undefined
  let isCut = false
  const each = list.map((item) => {
    const value = item[field]
    const cut = cutText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), maxBytes / list.length)
    isCut ||= cut !== undefined
    return cut ? { ...item, [field]: cut.text } : item
  })
  return isCut ? each : undefined
}

function boundaryBefore(bytes: Uint8Array, index: number): number {
  let at = index
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
