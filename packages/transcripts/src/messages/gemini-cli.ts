import { isObject, type JsonObject, textOf } from '../json.js'
import { fieldsOf, noPlace } from '../losses.js'
import type { About, Call, Result, Talk } from '../talk.js'
import type { Place } from '../turn.js'

const messageFields = fieldsOf('id timestamp type content parts displayContent model tokens toolCalls', {
  thoughts: fieldsOf('subject description timestamp'),
})
/** The fields that are read, and those that repeat a result as it was shown. */
const callFields = new Set(
  'id name args result resultDisplay status timestamp displayName description renderOutputAsMarkdown agentId'.split(
    ' ',
  ),
)
const notices = new Set(['info', 'warning', 'error'])

/** Says a message of a Gemini CLI session. */
export function sayGeminiMessage(message: JsonObject, place: Place, talk: Talk): void {
  const { type } = message
  const about: About = { place, at: message.timestamp, model: undefined, message, metadata: undefined }
  talk.losses.addFields(message, messageFields, 'message ')
  const content = message.content ?? message.parts
  if (type === 'gemini' || type === 'model')
    sayModel(message, partsOf(content), { ...about, model: message.model }, talk)
  else if (type === 'user') sayUser(message, partsOf(content), about, talk)
  else if (typeof type === 'string' && notices.has(type)) {
    talk.say('system', content, { ...about, metadata: { kind: type } })
  } else talk.losses.add('dropped', `message of type "${textOf(type)?.slice(0, 40) ?? 'unknown'}"`, noPlace)
}

function sayModel(message: JsonObject, parts: readonly unknown[], about: About, talk: Talk): void {
  for (const thought of Array.isArray(message.thoughts) ? message.thoughts : []) {
    if (isObject(thought)) talk.think(texts(thought.subject, thought.description), about)
  }
  const said = parts.filter((part) => !isObject(part) || !isObject(part.functionCall))
  if (said.length > 0) talk.say('assistant', said, about)
  const calls: unknown[] = Array.isArray(message.toolCalls) ? message.toolCalls.filter(isObject) : []
  // The parts repeat the calls that have records of their own.
  const made = calls.length > 0 ? calls : parts.flatMap((part) => (isObject(part) ? (part.functionCall ?? []) : []))
  talk.call(made.filter(isObject).map(callOf), about)
  for (const call of calls) {
    if (!isObject(call)) continue
    talk.losses.addFields(call, callFields, 'tool call ')
    answer(call, about.place, talk)
  }
}

const answerFields = fieldsOf('', { functionResponse: fieldsOf('id name response') })
const partFields = fieldsOf('type text inlineData fileData thought thoughtSignature')

function callOf({ id, name, args }: JsonObject): Call {
  return { id, name, args }
}

function answer(call: JsonObject, place: Place, talk: Talk): void {
  const parts = partsOf(call.result ?? call.resultDisplay)
  if (parts.length === 0 || (call.result === undefined && isObject(call.resultDisplay))) return
  for (const part of parts) talk.losses.addTexts(part, responseOf(part) ? answerFields : partFields, 'result ')
  const result = resultOf(parts)
  const failed = call.status === 'error' || result.error
  talk.result({ id: call.id, name: call.name, ...result, error: failed }, { place, at: call.timestamp })
}

/** The response that stands among the parts; texts and media beside it belong to it. */
function resultOf(parts: readonly unknown[]): Pick<Result, 'output' | 'error'> {
  const responses = parts.map(responseOf).filter((response) => response !== undefined)
  const outputs = responses.map(({ response }) => outputIn(response))
  const error = responses.some(({ response }) => isObject(response) && response.error !== undefined)
  const others = parts.filter((part) => responseOf(part) === undefined)
  if (others.length === 0 && outputs.length === 1) return { output: outputs[0], error }
  const words = outputs.map((output) => (typeof output === 'string' ? output : JSON.stringify(output ?? null)))
  return { output: [...words.map((text) => ({ type: 'text', text })), ...others.map(asTyped)], error }
}

/** What stands in `output` or `error`, where nothing stands beside it. */
function outputIn(response: unknown): unknown {
  if (!isObject(response) || Object.keys(response).length !== 1) return response
  return response.output ?? response.error ?? response
}

function responseOf(part: unknown): JsonObject | undefined {
  return isObject(part) && isObject(part.functionResponse) ? part.functionResponse : undefined
}

/** A text of its own among parts that have a type. */
function asTyped(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part }
  return isObject(part) ? { type: typeof part.text === 'string' ? 'text' : 'file', ...part } : part
}

/**
 * What a person typed is `displayContent` where there is one; the rest of the content is what the program put beside
 * it: files that were named, the project, what hooks say.
 */
function sayUser(message: JsonObject, parts: readonly unknown[], about: About, talk: Talk): void {
  const typed = partsOf(message.displayContent)
  const own = new Set(typed.map(textOfPart).filter((text) => text !== undefined))
  let fromFiles = false
  const human: unknown[] = [...typed]
  const injected: unknown[] = []
  for (const part of parts) {
    const response = responseOf(part)
    if (response) {
      talk.result({ id: response.id, name: response.name, ...resultOf([part]) }, { place: about.place, at: about.at })
      continue
    }
    const text = textOfPart(part)
    fromFiles ||= text?.trimStart().startsWith('--- Content from referenced files') === true
    const isOwn = typed.length > 0 ? text !== undefined && own.has(text) : !fromFiles && !isInjected(text)
    if (!isOwn) injected.push(part)
    else if (typed.length === 0) human.push(part)
  }
  if (injected.length > 0) talk.say('system', injected, { ...about, metadata: { kind: 'injected' } })
  if (human.length > 0) talk.say('user', human, about)
}

const injectedTag = /^\s*<(session_context|hook_context|state_snapshot|environment_context|system_reminder)\b/

function isInjected(text: string | undefined): boolean {
  return text !== undefined && (injectedTag.test(text) || text.startsWith('This is the Gemini CLI. We are setting up'))
}

function textOfPart(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  return isObject(part) && typeof part.text === 'string' ? part.text : undefined
}

/** The parts of a content: a text, a part, or a list of both. */
function partsOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null || content === '') return []
  return Array.isArray(content) ? content : [content]
}

function texts(...values: unknown[]): string {
  return values.filter((value) => typeof value === 'string' && value !== '').join(': ')
}
