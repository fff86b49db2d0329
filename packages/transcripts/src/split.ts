import { cutTurn } from './cut-turn.js'
import { joinedTurns } from './joined-turns.js'
import { shortened, utf8Length } from './lengths.js'
import { Losses } from './losses.js'
import { toUpload } from './to-upload.js'
import type { Transcript } from './transcript.js'
import type { Turn } from './turn.js'

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
