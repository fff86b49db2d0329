import { ConversationBuilder, clean, cleanText, fitName, ModelCounts, settle } from '../../conversation/index.js'
import {
  type Notes,
  type Report,
  usualHead,
  usualHeadFields,
  usualMessage,
  usualMessageFields,
} from '../../format/index.js'
import { defined, describe, isObject, type JsonObject } from '../../json/index.js'
import {
  type Draft,
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

/** A transcript in the shape of the service; `head` has its fields and stands at `place`. */
interface NativeShape {
  head: JsonObject
  messages: readonly { value: unknown; place: Place }[]
  place: Place
}

/** Read the fields of the upload body, in camel case, in the snake_case of responses, or by usual names. */
export function readNativeTranscript(shape: NativeShape, { report, options }: Notes): Draft {
  const { head, place } = shape
  const conversation = new ConversationBuilder(options)
  const { losses } = conversation
  const read = <T>(fields: readonly string[], wanted: string, is: (value: unknown) => value is T): T | undefined => {
    const field = fields.find((name) => head[name] !== undefined && head[name] !== null)
    if (field === undefined) return undefined
    const found = head[field]
    if (is(found)) return found
    report(`expected ${wanted}; found ${describe(found)}`, within(place, field))
    return undefined
  }
  const text = (...fields: string[]) => {
    const found = read(fields, 'text', isText)
    return found === undefined || found === '' ? undefined : cleanText(found, losses)
  }
  const metadata = read(['metadata'], 'an object', isObject)
  const models = new ModelCounts()
  const turns: Turn[] = []
  for (const message of shape.messages) {
    const turn = readNativeTurn(message.value, message.place, { conversation, models, report })
    if (turn) turns.push(turn)
  }
  losses.addFields(head, headFields)
  // `created_at` of a stored transcript is the time of the upload.
  const usual = usualHead('processing_status' in head ? { ...head, created_at: undefined } : head, losses)
  const used = models.byUse()
  const modelName = text('modelName', 'model_name') ?? usual.modelName ?? used[0]
  const all = used.some((model) => model !== modelName) ? { models: used, ...metadata } : metadata
  const name = text('name') ?? usual.name
  return defined<Draft>({
    name: name && fitName(name, losses),
    turns,
    modelName,
    language: text('language'),
    sourceSystem: text('sourceSystem', 'source_system'),
    externalId: text('externalId', 'external_id'),
    externalUserId: text('externalUserId', 'external_user_id'),
    metadata: all && clean(all, losses),
    sourceTimestamp:
      read(['sourceTimestamp', 'source_timestamp'], 'an ISO 8601 time', isTime) ?? conversation.time(usual.at),
    process: read(['process'], 'true or false', isBoolean),
    losses: losses.list(),
    place,
  })
}

/** The fields that are read, and those computed by the service, which are not losses. */
const headFields = new Set([
  ...['turns', 'transcript', 'language', 'sourceSystem', 'externalId', 'externalUserId', 'metadata', 'process'],
  ...['source_system', 'external_id', 'external_user_id', 'turn_count', 'user_turn_count', 'assistant_turn_count'],
  ...['total_token_count', 'processing_status', ...usualHeadFields],
])

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

interface NativeNotes {
  conversation: ConversationBuilder
  models: ModelCounts
  report: Report
}

/** Read a turn of the upload body or of a response, or a message of an annotation request. */
function readNativeTurn(value: unknown, place: Place, notes: NativeNotes): Turn | undefined {
  if (!isObject(value)) {
    notes.report(`expected a turn with role and content; found ${describe(value)}`, place)
    return undefined
  }
  let flawed = false
  const check = <T>(field: string, wanted: string, is: (value: unknown) => value is T): T | undefined => {
    const found = value[field]
    if (is(found)) return found
    if (found === undefined || found === null) return undefined
    flaw(field, wanted)
    return undefined
  }
  const flaw = (field: string, wanted: string) => {
    flawed = true
    notes.report(`expected ${wanted}; found ${describe(value[field])}`, within(place, field))
  }

  const { role, content } = value
  if (!isRole(role)) flaw('role', `a role of ${roles.join(', ')}`)
  if (typeof content !== 'string') flaw('content', 'content that is text')
  const metadata = check('metadata', 'an object', isObject)
  const visible = check('is_user_visible', 'true or false', isBoolean)
  const createdAt = check(has(value, 'createdAt', 'created_at'), 'an ISO 8601 time', isTime)
  const callsField = has(value, 'toolCalls', 'tool_calls')
  const calls = check(callsField, 'an array of { name, args }', isNamedArray)
  const resultsField = has(value, 'toolResults', 'tool_results')
  const results = check(resultsField, 'an array of { name, result }', isNamedArray)
  const { losses } = notes.conversation
  losses.addFields(value, turnFields, 'turn ')
  if (flawed || !isRole(role) || typeof content !== 'string') return undefined
  const { at, model } = usualMessage(value, role, losses)
  if (model !== undefined) notes.models.add(cleanText(model, losses))
  return settle(
    {
      role,
      content,
      toolCalls: calls?.map((call) => callOf(call, losses)),
      toolResults: results?.map((result) => toolResultOf(result, losses)),
      metadata,
      createdAt: createdAt ?? notes.conversation.time(at),
      visible,
      place,
    },
    losses,
  )
}

const turnFields = new Set([
  ...'role content toolCalls tool_calls toolResults tool_results metadata is_user_visible'.split(' '),
  ...usualMessageFields,
])
const callFields = new Set(['name', 'args'])
const resultFields = new Set(['name', 'result'])

function has(value: JsonObject, field: string, alias: string): string {
  return field in value ? field : alias
}

function callOf(call: Named, losses: Losses): ToolCall {
  losses.addFields(call, callFields, 'tool call ')
  if (call.args === undefined) losses.add('invented', 'empty tool arguments', reasons.required)
  return { name: call.name, args: call.args ?? {} }
}

function toolResultOf(result: Named, losses: Losses): ToolResult {
  losses.addFields(result, resultFields, 'tool result ')
  if (result.result === undefined) losses.add('invented', 'empty tool result', reasons.required)
  return { name: result.name, result: result.result ?? null }
}

type Named = JsonObject & { name: string }

function isNamedArray(value: unknown): value is Named[] {
  return Array.isArray(value) && value.every((item) => isObject(item) && typeof item.name === 'string')
}

function isRole(value: unknown): value is Role {
  return roles.some((role) => role === value)
}

/** A date, or a date with a time. The interface shows no further rule. */
function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
}
