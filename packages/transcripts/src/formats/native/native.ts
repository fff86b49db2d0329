import {
  defineFormat,
  eachRecord,
  type Format,
  formatOfCalls,
  type MessageList,
  mappedIn,
  mappedMessages,
  marksOf,
  type ReaderContext,
  type Report,
  readerOfLists,
  scoreOfList,
  uploadHeadFields,
  usualHead,
  usualHeadFields,
  usualMessage,
  usualMessageFields,
} from '../../contract/index.js'
import {
  ConversationBuilder,
  finalizeTurn,
  fitName,
  ModelCounts,
  type RawTurn,
  sanitize,
  sanitizeText,
  storedTurn,
} from '../../conversation/index.js'
import { defined, describe, isObject, type JsonObject, sampleOf, textOf, wordSet } from '../../json/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Losses,
  type Place,
  type Role,
  reasons,
  roles,
  type ToolCall,
  type ToolResult,
  type Turn,
  within,
} from '../../model/index.js'

/** Reads the first of some fields that is present; a value of another type is reported. */
type ReadField = <T>(
  fields: string,
  expected: string,
  is: (value: unknown) => value is T,
  isRequired?: boolean,
) => T | undefined

function fieldsIn(object: JsonObject, place: Place, losses: Losses, report: Report): ReadField {
  return (fields, expected, is, isRequired) => {
    const present = fields.split(' ').find((name) => object[name] !== undefined && object[name] !== null)
    const field = present ?? (isRequired ? fields : undefined)
    const value = field === undefined ? undefined : object[field]
    if (!Array.isArray(value)) losses.noteAll(value)
    if (field === undefined || is(value)) return value as undefined
    report(`expected ${expected}; found ${describe(value)}`, within(place, field))
    return undefined
  }
}

/** Read the fields of the upload body, in camel case, in the snake_case of responses, or by usual names. */
function readNativeTranscript({ head, messages, place }: MessageList, context: ReaderContext): ConversationDraft {
  const conversation = new ConversationBuilder(context)
  const { losses } = conversation
  const read = fieldsIn(head, place, losses, context.report)
  const text = (fields: string) => {
    const found = textOf(read(fields, 'text', isText))
    return found && sanitizeText(found, losses)
  }
  const metadata = read('metadata', 'an object', isObject)
  const models = new ModelCounts()
  const stored = isStored(head)
  const mapped = (field: 'name' | 'model' | 'user_id' | 'time') => {
    const found = textOf(mappedIn([head], field, context))
    losses.note(found)
    return found
  }
  conversation.mapped = mappedMessages(messages, context)
  const turns = messages.flatMap(
    (message) => readNativeTurn(message.value, message.place, conversation, models, stored) ?? [],
  )
  if (stored) refuseMissing(head, messages.length, place, context)
  if (stored) losses.noteAll(head.annotations)
  losses.addFields(stored ? { ...head, annotations: undefined } : head, headFields)
  // `created_at` of a stored transcript is the time of the upload.
  const usual = usualHead(stored ? { ...head, created_at: undefined } : head, losses)
  losses.note(usual.name, usual.modelName)
  const used = models.byUse()
  const modelName = mapped('model') ?? text('modelName model_name') ?? usual.modelName ?? used[0]
  const all = used.some((model) => model !== modelName) ? { models: used, ...metadata } : metadata
  const name = mapped('name') ?? text('name') ?? usual.name
  return defined<ConversationDraft>({
    name: name && fitName(name, losses),
    turns,
    modelName,
    language: text('language'),
    sourceSystem: text('sourceSystem source_system'),
    externalId: text('externalId external_id'),
    externalUserId: mapped('user_id') ?? text('externalUserId external_user_id'),
    metadata: all && sanitize(all, losses),
    sourceTimestamp:
      conversation.time(mapped('time')) ??
      read('sourceTimestamp source_timestamp', 'an ISO 8601 time', isTime) ??
      conversation.time(usual.at),
    process: read('process', 'true or false', isBoolean),
    losses: losses.list(),
    place,
  })
}

/** True for a record of the service, in place of a body for it. */
const isStored = (head: JsonObject): boolean => 'processing_status' in head || 'turn_count' in head

/** A stored transcript that is shown without some of its turns would be judged by the others. */
function refuseMissing(head: JsonObject, shown: number, place: Place, { report }: ReaderContext): void {
  const { turn_count: counted } = head
  const isFewer = typeof counted === 'number' && shown < counted
  if (isFewer || shown === 0)
    report(`expected ${isFewer ? `all ${counted} turns` : 'turns'}; found ${shown}`, within(place, 'turns'))
}

/** The fields that are read, and those computed by the service, which are not losses. */
const headFields = wordSet(
  `turns transcript metadata process turn_count user_turn_count assistant_turn_count total_token_count processing_status`,
  [...usualHeadFields, ...uploadHeadFields],
)

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** Read a turn of the upload body or of a response, or a message of an annotation request. */
function readNativeTurn(
  value: unknown,
  place: Place,
  conversation: ConversationBuilder,
  models: ModelCounts,
  stored: boolean,
): Turn | undefined {
  if (!isObject(value)) {
    conversation.report(`expected a turn with role and content; found ${describe(value)}`, place)
    return undefined
  }
  let isReadable = true
  const read = fieldsIn(value, place, conversation.losses, (message, at) => {
    isReadable = false
    conversation.report(message, at)
  })
  const role = read('role', `a role of ${roles.join(', ')}`, isRole, true)
  const content = read('content', 'content that is text', isText, true)
  const metadata = read('metadata', 'an object', isObject)
  const visible = read('is_user_visible', 'true or false', isBoolean)
  const createdAt = read('createdAt created_at', 'an ISO 8601 time', isTime)
  const calls = read('toolCalls tool_calls', 'an array of { name, args }', namedArray(stored ? ['args'] : []))
  const results = read('toolResults tool_results', 'an array of { name, result }', namedArray(stored ? ['result'] : []))
  const { losses } = conversation
  losses.addFields(value, turnFields, 'turn ')
  if (!isReadable || role === undefined || content === undefined) return undefined
  const usual = usualMessage(value, role, losses)
  const mapped = conversation.mapped?.(place)
  const model = role === 'assistant' ? (textOf(mapped?.model) ?? usual.model) : undefined
  losses.note(model)
  if (model !== undefined) models.add(sanitizeText(model, losses))
  const turn: RawTurn = {
    role,
    content,
    toolCalls: calls?.map((call) => callOf(call, losses)),
    toolResults: results?.map((result) => toolResultOf(result, losses)),
    metadata,
    createdAt: conversation.time(mapped?.at) ?? createdAt ?? conversation.time(usual.at),
    visible,
    place,
  }
  return stored ? storedTurn(turn) : finalizeTurn(turn, losses)
}

const turnFields = wordSet(
  'role content toolCalls tool_calls toolResults tool_results metadata is_user_visible',
  usualMessageFields,
)
const callFields = new Set(['name', 'args'])
const resultFields = new Set(['name', 'result'])

function callOf(call: Named, losses: Losses): ToolCall {
  losses.addFields(call, callFields, 'tool call ')
  losses.noteAll([call.name, call.args])
  if (call.args === undefined) losses.add('invented', 'empty tool arguments', reasons.required)
  return { name: call.name, args: call.args ?? {} }
}

function toolResultOf(result: Named, losses: Losses): ToolResult {
  losses.addFields(result, resultFields, 'tool result ')
  losses.noteAll([result.name, result.result])
  if (result.result === undefined) losses.add('invented', 'empty tool result', reasons.required)
  return { name: result.name, result: result.result ?? null }
}

type Named = JsonObject & { name: string }

const namedArray =
  (required: readonly string[]) =>
  (value: unknown): value is Named[] =>
    Array.isArray(value) &&
    value.every(
      (item) => isObject(item) && typeof item.name === 'string' && required.every((field) => item[field] !== undefined),
    )

function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value)
}

/** A date, or a date with a time. The interface shows no further rule. */
function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
}

/** An upload body, or a stored transcript in a response, with or without its `data` envelope. */
export const upload: Format<'upload'> = defineFormat({
  id: 'upload',
  title: 'Upload body',
  accepts: '{ "name", "turns": [{ "role", "content" }] }',
  structure: 'processing_status',
  fields: ['turns', 'data', 'modelName', 'sourceSystem', 'externalId', 'externalUserId', 'sourceTimestamp'],
  signature(value) {
    const body = bodyOf(value)
    return body && 'name' in body.head ? 0.95 : 0
  },
  // A turn is one of the service already, and stays as it is: no builder makes it of messages.
  reader: (context) =>
    eachRecord(upload, context, (value, outer) => {
      const body = bodyOf(value)
      if (!body) return undefined
      const place = within(outer, ...body.steps)
      const messages = elementsOf(body.head.turns, within(place, 'turns'))
      return readNativeTranscript({ head: body.head, messages, place }, context)
    }),
})

function bodyOf(value: unknown) {
  if (!isObject(value)) return undefined
  if (isObject(value.data) && Array.isArray(value.data.turns)) return { head: value.data, steps: ['data'] }
  return Array.isArray(value.turns) ? { head: value, steps: [] } : undefined
}

export const turns: Format<'turns'> = defineFormat({
  id: 'turns',
  isGeneric: true,
  title: 'Turns or annotation messages',
  accepts: '[{ "role", "content" }], { "turns": […] } or { "transcript": […] }',
  fields: ['turns', 'transcript', 'role', 'content', 'toolCalls', 'toolResults', 'is_user_visible'],
  signature(value) {
    if (!isObject(value)) return scoreOfList(value, scoreOf)
    const list = value[listIn(value) ?? '']
    if (!Array.isArray(list)) return scoreOf(value)
    if ('name' in value && 'turns' in value) return 0
    // Dialogues have other roles, or speakers.
    const isOther = (message: unknown) =>
      marksOf(message)?.isUnknownRole ?? (isObject(message) && message.role === undefined)
    return sampleOf(list).some(isOther) ? 0.5 : 0.9
  },
  // As for the upload body, a turn stays as it is.
  reader(context) {
    // Detection reads only the start of a file, and tool calls may come later.
    const hinted = (messages: MessageList['messages']): Report => {
      let hint: string | undefined
      return (message, place, code) => {
        hint ??= hintFor(messages.map(({ value }) => formatOfCalls(value)).find((format) => format !== undefined))
        context.report(message + hint, place, code)
      }
    }
    return readerOfLists(turns, context, { listIn }, (list) =>
      readNativeTranscript(list, { ...context, report: hinted(list.messages) }),
    )
  },
})

function scoreOf(message: unknown): number {
  const marks = marksOf(message)
  // Dialogues have such roles.
  if (marks?.isUnknownRole) return 0.2
  if (marks === undefined || marks.chat) return marks?.native ? 0.5 : 0
  return marks.native ? 0.9 : 0.7
}

/** `other`: the format whose calls the messages have. */
const hintFor = (other: string | undefined) =>
  other === undefined ? '' : `. Its messages look like ${other}; name the format`

function listIn(value: JsonObject): string | undefined {
  return ['turns', 'transcript'].find((name) => Array.isArray(value[name]))
}
