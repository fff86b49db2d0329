import { type About, type Call, contentOf, type Result, Talk } from '../../conversation/index.js'
import type { JsonObject } from '../../json/index.js'
import { Losses, type Role } from '../../model/index.js'

/** One thing said, called or answered, kept to be done in a talk later. */
export interface Entry {
  /** The same for the same words, call or answer in another list, whoever wrote them down. */
  readonly key: string
  readonly role: Role
  readonly act: Act
  about: About
}

type Act =
  | { kind: 'say'; content: unknown }
  | { kind: 'think'; text: string }
  | { kind: 'call'; call: Call }
  | { kind: 'result'; result: Result }

/** Does in a talk what was kept. */
export function play({ act, role, about }: Entry, talk: Talk): void {
  if (act.kind === 'say') talk.say(role, act.content, about)
  else if (act.kind === 'think') talk.think(act.text, about)
  else if (act.kind === 'call') talk.call([act.call], about)
  else talk.result(act.result, about)
}

/** A call as a recorder keeps it. */
export function entryOfCall(call: Call, about: About): Entry {
  const key = typeof call.id === 'string' ? `call ${call.id}` : `call of ${markOf(call.name)}`
  return { key, role: 'assistant', act: { kind: 'call', call }, about }
}

/** An answer as a recorder keeps it. */
export function entryOfResult(result: Result, about: About): Entry {
  const output = typeof result.output === 'string' ? digest(result.output) : ''
  const key = typeof result.id === 'string' ? `result ${result.id}` : `result of ${markOf(result.name)} ${output}`
  return { key, role: 'tool', act: { kind: 'result', result }, about }
}

/** A talk that keeps what it is told, so that lists of messages can be compared and joined before they are said. */
export class Recorder extends Talk {
  readonly entries: Entry[] = []
  /** What comparing would count as lost is counted when it is said. */
  readonly #scratch = new Losses()

  override get size(): number {
    return this.entries.length
  }

  override say(role: Role, content: unknown, about: About): void {
    const { text, media } = contentOf(content, this.#scratch)
    const key = text === '' && media.length === 0 ? '' : `${role} ${digest(text)}`
    this.entries.push({ key, role, act: { kind: 'say', content }, about })
  }

  override think(text: string, about: About): void {
    this.entries.push({ key: '', role: 'assistant', act: { kind: 'think', text }, about })
  }

  override call(calls: readonly Call[], about: About): void {
    for (const call of calls) this.entries.push(entryOfCall(call, about))
  }

  override result(result: Result, about: About): void {
    this.entries.push(entryOfResult(result, about))
  }

  override note(metadata: JsonObject): void {
    const last = this.entries.at(-1)
    if (last) last.about = { ...last.about, metadata: { ...last.about.metadata, ...metadata } }
  }
}

/** A name or an id as text; a file may have anything in its place, also what no text can be made of. */
export function markOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'object' : String(value)
}

/** Enough of a text to tell it from others, however long it is. */
function digest(text: string): string {
  const trimmed = text.trim()
  return `${trimmed.length} ${trimmed.slice(0, 80)}${trimmed.length > 80 ? trimmed.slice(-40) : ''}`
}
