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
  readonly #best = new Map<string, Source>()
  /** Of calls and of answers, by their ids, which may be very many. */
  readonly #calls = new Map<string, Source>()
  readonly #answers = new Map<string, Source>()

  /** Takes note of a source; whether none before it was better. */
  offer(track: Track, item: JsonObject, task: number, source: Source): boolean {
    const [sources, key] = this.#placeOf(track, item, task)
    const best = sources.get(key) ?? 0
    if (best < source) sources.set(key, source)
    if (track === 'tools' && isCall(item) && idOf(item) !== undefined) this.#set(`calls ${task}`, source)
    return best <= source
  }

  /** Makes what was best in a task the least for the next. */
  carry(task: number): void {
    for (const track of tracks) {
      const best = this.#best.get(`${track} ${task}`)
      if (best !== undefined) this.#set(`${track} ${task + 1}`, best)
    }
  }

  /** Whether a better source tells the same. */
  isRepeated(track: Track, item: JsonObject, task: number, source: Source): boolean {
    if (source === bestSource) return false
    const [sources, key] = this.#placeOf(track, item, task)
    return (sources.get(key) ?? 0) > source
  }

  /** Whether it is of a call that a better source should tell and does not. */
  isAside(item: JsonObject, task: number, source: Source): boolean {
    if (source === bestSource || (this.#best.get(`calls ${task}`) ?? 0) <= source) return false
    return isCall(item) || isSearch(item) || (this.#calls.get(idOf(item) ?? '') ?? 0) <= source
  }

  #placeOf(track: Track, item: JsonObject, task: number): [sources: Map<string, Source>, key: string] {
    if (track !== 'tools') return [this.#best, `${track} ${task}`]
    // A search bears another id as an item than as an event, or none.
    if (isSearch(item)) return [this.#best, `web_search ${task}`]
    const id = idOf(item)
    if (id === undefined) return [this.#best, `${textOf(item.type) ?? ''} ${task}`]
    return [isCall(item) ? this.#calls : this.#answers, id]
  }

  #set(key: string, source: Source): void {
    if ((this.#best.get(key) ?? 0) < source) this.#best.set(key, source)
  }
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
  return content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
}

/** A number that tells texts apart: of their length and the start of them. */
export function markOf(texts: readonly string[]): number {
  const text = (texts.length === 1 ? (texts[0] ?? '') : texts.join('\n')).trim()
  let mark = text.length
  for (let at = 0; at < text.length && at < 250; at++) mark = Math.imul(mark ^ text.charCodeAt(at), 0x01000193)
  return mark
}
