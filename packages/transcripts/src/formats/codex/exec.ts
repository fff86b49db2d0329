import {
  addItem,
  defineFormat,
  type FileRecord,
  type Format,
  placeIn,
  type Reader,
  type ReaderContext,
} from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, textOf, wordSet } from '../../json/index.js'
import { type ConversationDraft, ofType, type Place, reasons, within } from '../../model/index.js'
import { type CodexEvent, codexCompleted } from './event.js'
import { codexConversation } from './session.js'

export const codexExec: Format<'codex-exec'> = defineFormat({
  id: 'codex-exec',
  title: 'Codex exec stream',
  accepts: 'lines { "type": "thread.started" | "item.completed" | "turn.completed" | …, "item"? }',
  fields: ['type', 'thread_id', 'item', 'usage'],
  signature(value) {
    if (!isObject(value)) return 0
    const { type, item, thread_id: id } = value
    if (type === 'thread.started') return typeof id === 'string' ? 0.95 : 0.6
    if (typeof type !== 'string') return 0
    if (/^item\.(started|updated|completed)$/.test(type)) return isObject(item) && textOf(item.type) ? 0.95 : 0
    if (/^turn\.(started|completed|failed)$/.test(type)) return 'payload' in value ? 0 : 0.9
    return type === 'error' && typeof value.message === 'string' && Object.keys(value).length === 2 ? 0.3 : 0
  },
  recordsRepeat: true,
  structure: 'server',
  reader: (context) => new CodexExecReader(context),
})

class CodexExecReader implements Reader {
  readonly #context: ReaderContext
  #conversation: ConversationBuilder
  #start: Place | undefined
  #id: string | undefined
  readonly #open = new Map<unknown, { item: JsonObject; place: Place }>()

  constructor(context: ReaderContext) {
    this.#context = context
    this.#conversation = codexConversation(context)
  }

  read(record: FileRecord): readonly ConversationDraft[] {
    const { value } = record
    const fields = asObject(value)
    const place = placeIn(record)
    const id = fields.type === 'thread.started' ? textOf(fields.thread_id) : undefined
    const isNext = (id !== undefined && id !== this.#id) || this.#start?.member !== record.member
    // A resumed run starts the same thread again.
    const done = isNext && this.#start !== undefined ? this.end() : []
    this.#start ??= place
    if (id !== undefined) this.#id = id
    this.#read(fields, place)
    return done
  }

  broken(_: string, place: Place): void {
    this.#start ??= place
    this.#conversation.losses.drop('line that is not a JSON object', reasons.unreadable)
  }

  end(): readonly ConversationDraft[] {
    const place = this.#start
    if (place === undefined) return []
    for (const { item, place: at } of this.#open.values()) this.#addItem(item, at)
    const conversation = this.#conversation
    conversation.losses.drop('prompt', reasons.notInFile)
    const draft = conversation.build({ externalId: this.#id, place })
    this.#open.clear()
    this.#conversation = codexConversation(this.#context)
    this.#start = undefined
    this.#id = undefined
    if (draft.turns.length > 0) return [draft]
    const message = 'expected items of a run; found none with content'
    this.#context.report(message, place, 'nothing_said', conversation.origin)
    return []
  }

  #read(fields: JsonObject, place: Place): void {
    const { type, item, error, message } = fields
    if (isObject(item) && typeof type === 'string' && type.startsWith('item.')) {
      const at = within(place, 'item')
      if (type !== 'item.completed') this.#open.set(item.id, { item, place: at })
      else {
        this.#open.delete(item.id)
        this.#addItem(item, at)
      }
    } else if (type === 'turn.failed') this.#addError(isObject(error) ? error.message : message)
    else if (type === 'error') this.#addError(message)
    else if (!quiet.has(type))
      this.#conversation.losses.dropValue(
        fields,
        typeof type === 'string' ? ofType('event', type) : 'line of an unknown type',
      )
  }

  #addItem(item: JsonObject, place: Place): void {
    const { losses } = this.#conversation
    const { type } = item
    if (type === 'error') return this.#addError(item.message)
    if (type === 'todo_list') return losses.dropValue(item, 'to-do list')
    const event = type === 'reasoning' ? thought(item) : codexCompleted({ item: completedItem(item) })
    const { items = [], lost, repeats = [] } = event
    losses.noteEach(repeats)
    for (const each of items) addItem(each.item, { place, metadata: each.metadata }, this.#conversation)
    if (lost !== undefined) losses.dropValue(item, lost)
  }

  #addError(message: unknown): void {
    const error = textOf(message) ?? 'unknown'
    if (this.#conversation.size > 0) this.#conversation.addMetadata({ error })
    else this.#conversation.losses.dropValue(error, 'error before the first message', error.slice(0, 200))
  }
}

const quiet = wordSet('thread.started turn.started turn.completed')
function thought(item: JsonObject): CodexEvent {
  const { text } = item
  return {
    items: [{ item: { type: 'reasoning', summary: [{ type: 'summary_text', text }] } }],
  }
}

/** File changes are a list, and an error stands beside the result. */
function completedItem(item: JsonObject): JsonObject {
  const { status, error, aggregated_output: output } = item
  if (item.type === 'mcp_tool_call' && isObject(error)) return { ...item, result: { Err: error.message ?? error } }
  if (item.type === 'file_change') return { ...item, stdout: textOf(item.stdout) ?? textOf(status) }
  return status === 'in_progress' && output === '' ? { ...item, aggregated_output: undefined } : item
}
