import {
  ConversationBuilder,
  contentOf,
  type MessageContext,
  type ToolCallInput,
  type ToolResultInput,
} from '../../conversation/index.js'
import type { JsonObject } from '../../json/index.js'
import { Losses, type Role } from '../../model/index.js'

/** One thing said, called or answered, kept to be done in a conversation later. */
export interface Entry {
  /** The same for the same words, call or answer in another list, whoever wrote them down. */
  readonly key: string
  readonly role: Role
  readonly action: Action
  context: MessageContext
}

type Action =
  | { kind: 'say'; content: unknown }
  | { kind: 'think'; text: string }
  | { kind: 'call'; call: ToolCallInput }
  | { kind: 'result'; result: ToolResultInput }

/** Does in a conversation what was kept. */
export function replay({ action, role, context }: Entry, conversation: ConversationBuilder): void {
  if (action.kind === 'say') conversation.addMessage(role, action.content, context)
  else if (action.kind === 'think') conversation.addThinking(action.text, context)
  else if (action.kind === 'call') conversation.addToolCalls([action.call], context)
  else conversation.addToolResult(action.result, context)
}

/** A call as a recorder keeps it. */
export function entryOfCall(call: ToolCallInput, context: MessageContext): Entry {
  const key = typeof call.id === 'string' ? `call ${call.id}` : `call of ${markOf(call.name)}`
  return { key, role: 'assistant', action: { kind: 'call', call }, context }
}

/** An answer as a recorder keeps it. */
export function entryOfResult(result: ToolResultInput, context: MessageContext): Entry {
  const output = typeof result.output === 'string' ? digest(result.output) : ''
  const key = typeof result.id === 'string' ? `result ${result.id}` : `result of ${markOf(result.name)} ${output}`
  return { key, role: 'tool', action: { kind: 'result', result }, context }
}

/** A conversation that keeps what it is told, so that lists of messages can be compared and joined before they are said. */
export class Recorder extends ConversationBuilder {
  readonly entries: Entry[] = []
  /** What comparing would count as lost is counted when it is said. */
  readonly #scratch = new Losses()

  override get size(): number {
    return this.entries.length
  }

  override addMessage(role: Role, content: unknown, context: MessageContext): void {
    const { text, media } = contentOf(content, this.#scratch)
    const key = text === '' && media.length === 0 ? '' : `${role} ${digest(text)}`
    this.entries.push({ key, role, action: { kind: 'say', content }, context })
  }

  override addThinking(text: string, context: MessageContext): void {
    this.entries.push({ key: '', role: 'assistant', action: { kind: 'think', text }, context })
  }

  override addToolCalls(calls: readonly ToolCallInput[], context: MessageContext): void {
    for (const call of calls) this.entries.push(entryOfCall(call, context))
  }

  override addToolResult(result: ToolResultInput, context: MessageContext): void {
    this.entries.push(entryOfResult(result, context))
  }

  override addMetadata(metadata: JsonObject): void {
    const last = this.entries.at(-1)
    if (last) last.context = { ...last.context, metadata: { ...last.context.metadata, ...metadata } }
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
