import {
  type ConversationBuilder,
  type MessageContext,
  parseJsonText,
  shortFields,
  type ToolCallInput,
  type ToolResultInput,
} from '../../conversation/index.js'
import {
  asList,
  asObject,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  sampleOf,
  textOf,
  textsAt,
  wordMap,
  wordSet,
} from '../../json/index.js'
import { type Losses, type Place, type Role, reasons, within } from '../../model/index.js'
import type { MessageShape } from '../format.js'
import { usualMessage, usualMessageFields } from '../message-list.js'

/** An AI SDK message: a UIMessage of version 4 and later, or a ModelMessage. */
export const uiMessage: MessageShape = { score: scoreOf, add: addMessage }

const uiRole = wordMap({ system: 'system data', user: 'user', assistant: 'assistant', tool: 'tool' })

function scoreOf(value: unknown): number {
  if (!isObject(value) || !uiRole.has(value.role)) return 0
  const { parts, content } = value
  if (Array.isArray(parts)) return sampleOf(parts).every(isUiPart) ? (parts.length > 0 ? 0.95 : 0.6) : 0
  if (Array.isArray(value.toolInvocations) || Array.isArray(value.experimental_attachments)) return 0.95
  const { tool_calls: calls, tool_call_id: id, function_call: call, chatId } = value
  const isPlain = calls === undefined && id === undefined && call === undefined ? plain : 0
  if (!Array.isArray(content)) return typeof content !== 'string' ? 0 : chatId !== undefined ? 0.7 : isPlain
  if (objectsOf(content).some(({ type }) => /^tool-(call|result|error)$/.test(textOf(type) ?? ''))) return 0.95
  return content.length > 0 && content.every(isUiPart) ? isPlain : 0
}

/** The score of a plain text message; the messages around it decide. */
const plain = 0.15

/** The AI SDK has `text` where OpenTelemetry parts have `content`. */
function isUiPart(part: unknown): boolean {
  if (!isObject(part) || typeof part.type !== 'string') return false
  if (part.type === 'text') return typeof part.text === 'string'
  if (part.type === 'reasoning') return typeof (part.text ?? part.reasoning) === 'string'
  return /^(tool-|data-|source|step-start$|dynamic-tool$|file$)/.test(part.type)
}

const uiFields = wordSet(
  `id role parts content text updatedAt chatId chat_id metadata toolInvocations reasoning experimental_attachments
  attachments providerOptions revisionId`,
  usualMessageFields,
)

function addMessage(value: unknown, place: Place, conversation: ConversationBuilder): void {
  const role = isObject(value) ? uiRole.get(value.role) : undefined
  if (!isObject(value) || role === undefined) {
    const found = isObject(value) && 'role' in value ? `the role ${describe(value.role)}` : describe(value)
    conversation.report(
      `expected a message with a role of ${[...uiRole.keys()].join(', ')} and parts; found ${found}`,
      place,
    )
    return
  }
  const parts = partsOf(value)
  if (parts === undefined) {
    const found = describe(value.parts ?? value.content)
    conversation.report(
      `expected parts or content that is a text or an array of parts; found ${found}`,
      within(place, 'parts'),
    )
    return
  }
  conversation.losses.addFields(value, uiFields, 'message ')
  addUnread(value, parts, conversation.losses)
  const context = contextOf(value, role, place, conversation.losses)
  addParts([...parts, ...attachmentsOf(value)], role, context, conversation)
}

function contextOf(message: JsonObject, role: Role, place: Place, losses: Losses): MessageContext {
  const own = asObject(message.metadata)
  const usual = usualMessage(message, role, losses)
  const facts = shortFields(own, (key) => key === 'createdAt' || key === 'timestamp', losses, 'message metadata ')
  const metadata = message.role === 'data' ? { kind: 'data', ...facts } : facts
  const at = usual.at ?? own.createdAt ?? own.timestamp
  return { place, at, model: usual.model ?? own.model ?? own.modelId, metadata }
}

/** Version 4 repeats the parts in fields of the message. */
function addUnread(message: JsonObject, parts: readonly unknown[], losses: Losses): void {
  const texts = parts.flatMap((part) => (isObject(part) ? [part.text, part.reasoning] : [part]))
  for (const field of ['content', 'text', 'reasoning']) {
    const own = message[field]
    if (typeof own === 'string') losses.addRest(field, own, texts, 'message ')
  }
  if (message.metadata !== undefined && !isObject(message.metadata))
    losses.addField('metadata', message.metadata, 'message ')
}

/** The parts of any version; undefined if there are none to read. */
function partsOf(message: JsonObject): readonly unknown[] | undefined {
  // Database rows may have the parts as JSON text.
  const parts = parseJsonText(message.parts, 1)
  if (Array.isArray(parts) && parts.length > 0) return parts
  if (parts !== undefined && parts !== null && !Array.isArray(parts)) return undefined
  const content = message.content ?? message.text
  const invocations = asList(message.toolInvocations)
  const used = invocations.map((toolInvocation) => ({ type: 'tool-invocation', toolInvocation }))
  const thought = typeof message.reasoning === 'string' ? [{ type: 'reasoning', text: message.reasoning }] : []
  if (Array.isArray(content)) return [...thought, ...content, ...used]
  if (typeof content !== 'string' && content !== undefined && content !== null) return undefined
  const texts = content ? [{ type: 'text', text: content }] : []
  // Version 4 joins the text of all steps; with results it usually comes after them.
  const isAnswered = used.length > 0 && used.every((part) => toolUseOf(part)?.result !== undefined)
  return isAnswered ? [...thought, ...used, { type: 'step-start' }, ...texts] : [...thought, ...texts, ...used]
}

function attachmentsOf(message: JsonObject): unknown[] {
  const attachments = [message.experimental_attachments, message.attachments].flatMap((list) => objectsOf(list))
  return attachments.map(({ name, contentType, mediaType, url }) => {
    return { type: 'file', file: { filename: name, mediaType: contentType ?? mediaType, url } }
  })
}

/** Add the parts of a message: a turn for each step, then the results of its calls. */
function addParts(parts: unknown[], role: Role, context: MessageContext, conversation: ConversationBuilder): void {
  const { losses } = conversation
  const { place, at } = context
  const newStep = () => ({
    message: {},
    results: [] as ToolResultInput[],
    sources: [] as JsonObject[],
    hasContent: false,
  })
  let step = newStep()
  const endStep = () => {
    const { results, sources, hasContent } = step
    if (sources.length > 0 && hasContent) conversation.addMetadata({ sources: sources.slice(0, 50) })
    else if (sources.length > 0) losses.drop('source part', reasons.noField, sources.length)
    for (const result of results) conversation.addToolResult(result, { place, at })
    step = newStep()
  }
  for (const part of parts) {
    const use = toolUseOf(part)
    const kind = use ? 'tool' : kindOf(part)
    if (use) {
      if (use.call) conversation.addToolCalls([use.call], { ...context, message: step.message }, role)
      step.hasContent ||= use.call !== undefined
      if (use.result && role === 'tool') conversation.addToolResult(use.result, { place, at })
      else if (use.result) step.results.push(use.result)
    } else if (kind === 'step') endStep()
    else if (kind === 'source' && isObject(part)) step.sources.push(sourceOf(part))
    else if (kind === 'data' && isObject(part)) losses.drop(`${textOf(part.type)?.slice(0, 40) ?? 'unknown'} part`)
    else {
      if (step.results.length > 0) endStep()
      // Text in a tool message has no other role.
      conversation.addMessage(role === 'tool' ? 'system' : role, part, { ...context, message: step.message })
      step.hasContent = true
    }
  }
  endStep()
}

function sourceOf(part: JsonObject): JsonObject {
  const facts = textsAt(isObject(part.source) ? part.source : part, ['url', 'title', 'filename', 'mediaType'])
  return Object.fromEntries(Object.entries(facts).map(([key, text]) => [key, text.slice(0, 500)]))
}

/** The call, the result, or both, in a message part. */
interface ToolUse {
  call?: ToolCallInput
  result?: ToolResultInput
}

/** The tool use of a part, in any version of the AI SDK. */
function toolUseOf(part: unknown): ToolUse | undefined {
  if (!isObject(part) || typeof part.type !== 'string') return undefined
  const { type } = part
  if (type === 'tool-invocation' && isObject(part.toolInvocation)) return ofInvocation(part.toolInvocation)
  const name = textOf(part.toolName)
  if (name !== undefined && type === 'tool-call') return { call: callOf(part, name) }
  if (name !== undefined && (type === 'tool-result' || type === 'tool-error')) {
    return { result: { id: part.toolCallId, name, ...modelOutput(part) } }
  }
  if (type === 'dynamic-tool') return ofUiPart(part, part.toolName)
  return type.startsWith('tool-') && 'toolCallId' in part ? ofUiPart(part, type.slice('tool-'.length)) : undefined
}

/** The kind of a part without a tool use: step border, source, application data, or content. */
function kindOf(part: unknown): 'step' | 'source' | 'data' | 'content' {
  const type = isObject(part) && typeof part.type === 'string' ? part.type : ''
  if (type === 'step-start') return 'step'
  if (type === 'source' || type.startsWith('source-')) return 'source'
  return type.startsWith('data-') || type.startsWith('tool-') ? 'data' : 'content'
}

function callOf(part: JsonObject, name: unknown): ToolCallInput {
  return { id: part.toolCallId, name, args: part.input ?? part.args ?? part.rawInput }
}

function ofUiPart(part: JsonObject, name: unknown): ToolUse {
  const result = uiOutput(part)
  const own = { id: part.toolCallId, name }
  return { call: callOf(part, name), ...(result && { result: { ...own, ...result } }) }
}

function uiOutput(part: JsonObject): Pick<ToolResultInput, 'output' | 'error'> | undefined {
  const { state, output, errorText, approval } = part
  if (state === 'output-error') return { output: typeof errorText === 'string' ? errorText : output, error: true }
  if (state === 'output-denied') {
    const { reason } = asObject(approval)
    return typeof reason === 'string' ? { output: reason, error: true } : undefined
  }
  return state === 'output-available' || (state === undefined && output !== undefined) ? { output } : undefined
}

function ofInvocation(invocation: JsonObject): ToolUse {
  const { toolCallId: id, toolName: name, state, result } = invocation
  const call = callOf(invocation, name)
  return state === 'result' ? { call, result: { id, name, output: result } } : { call }
}

/**
 * `{ type: text | json | content | error-text | error-json | execution-denied, value }`, or the older bare `result`.
 */
function modelOutput(part: JsonObject): Pick<ToolResultInput, 'output' | 'error'> {
  const { output } = part
  const failed = part.isError === true || part.type === 'tool-error'
  if (!isObject(output) || typeof output.type !== 'string') {
    return { output: output ?? part.result ?? part.error ?? null, error: failed }
  }
  const error = failed || output.type.startsWith('error') || output.type === 'execution-denied'
  if (output.type === 'content' && Array.isArray(output.value)) return { output: output.value.map(asFile), error }
  return { output: output.value ?? output.reason ?? null, error }
}

/** Named as a file, so that the bytes are not read as data. */
function asFile(part: unknown): unknown {
  if (!isObject(part) || part.type === 'text') return part
  return { type: 'file', file: part }
}
