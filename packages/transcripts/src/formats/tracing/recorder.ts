import type { Report } from '../../contract/index.js'
import {
  ConversationBuilder,
  contentOf,
  type MessageContext,
  type ToolCallInput,
  type ToolResultInput,
} from '../../conversation/index.js'
import type { JsonObject } from '../../json/index.js'
import { type Account, Losses, quietContext, type Role } from '../../model/index.js'

/** A message, thinking, call or result, recorded to be added to a conversation later. */
export interface Entry {
  /** Equal for equal content in different lists; empty if it is not compared. */
  readonly key: string
  readonly role: Role
  readonly action: Action
  context: MessageContext
  /** See `Placed`. */
  isGuess?: boolean
}

type Action =
  | { kind: 'say'; content: unknown }
  | { kind: 'think'; text: string }
  | { kind: 'call'; call: ToolCallInput; of: Role }
  | { kind: 'result'; result: ToolResultInput }

export function replay({ action, role, context }: Entry, conversation: ConversationBuilder): void {
  if (action.kind === 'say') conversation.addMessage(role, action.content, context)
  else if (action.kind === 'think') conversation.addThinking(action.text, context)
  else if (action.kind === 'call') conversation.addToolCalls([action.call], context, action.of)
  else conversation.addToolResult(action.result, context)
}

/** `of`: the role of its message. */
export function entryOfCall(call: ToolCallInput, context: MessageContext, of: Role = 'assistant'): Entry {
  const key = typeof call.id === 'string' ? `call ${call.id}` : `call of ${markOf(call.name)}`
  return { key, role: 'assistant', action: { kind: 'call', call, of }, context }
}

export function entryOfResult(result: ToolResultInput, context: MessageContext): Entry {
  const output = typeof result.output === 'string' ? digest(result.output) : ''
  const key = typeof result.id === 'string' ? `result ${result.id}` : `result of ${markOf(result.name)} ${output}`
  return { key, role: 'tool', action: { kind: 'result', result }, context }
}

/** Records entries, so that lists of messages can be compared and joined before they become turns. */
export class Recorder extends ConversationBuilder {
  readonly entries: Entry[] = []
  /** Losses found while comparing; they are counted when the entry is replayed. */
  readonly #scratch: Losses
  /** A message that no shape can read is a loss and does not end the import. */
  override readonly report: Report = (message) => this.losses.drop('message that cannot be read', message)

  constructor(account: Account) {
    super(quietContext({ account }))
    this.#scratch = new Losses(account)
  }

  override addMessage(role: Role, content: unknown, context: MessageContext): void {
    const { text, media } = contentOf(content, this.#scratch)
    const key = text === '' && media.length === 0 ? '' : `${role} ${digest(text)}`
    this.entries.push({ key, role, action: { kind: 'say', content }, context })
  }

  override addThinking(text: string, context: MessageContext): void {
    this.losses.note(text)
    this.entries.push({ key: '', role: 'assistant', action: { kind: 'think', text }, context })
  }

  override addToolCalls(calls: readonly ToolCallInput[], context: MessageContext, role?: Role): void {
    for (const call of calls) {
      this.losses.noteAll([call.name, call.args])
      this.entries.push(entryOfCall(call, context, role))
    }
  }

  override addToolResult(result: ToolResultInput, context: MessageContext): void {
    this.losses.noteAll([result.name, result.output])
    this.entries.push(entryOfResult(result, context))
  }

  override addMetadata(metadata: JsonObject): void {
    const last = this.entries.at(-1)
    if (last) last.context = { ...last.context, metadata: { ...last.context.metadata, ...metadata } }
  }
}

/** A name or id as text. A file may have any value in its place, even one without a text form. */
export function markOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'object' : String(value)
}

/** A short text that identifies a long one. */
function digest(text: string): string {
  const trimmed = text.trim()
  return `${trimmed.length} ${trimmed.slice(0, 80)}${trimmed.length > 80 ? trimmed.slice(-40) : ''}`
}
