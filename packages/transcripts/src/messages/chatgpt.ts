import { countSentences } from '../facts.js'
import { isObject, type JsonObject, textOf } from '../json.js'
import { fieldsOf, type Known, noPlace } from '../losses.js'
import type { About, Talk } from '../talk.js'
import type { Place, Role } from '../turn.js'

const roleOf: ReadonlyMap<unknown, Role> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['system', 'system'],
])

const messageFields = new Set(
  'id author create_time update_time content status end_turn weight metadata recipient channel'.split(' '),
)

/** The fields that are read of a message's metadata, and what repeats its words. */
const readFacts = new Set(
  'citations content_references attachments user_context_message_data finish_details'.split(' '),
)

/** Says a message of the ChatGPT export in a talk. One to a recipient other than all is a call, and has no id. */
export function sayChatgptMessage(message: JsonObject, place: Place, talk: Talk): void {
  const content = isObject(message.content) ? message.content : { parts: [message.content ?? ''] }
  const author = isObject(message.author) ? message.author : {}
  const facts = isObject(message.metadata) ? message.metadata : {}
  const about = aboutOf(message, facts, place)
  talk.losses.addFields(message, messageFields, 'message ')
  if (!isObject(message.metadata)) talk.losses.addTexts({ metadata: message.metadata }, new Set(), 'message ')
  countSentences(facts, readFacts, 'message metadata ', talk.losses)
  const type = content.content_type
  talk.losses.addTexts(content, contentFieldsOf(content), 'content ')
  if (type === 'thoughts' || type === 'reasoning_recap') {
    for (const thought of thoughtsIn(content)) talk.think(thought, about)
    return
  }
  const injected = injectedIn(content, facts)
  if (injected) {
    const { kind, text } = injected
    if (text !== '') talk.say('system', text, { ...about, visible: false, metadata: { ...about.metadata, kind } })
    return
  }
  const role = roleOf.get(author.role)
  const parts = [...partsOf(content, talk), ...attachmentsOf(facts)]
  const isEmpty = parts.every((part) => part.text?.trim() === '')
  if (isEmpty && author.role === 'system') return
  if (isEmpty) talk.losses.add('dropped', 'empty message', 'the service wants content')
  else if (role === 'tool') talk.result({ name: author.name, output: parts }, about)
  else if (role === 'assistant' && isCall(message.recipient)) {
    const text = parts.map((part) => part.text ?? '').join('\n')
    talk.call([{ name: message.recipient, args: argumentsOf(text, type), raw: true }], about)
  } else if (role !== undefined) talk.say(role, parts, about)
  else talk.say('system', parts, { ...about, metadata: { ...about.metadata, kind: textOf(author.role) ?? 'unknown' } })
  const { citations } = facts
  if (Array.isArray(citations) && citations.length > 0) {
    talk.losses.add('dropped', 'citation', noPlace, citations.length)
  }
}

function aboutOf(message: JsonObject, facts: JsonObject, place: Place): About {
  const isHidden = message.weight === 0 || facts.is_visually_hidden_from_conversation === true
  const finish = isObject(facts.finish_details) ? textOf(facts.finish_details.type) : undefined
  return {
    place,
    at: message.create_time,
    model: facts.model_slug,
    visible: isHidden ? false : undefined,
    metadata: finish === undefined || finish === 'stop' || finish === 'unknown' ? undefined : { finish_reason: finish },
  }
}

const isCall = (recipient: unknown) => typeof recipient === 'string' && recipient !== '' && recipient !== 'all'

/** What is called with is JSON, or code, or a text. */
function argumentsOf(text: string, type: unknown): unknown {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // It only begins like JSON.
    }
  }
  return type === 'code' ? { code: text } : text
}

function thoughtsIn({ thoughts, content }: JsonObject): string[] {
  if (!Array.isArray(thoughts)) return typeof content === 'string' ? [content] : []
  return thoughts.flatMap((thought) => {
    const told = isObject(thought) ? [textOf(thought.summary), textOf(thought.content)] : [textOf(thought)]
    const text = told.filter((each) => each !== undefined).join('\n')
    return text === '' ? [] : [text]
  })
}

/** What the user, or the model's memory, says about every talk: it is no part of this one's words. */
function injectedIn(content: JsonObject, facts: JsonObject): { kind: string; text: string } | undefined {
  const type = content.content_type
  if (type === 'model_editable_context') return { kind: 'memory', text: texts(content, ['model_set_context']) }
  if (type !== 'user_editable_context' && facts.is_user_system_message !== true) return undefined
  const told = isObject(facts.user_context_message_data) ? facts.user_context_message_data : {}
  const own = texts(content, ['user_profile', 'user_instructions', 'text'])
  const parts = Array.isArray(content.parts) ? content.parts.filter((part) => typeof part === 'string').join('\n') : ''
  const text = own || parts || texts(told, ['about_user_message', 'about_model_message'])
  return { kind: 'custom_instructions', text }
}

function texts(fields: JsonObject, names: readonly string[]): string {
  return textsIn(fields, names).join('\n')
}

/** The fields that are read of a content: its parts, or the fields that its type has. */
function contentFieldsOf({ content_type: type, parts }: JsonObject): Known {
  if (type === 'thoughts' || type === 'reasoning_recap') return thoughtFields
  if (type === 'user_editable_context') return profileFields
  if (type === 'model_editable_context') return memoryFields
  if (Array.isArray(parts)) return partsFields
  return type === 'tether_quote' ? quoteFields : type === 'system_error' ? errorFields : wordsFields
}

const partsFields = fieldsOf('content_type parts language response_format_name')
const thoughtFields = fieldsOf('content_type content source_analysis_msg_id', { thoughts: fieldsOf('summary content') })
const profileFields = fieldsOf('content_type user_profile user_instructions text parts')
const memoryFields = fieldsOf('content_type model_set_context')
const quoteFields = fieldsOf('content_type title url text domain tether_id')
const errorFields = fieldsOf('content_type name text')
const wordsFields = fieldsOf('content_type text summary result content language response_format_name')

const wordFields = ['text', 'summary', 'result', 'content']

function textsIn(fields: JsonObject, names: readonly string[]): string[] {
  const found: string[] = []
  for (const name of names) {
    const text = textOf(fields[name])
    if (text !== undefined) found.push(text)
  }
  return found
}

/** A part in the words of `contentOf`; `text` only where it is one. */
type Part = JsonObject & { text?: string }

function partsOf(content: JsonObject, talk: Talk): Part[] {
  const type = textOf(content.content_type) ?? 'unknown'
  if (Array.isArray(content.parts)) return content.parts.filter((part) => part !== '' && part !== null).map(partOf)
  if (type === 'tether_quote') return [textPart(texts(content, ['title', 'url', 'text']))]
  if (type === 'system_error') return [textPart(texts(content, ['name', 'text']))]
  const told = new Set(textsIn(content, wordFields))
  if (told.size > 0) return [textPart([...told].join('\n'))]
  if (Object.keys(content).length > 1 && !('text' in content || 'result' in content)) {
    talk.losses.add('dropped', `${type.slice(0, 40)} content`, noPlace)
  }
  return []
}

const textPart = (text: string): Part => ({ type: 'text', text })

/** Images and sound are told by a pointer to a file of the export. */
function partOf(part: unknown): Part {
  if (!isObject(part)) return textPart(typeof part === 'string' ? part : JSON.stringify(part))
  if (typeof part.text === 'string') return textPart(part.text)
  const { text: _, asset_pointer: pointer, content_type: type, ...rest } = part
  if (typeof pointer !== 'string') return { ...rest, type: typeof type === 'string' ? type : 'unknown' }
  return { type: type ?? 'file', image_url: pointer, size_bytes: part.size_bytes }
}

/** Files that were sent along; images stand among the parts as well. */
function attachmentsOf({ attachments }: JsonObject): Part[] {
  if (!Array.isArray(attachments)) return []
  return attachments.flatMap((file) => {
    if (!isObject(file)) return []
    const mime = textOf(file.mimeType) ?? textOf(file.mime_type)
    if (mime?.startsWith('image/')) return []
    return [{ type: 'file', name: file.name, mime_type: mime, size_bytes: file.size }]
  })
}
