import { clean, cleanText } from '../clean.js'
import { type FileRecord, type Format, placeIn, type Report } from '../format.js'
import { defined, describe, isObject, type JsonObject } from '../json.js'
import { Losses } from '../losses.js'
import { marksOf } from '../message-marks.js'
import { callsOf, resultOf, unknownTool } from '../openai-tools.js'
import { type Media, partsToText } from '../parts.js'
import { settle } from '../settle.js'
import { ToolNames } from '../tool-names.js'
import type { Draft, Role, Turn } from '../turn.js'

/** Chat-completions messages: `{ messages, model? }`, fine-tuning lines, or the bare array. */
export const openaiChat: Format<'openai-chat'> = {
  id: 'openai-chat',
  title: 'OpenAI chat-completions messages',
  accepts: '{ "messages": [{ "role", "content", "tool_calls"? }] }, or that array alone',
  fields: ['messages', 'role', 'content', 'tool_calls', 'tool_call_id', 'function_call'],
  detect(value) {
    if (isObject(value)) return marksOf(value.messages) ? 0.9 : isEmptyTalk(value) ? 0.3 : 0
    const marks = marksOf(value)
    if (marks === undefined) return 0
    if (marks.chat) return marks.native ? 0.4 : 0.9
    return marks.native ? 0 : 0.5
  },
  read(records, report) {
    return records.flatMap((record) => {
      const draft = readTalk(record, report)
      return draft ? [draft] : []
    })
  },
}

const roleOf: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])
const talkFields = new Set(['messages', 'model', 'name', 'id', 'user', 'metadata'])
const messageFields = new Set([
  'role',
  'content',
  'refusal',
  'name',
  'weight',
  'audio',
  'tool_calls',
  'function_call',
  'tool_call_id',
])

function isEmptyTalk(value: JsonObject): boolean {
  return Array.isArray(value.messages) && value.messages.length === 0
}

function readTalk(record: FileRecord, report: Report): Draft | undefined {
  const talk = isObject(record.value) ? record.value : { messages: record.value }
  const { messages } = talk
  if (!Array.isArray(messages)) {
    report(`expected ${openaiChat.accepts}; found ${describe(record.value)}`, placeIn(record, ''))
    return undefined
  }
  const losses = new Losses()
  const names = new ToolNames()
  const root = talk === record.value ? '/messages' : ''
  const turns = messages.flatMap((message, index) => {
    const turn = readMessage(message, record, `${root}/${index}`, { losses, names, report })
    return turn ? [turn] : []
  })
  losses.addFields(talk, talkFields)
  return defined<Draft>({
    name: text(talk.name, losses),
    turns,
    modelName: text(talk.model, losses),
    sourceSystem: openaiChat.id,
    externalId: text(talk.id, losses),
    externalUserId: text(talk.user, losses),
    metadata: isObject(talk.metadata) ? clean(talk.metadata, losses) : undefined,
    losses: losses.list(),
    place: placeIn(record, ''),
  })
}

function text(value: unknown, losses: Losses): string | undefined {
  return typeof value === 'string' && value !== '' ? cleanText(value, losses) : undefined
}

interface Talk {
  losses: Losses
  names: ToolNames
  report: Report
}

function readMessage(message: unknown, record: FileRecord, pointer: string, talk: Talk): Turn | undefined {
  const flaw = flawOf(message)
  if (!isObject(message) || flaw !== undefined) {
    talk.report(flaw?.message ?? 'expected a message', placeIn(record, `${pointer}${flaw?.pointer ?? ''}`))
    return undefined
  }
  const { losses, names } = talk
  const role = roleOf.get(message.role) ?? 'user'
  const { text: content, media } = contentOf(message, losses)
  const calls = callsOf(message, losses)
  names.called(calls)
  losses.addFields(message, messageFields, 'message ')
  const metadata = metadataOf(message, role, media)
  return settle(
    {
      role,
      content,
      toolCalls: calls.length === 0 ? undefined : calls.map(({ name, args }) => ({ name, args })),
      toolResults: role === 'tool' ? [{ name: resultName(message, talk), result: resultOf(content) }] : undefined,
      metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
      place: placeIn(record, pointer),
    },
    losses,
  )
}

interface MessageFlaw {
  message: string
  pointer: string
}

function flawOf(message: unknown): MessageFlaw | undefined {
  if (!isObject(message)) {
    return { message: `expected a message with role and content, found ${describe(message)}`, pointer: '' }
  }
  const { role, content, tool_calls: calls } = message
  if (!roleOf.has(role)) {
    return { message: `expected a role of ${[...roleOf.keys()].join(', ')}; found ${describe(role)}`, pointer: '/role' }
  }
  if (Array.isArray(content)) {
    const index = content.findIndex(isToolPart)
    if (index === -1) return undefined
    const found = `found one of type "${content[index].type}", as other formats have it`
    return { message: `expected calls and results outside the content parts; ${found}`, pointer: `/content/${index}` }
  }
  if (content !== undefined && content !== null && typeof content !== 'string') {
    const message = `expected content that is text, null or an array of parts; found ${describe(content)}`
    return { message, pointer: '/content' }
  }
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) {
    return { message: `expected an array of tool calls, found ${describe(calls)}`, pointer: '/tool_calls' }
  }
  return undefined
}

/** Anthropic's tool_use and its like: a call that would be lost as an unknown part. */
function isToolPart(part: unknown): boolean {
  return isObject(part) && typeof part.type === 'string' && part.type.startsWith('tool')
}

/** What was said: the content, else the refusal, else the words of an audio answer. */
function contentOf({ content, refusal, audio }: JsonObject, losses: Losses): { text: string; media: Media[] } {
  const said = Array.isArray(content) ? partsToText(content, losses) : { text: String(content ?? ''), media: [] }
  if (said.text !== '') return said
  if (typeof refusal === 'string' && refusal !== '') return { text: refusal, media: [] }
  return isObject(audio) && typeof audio.transcript === 'string' ? { text: audio.transcript, media: [] } : said
}

function resultName({ tool_call_id: id, name }: JsonObject, { names, losses }: Talk): string {
  const called = typeof id === 'string' ? names.answered(id) : undefined
  if (called !== undefined) return called
  if (typeof name === 'string' && name !== '') return name
  losses.add('invented', `tool name "${unknownTool}" of a result without a call`)
  return unknownTool
}

/** The name of a tool message is the tool's and goes to its result. */
function metadataOf(message: JsonObject, role: Role, media: readonly Media[]): JsonObject {
  return defined<JsonObject>({
    name: role === 'tool' || message.name === null ? undefined : message.name,
    weight: message.weight ?? undefined,
    kind: message.role === 'developer' ? 'developer' : undefined,
    media: media.length === 0 ? undefined : media,
  })
}
