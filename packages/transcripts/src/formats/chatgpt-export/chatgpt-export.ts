import {
  countUnknownRole,
  defineFormat,
  eachRecord,
  type Format,
  isShell,
  pathOf,
  type ReaderContext,
  shellScore,
} from '../../contract/index.js'
import { ConversationBuilder, type MessageContext, parseJsonText } from '../../conversation/index.js'
import {
  asList,
  asObject,
  isObject,
  type JsonObject,
  objectsOf,
  textOf,
  textsAt,
  wordMap,
  wordSet,
} from '../../json/index.js'
import { type ConversationDraft, ofType, type Place, reasons, within } from '../../model/index.js'

/** The fields of a conversation, by which one without messages is known. */
const conversation = wordSet(
  'title create_time update_time current_node conversation_id id default_model_slug gizmo_id gizmo_type conversation_template_id is_archived is_starred conversation_origin async_status voice memory_scope mapping',
)

/** ChatGPT data export: each conversation is a tree of messages. */
export const chatgptExport: Format<'chatgpt-export'> = defineFormat({
  id: 'chatgpt-export',
  title: 'ChatGPT data export',
  accepts: '[{ "title", "create_time", "current_node", "mapping": { id: { "message", "parent", "children" } } }]',
  fields: ['mapping', 'current_node', 'conversation_id', 'create_time', 'title', 'default_model_slug'],
  // Many exports have conversations that were opened and left.
  skipsEmpty: true,
  signature(value) {
    if (isShell(value, conversation, 'mapping')) return shellScore
    if (!isObject(value) || !isObject(value.mapping)) return 0
    const nodes = objectsOf(Object.values(value.mapping).slice(0, 5))
    // DeepSeek has such a tree, but other messages.
    if (nodes.some(({ message }) => isObject(message) && !isObject(message.author))) return 0
    if ('current_node' in value || 'conversation_id' in value) return 0.95
    return nodes.some((node) => 'message' in node) ? 0.9 : 0
  },
  structure: 'timestamp_ memory_scope parent children current_node recipient channel language response_format_name',
  reader: (context) => eachRecord(chatgptExport, context, readConversation),
})

function readConversation(value: JsonObject, place: Place, context: ReaderContext): ConversationDraft[] | undefined {
  if (isShell(value, conversation, 'mapping')) return [new ConversationBuilder(context).build({ place })]
  if (!isObject(value.mapping)) return undefined
  const tree = chatgptTree(value.mapping, value.current_node)
  const id = textOf(value.conversation_id) ?? textOf(value.id)
  const main = readPath(tree.shown, tree.nodes, place, context)
  for (const message of context.options.branches ? [] : othersOf(tree.nodes, tree.shown)) {
    main.losses.dropValue(message, 'message of another branch', reasons.branches)
  }
  const drafts = [draftOf(main, value, place, id)]
  for (const end of context.options.branches ? tree.otherEnds : []) {
    const conversation = readPath(tree.pathTo(end), tree.nodes, place, context)
    drafts.push(draftOf(conversation, value, place, id === undefined ? undefined : `${id}/${end}`, { branch: end }))
  }
  return drafts
}

type Nodes = ReadonlyMap<string, JsonObject>

function readPath(ids: readonly string[], nodes: Nodes, place: Place, context: ReaderContext): ConversationBuilder {
  const conversation = new ConversationBuilder(context)
  for (const id of ids) {
    const message = nodes.get(id)?.message
    if (isObject(message)) addChatgptMessage(message, within(place, 'mapping', id, 'message'), conversation)
  }
  return conversation
}

/** The messages, without system messages, outside the shown path. */
function othersOf(nodes: Nodes, shown: readonly string[]): unknown[] {
  const isShown = new Set(shown)
  return [...nodes].flatMap(([id, { message }]) => (!isShown.has(id) && isCounted(message) ? [message] : []))
}

function isCounted(message: unknown): boolean {
  return isObject(message) && isObject(message.author) && message.author.role !== 'system'
}

function draftOf(
  conversation: ConversationBuilder,
  value: JsonObject,
  place: Place,
  id: string | undefined,
  more: JsonObject = {},
): ConversationDraft {
  const metadata: JsonObject = { ...more }
  for (const field of ['gizmo_id', 'conversation_template_id', 'is_archived', 'is_starred']) {
    const fact = value[field]
    if (fact === true || textOf(fact) !== undefined) metadata[field] = fact
  }
  const draft = conversation.build({
    name: textOf(value.title),
    externalId: id,
    metadata,
    sourceTimestamp: conversation.time(value.create_time),
    place,
  })
  // Old messages have no model.
  conversation.losses.note(textOf(value.default_model_slug))
  const slug = textOf(value.default_model_slug)?.slice(0, 100)
  if (slug === undefined || draft.modelName === slug) return draft
  return draft.modelName === undefined
    ? { ...draft, modelName: slug }
    : { ...draft, metadata: { ...draft.metadata, default_model: slug } }
}

const chatgptRole = wordMap({ user: 'user', assistant: 'assistant', tool: 'tool', system: 'system' })

const chatgptFields = wordSet(
  'id author create_time update_time content status end_turn weight metadata recipient channel',
)

/** Add a message. One with a recipient other than `all` is a tool call without an id. */
function addChatgptMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const content = isObject(message.content) ? message.content : { parts: [message.content ?? ''] }
  const author = asObject(message.author)
  const facts = asObject(message.metadata)
  const context = contextOf(message, facts, place)
  conversation.losses.addFields(message, chatgptFields, 'message ')
  const type = content.content_type
  if (type === 'thoughts' || type === 'reasoning_recap') {
    for (const thought of thoughtsIn(content)) {
      conversation.losses.noteEach(thought)
      conversation.addThinking(thought.join('\n'), context)
    }
    return
  }
  const injected = injectedIn(content, facts)
  if (injected) {
    const { kind, text, repeats } = injected
    conversation.losses.note(text, ...repeats)
    if (text === '') return
    return conversation.addMessage('system', text, {
      ...context,
      visible: false,
      metadata: { ...context.metadata, kind },
    })
  }
  const role = chatgptRole.get(author.role)
  const kind = textOf(author.role) ?? 'unknown'
  if (textOf(author.role) === undefined) countUnknownRole('system', conversation.losses)
  const parts = [...partsOf(content, conversation), ...attachmentsOf(facts)]
  const isEmpty = parts.every((part) => part.text?.trim() === '')
  if (isEmpty && author.role === 'system') return
  if (isEmpty) conversation.addMessage(role ?? 'system', '', context)
  else if (role === 'tool') conversation.addToolResult({ name: author.name, output: parts }, context)
  else if (role === 'assistant' && isCall(message.recipient)) {
    const text = parts.map((part) => part.text ?? '').join('\n')
    conversation.addToolCalls([{ name: message.recipient, args: argumentsOf(text, type), raw: true }], context)
  } else if (role !== undefined) conversation.addMessage(role, parts, context)
  else conversation.addMessage('system', parts, { ...context, metadata: { ...context.metadata, kind } })
  for (const citation of asList(facts.citations)) conversation.losses.dropValue(citation, 'citation')
}

function contextOf(message: JsonObject, facts: JsonObject, place: Place): MessageContext {
  const isHidden = message.weight === 0 || facts.is_visually_hidden_from_conversation === true
  const finish = textOf(asObject(facts.finish_details).type)
  return {
    place,
    at: message.create_time,
    model: facts.model_slug,
    visible: isHidden ? false : undefined,
    metadata: finish === undefined || finish === 'stop' || finish === 'unknown' ? undefined : { finish_reason: finish },
  }
}

const isCall = (recipient: unknown) => textOf(recipient) !== undefined && recipient !== 'all'

/** Arguments are JSON, code or text. */
function argumentsOf(text: string, type: unknown): unknown {
  const args = /^\s*[[{]/.test(text) ? parseJsonText(text, 1) : text
  return args === text && type === 'code' ? { code: text } : args
}

function thoughtsIn({ thoughts, content }: JsonObject): string[][] {
  if (!Array.isArray(thoughts)) return typeof content === 'string' ? [[content]] : []
  return thoughts.flatMap((thought) => {
    const parts = isObject(thought) ? [textOf(thought.summary), textOf(thought.content)] : [textOf(thought)]
    const texts = parts.filter((each) => each !== undefined)
    return texts.length === 0 ? [] : [texts]
  })
}

/** Custom instructions and memory apply to every conversation and are not part of this one. */
function injectedIn(content: JsonObject, facts: JsonObject) {
  const type = content.content_type
  if (type === 'model_editable_context')
    return { kind: 'memory', text: texts(content, ['model_set_context']), repeats: [] }
  if (type !== 'user_editable_context' && facts.is_user_system_message !== true) return undefined
  const profile = asObject(facts.user_context_message_data)
  const own = texts(content, ['user_profile', 'user_instructions', 'text'])
  const parts = asList(content.parts).flatMap((part) => textOf(part) ?? [])
  const text = own || parts.join('\n') || texts(profile, ['about_user_message', 'about_model_message'])
  const given = [...parts, ...Object.values(content), ...Object.values(profile)]
  const repeats = given.filter((each) => typeof each === 'string' && text.includes(each))
  return { kind: 'custom_instructions', text, repeats }
}

function texts(fields: JsonObject, names: readonly string[]): string {
  return Object.values(textsAt(fields, names)).join('\n')
}

/** A content part; `text` only if it is a text. */
type Part = JsonObject & { text?: string }

function partsOf(content: JsonObject, conversation: ConversationBuilder): Part[] {
  const type = textOf(content.content_type) ?? 'unknown'
  if (Array.isArray(content.parts)) return content.parts.filter((part) => part !== '' && part !== null).map(partOf)
  if (type === 'tether_quote') return [textPart(texts(content, ['title', 'url', 'text']))]
  if (type === 'system_error') return [textPart(texts(content, ['name', 'text']))]
  const distinct = new Set(Object.values(textsAt(content, ['text', 'summary', 'result', 'content'])))
  if (distinct.size > 0) return [textPart([...distinct].join('\n'))]
  if (Object.keys(content).length > 1 && !('text' in content || 'result' in content)) {
    conversation.losses.dropValue(content, ofType('content', type))
  }
  return []
}

const textPart = (text: string): Part => ({ type: 'text', text })

/** Images and audio are pointers to files of the export. */
function partOf(part: unknown): Part {
  if (!isObject(part)) return textPart(typeof part === 'string' ? part : JSON.stringify(part))
  if (typeof part.text === 'string') return textPart(part.text)
  const { text: _, asset_pointer: pointer, content_type: type, ...rest } = part
  if (typeof pointer !== 'string') return { ...rest, type: typeof type === 'string' ? type : 'unknown' }
  return { type: type ?? 'file', image_url: pointer, size_bytes: part.size_bytes }
}

/** Attached files. Images are among the parts as well. */
function attachmentsOf({ attachments }: JsonObject): Part[] {
  return objectsOf(attachments).flatMap(({ mimeType, mime_type, name, size }) => {
    const mime = textOf(mimeType) ?? textOf(mime_type)
    return mime?.startsWith('image/') ? [] : { type: 'file', name, mime_type: mime, size_bytes: size }
  })
}

/** The nodes, the path to the last shown message, and the ends of the other branches in the order of the file. */
function chatgptTree(mapping: JsonObject, current: unknown) {
  const nodes = new Map<string, JsonObject>()
  for (const id of Object.keys(mapping)) if (isObject(mapping[id])) nodes.set(id, mapping[id])
  const parents = parentsOf(nodes)
  const pathTo = (id: string): string[] => [...pathOf(id, parents)].reverse()
  const named = new Set(parents.values())
  const ends = [...nodes.keys()].filter((id) => !named.has(id))
  const last = typeof current === 'string' && nodes.has(current) ? current : newest(ends, nodes)
  const shown = last === undefined ? [] : pathTo(last)
  const isShown = new Set(shown)
  return { nodes, shown, otherEnds: ends.filter((id) => !isShown.has(id)), pathTo }
}

/** `children` is empty or wrong in some files, so it counts only for a node without the field `parent`, which is null at the root. */
function parentsOf(nodes: Nodes): Map<string, string> {
  const parents = new Map<string, string>()
  for (const [id, { parent }] of nodes) if (typeof parent === 'string' && nodes.has(parent)) parents.set(id, parent)
  for (const [id, { children }] of nodes) {
    for (const child of asList(children)) {
      const isFree = typeof child === 'string' && nodes.get(child)?.parent === undefined && nodes.has(child)
      if (isFree && child !== id && !parents.has(child)) parents.set(child, id)
    }
  }
  return parents
}

/** The branch end with the latest message; without times, the last in the file. */
function newest(ends: readonly string[], nodes: Nodes): string | undefined {
  let found: string | undefined
  let latest = Number.NEGATIVE_INFINITY
  for (const id of ends.length > 0 ? ends : nodes.keys()) {
    const message = nodes.get(id)?.message
    const time = isObject(message) && typeof message.create_time === 'number' ? message.create_time : 0
    const at = isObject(message) ? time : -1
    if (at < latest) continue
    latest = at
    found = id
  }
  return found
}
