import type { Source } from './codex-line.js'
import { type Track, textsOf } from './codex-sources.js'
import type { JsonObject } from './json.js'
import type { Place } from './turn.js'

/** Something said or done. A session may have very many, so each takes as little as it can. */
export interface Entry {
  /** Its track, its source and its task as one number: see `trackIn`, `sourceIn`, `taskIn`. */
  kind: number
  /** The text alone where it is all of a message of the user or the assistant. */
  item: JsonObject | string
  place: Place
  at: unknown
  metadata?: JsonObject
}

const tracks: readonly Track[] = ['user', 'injected', 'assistant', 'system', 'thinking', 'tools']

/** The entry of an item that a source told in a task: tasks are counted, each begun by something the user said. */
export function entryOf(
  { track, source, task }: { track: Track; source: Source; task: number },
  whole: JsonObject,
  { place, at, metadata }: { place: Place; at: unknown; metadata: JsonObject | undefined },
): Entry {
  const kind = (task * 4 + source) * 8 + tracks.indexOf(track)
  const item = slimmed(whole, track)
  return metadata === undefined ? { kind, item, place, at } : { kind, item, place, at, metadata }
}

export const trackIn = ({ kind }: Entry): Track => tracks[kind % 8] as Track
export const sourceIn = ({ kind }: Entry): Source => (Math.floor(kind / 8) % 4) as Source
export const taskIn = ({ kind }: Entry): number => Math.floor(kind / 32)

/** What is kept of an item: of most messages the text, for the track tells the rest. */
function slimmed(item: JsonObject, track: Track): JsonObject | string {
  if (track === 'thinking' && isEmpty(item.summary) && isEmpty(item.content)) return silentThought
  const isPlain = track === 'assistant' || ((track === 'user' || track === 'injected') && item.role === 'user')
  return isPlain && typeof item.content === 'string' ? item.content : item
}

/** All of a thought of which the log tells nothing. */
export const silentThought: JsonObject = { type: 'reasoning', summary: [], content: undefined }

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** The item of an entry as it came. */
export function itemOf(entry: Entry): JsonObject {
  const { item } = entry
  if (typeof item !== 'string') return item
  return { type: 'message', role: trackIn(entry) === 'assistant' ? 'assistant' : 'user', content: item }
}

/** The texts that an entry says. */
export function saidIn({ item }: Entry): string[] {
  return typeof item === 'string' ? [item] : textsOf(item)
}
