import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import {
  asObject,
  describe,
  isObject,
  type JsonObject,
  sampleOf,
  textOf,
  wordMap,
  wordSet,
  wordsOf,
} from '../../json/index.js'
import type { Place, Role } from '../../model/index.js'
import { type MessageShape, roleIn } from '../format.js'

/**
 * A content of the Gemini API: `{ role: "user" | "model" | "function", parts: [{ text }, { functionCall }, …] }`, in
 * camel case as in REST, or in snake case as in the Python SDKs.
 */
export const geminiMessage: MessageShape = {
  score(value) {
    if (!isObject(value) || !geminiRole.has(value.role) || !Array.isArray(value.parts)) return 0
    return sampleOf(value.parts).some(isGeminiPart) ? 0.9 : 0
  },
  add: addMessage,
}

const geminiRole = wordMap({ user: 'user', assistant: 'model assistant', system: 'system', tool: 'function tool' })

const contentFields =
  wordsOf(`text functionCall function_call functionResponse function_response inlineData inline_data fileData file_data
  executableCode executable_code codeExecutionResult code_execution_result`)
const partFields = wordSet(
  'thought thoughtSignature thought_signature videoMetadata video_metadata mediaResolution media_resolution',
  contentFields,
)

/** True for a part of a content. Parts of other providers have a type or other fields. */
export function isGeminiPart(value: unknown): boolean {
  if (!isObject(value) || !contentFields.some((field) => hasValue(value[field]))) return false
  if (typeof value.text === 'object' && value.text !== null) return false
  return Object.keys(value).every((key) => partFields.has(key) || !hasValue(value[key]))
}

/** The SDKs write every field of a part, most of them null. */
const hasValue = (field: unknown) => field !== undefined && field !== null

const geminiFields = new Set(['role', 'parts'])

function addMessage(message: unknown, place: Place, conversation: ConversationBuilder): void {
  addContent(message, { place, message }, conversation)
}

/** Add a content with the facts of the message around it. */
export function addContent(content: unknown, context: MessageContext, conversation: ConversationBuilder): void {
  const { place } = context
  if (!isObject(content) || !Array.isArray(content.parts)) {
    return conversation.report(`expected a content with role and parts; found ${describe(content)}`, place)
  }
  const role = roleIn(content, geminiRole, place, conversation)
  if (role === undefined) return
  conversation.losses.addFields(content, geminiFields, 'message ')
  for (const part of content.parts) addGeminiPart(part, role, { message: content, ...context }, conversation)
}

/** Add a part of a content: a text, media, a thought, a call, or its result. */
export function addGeminiPart(
  part: unknown,
  role: Role,
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  const fields = asObject(part)
  const call = objectIn(fields, 'functionCall', 'function_call')
  const answer = objectIn(fields, 'functionResponse', 'function_response')
  const code = objectIn(fields, 'executableCode', 'executable_code')
  const outcome = objectIn(fields, 'codeExecutionResult', 'code_execution_result')
  // A result is not part of the message of the model.
  const result = { ...context, message: undefined }
  if (call) conversation.addToolCalls([{ id: call.id ?? undefined, name: call.name, args: call.args }], context, role)
  else if (answer) {
    conversation.addToolResult({ id: answer.id ?? undefined, name: answer.name, output: answer.response }, result)
  } else if (code)
    conversation.addToolCalls([{ name: codeTool, args: { language: code.language, code: code.code } }], context, role)
  else if (outcome) conversation.addToolResult({ name: codeTool, output: outcome.output ?? outcome.outcome }, result)
  else if (fields.thought === true) conversation.addThinking(textOf(fields.text) ?? '', context)
  else conversation.addMessage(role === 'tool' ? 'user' : role, [mediaPart(fields) ?? part], context)
}

const codeTool = 'code_execution'

function objectIn(part: JsonObject, ...names: readonly string[]): JsonObject | undefined {
  return names.map((name) => part[name]).find(isObject)
}

/** Media under the field names of all other providers. */
function mediaPart(part: JsonObject): JsonObject | undefined {
  const inlineData = objectIn(part, 'inlineData', 'inline_data')
  if (inlineData) return { inlineData }
  const file = objectIn(part, 'fileData', 'file_data')
  return file && { fileData: { mimeType: file.mimeType ?? file.mime_type, fileUri: file.fileUri ?? file.file_uri } }
}
