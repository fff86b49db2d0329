import { isInjected } from './codex-injected.js'
import type { Source } from './codex-line.js'
import { isObject, type JsonObject, textOf } from './json.js'

/** What is told by several sources at once. */
export type Track = 'user' | 'injected' | 'assistant' | 'system' | 'thinking' | 'tools'

export function trackOf({ type, role, content }: JsonObject): Track {
  if (type === 'reasoning') return 'thinking'
  if (type !== 'message') return 'tools'
  if (role === 'assistant') return 'assistant'
  if (role !== 'user') return 'system'
  return isInjected(textsOf({ content })[0] ?? '') ? 'injected' : 'user'
}

/** None is better. */
const bestSource: Source = 3
const tracks: readonly Track[] = ['user', 'injected', 'assistant', 'system', 'thinking']

/**
 * The best source of each thing. Of what is said it is the best of its track in the task or in those before: a log does
 * not go back to telling less. Calls and answers are one by one the same by their id; what only an event tells of tools
 * counts in a task in which no item bears the id of a call, for else it happened inside another call.
 */
export class BestSources {
  /** By what it is and the task in which it is told. */
  readonly #best = new Map<string, Map<number, Source>>()
  /** By the ids of calls, which may be very many, that of the call and four times that of its answer. */
  readonly #tools = new Map<string, number>()

  /** Takes note of a source; whether none before it was better. */
  offer(track: Track, item: JsonObject, task: number, source: Source): boolean {
    const kind = kindOf(track, item)
    const best = kind === undefined ? this.#setOne(item, source) : this.#set(kind, task, source)
    if (track === 'tools' && isCall(item) && idOf(item) !== undefined) this.#set('calls', task, source)
    return best <= source
  }

  /** Makes what was best in a task the least for the next. */
  carry(task: number): void {
    for (const track of tracks) {
      const best = this.#best.get(track)?.get(task)
      if (best !== undefined) this.#set(track, task + 1, best)
    }
  }

  /** True if a better source tells the same. */
  isRepeated(track: Track, item: JsonObject, task: number, source: Source): boolean {
    if (source === bestSource) return false
    const kind = kindOf(track, item)
    if (kind !== undefined) return (this.#best.get(kind)?.get(task) ?? 0) > source
    return this.#one(isCall(item), item) > source
  }

  /** True if it is of a call that a better source should tell and does not. */
  isAside(item: JsonObject, task: number, source: Source): boolean {
    if (source === bestSource || (this.#best.get('calls')?.get(task) ?? 0) <= source) return false
    return isCall(item) || isSearch(item) || this.#one(true, item) <= source
  }

  /** The best source of a call, or of its answer. */
  #one(ofCall: boolean, item: JsonObject): Source | 0 {
    const both = this.#tools.get(idOf(item) ?? '') ?? 0
    return (ofCall ? both % 4 : both >> 2) as Source | 0
  }

  /** Gives what was best before, as `#set` does. */
  #setOne(item: JsonObject, source: Source): Source | 0 {
    const id = idOf(item) ?? ''
    const best = this.#one(isCall(item), item)
    if (best < source) this.#tools.set(id, (this.#tools.get(id) ?? 0) + (source - best) * (isCall(item) ? 1 : 4))
    return best
  }

  /** Gives what was best before. */
  #set(kind: string, task: number, source: Source): Source | 0 {
    let tasks = this.#best.get(kind)
    if (tasks === undefined) {
      tasks = new Map()
      this.#best.set(kind, tasks)
    }
    const best = tasks.get(task) ?? 0
    if (best < source) tasks.set(task, source)
    return best
  }
}

/** What is told by the best source of a task; undefined for what is known one by one, by its id. */
function kindOf(track: Track, item: JsonObject): string | undefined {
  if (track !== 'tools') return track
  // A search bears another id as an item than as an event, or none.
  if (isSearch(item)) return 'web_search'
  return idOf(item) === undefined ? (textOf(item.type) ?? '') : undefined
}

function idOf({ call_id, id }: JsonObject): string | undefined {
  return textOf(call_id) ?? textOf(id)
}

function isSearch({ type, name }: JsonObject): boolean {
  return type === 'web_search_call' || name === 'web_search'
}

export function isCall({ type }: JsonObject): boolean {
  return typeof type === 'string' && !type.endsWith('_output')
}

/** The texts of a message. */
export function textsOf({ content }: JsonObject): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  const texts: string[] = []
  for (const part of content) if (isObject(part) && typeof part.text === 'string') texts.push(part.text)
  return texts
}

/** A number that tells texts apart: of their length and the start of them. */
export function markOf(texts: readonly string[]): number {
  const text = (texts.length === 1 ? (texts[0] ?? '') : texts.join('\n')).trim()
  let mark = text.length
  for (let at = 0; at < text.length && at < 250; at++) mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193)
  return mark
}
