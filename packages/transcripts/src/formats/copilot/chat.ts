import { defineFormat } from '../../contract/index.js'
import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { asList, asObject, isObject, type JsonObject, objectsOf, textOf, wordSet } from '../../json/index.js'
import { type Losses, type Place, reasons, within } from '../../model/index.js'
import { sessionAfter } from './changes.js'
import { resultText } from './results.js'

/** Sessions of GitHub Copilot Chat in VS Code: what it exports, and what it stores in `chatSessions`, as a whole or as changes. */
export const copilotChat = defineFormat({
  id: 'copilot-chat',
  title: 'VS Code Copilot Chat session',
  accepts:
    '{ "responderUsername", "requests": [{ "message": { "text" }, "response": [{ "value" }], "result" }] }, or lines { "kind": 0, "v": { "requests" } } and { "kind", "k": […], "v" }',
  signature: {
    'requests[].message.text requests[].response[]': 0.97,
    'requests[].message.parts[] requests[].requestId': 0.97,
    'kind v.requests[] v.sessionId': 0.97,
    'kind k[]': 0.5,
  },
  empty: 'responderUsername requests[]',
  conversation: {
    name: 'customTitle',
    externalId: 'sessionId',
    externalUserId: 'requesterUsername',
    sourceTimestamp: 'creationDate',
    metadata: { responder: 'responderUsername' },
  },
  messages: 'requests',
  join: sessionAfter,
  // The draft of the next request, and requests that were not sent yet.
  lost: ['inputState', 'pendingRequests'],
  addMessage: addRequest,
  structure:
    'initialLocation path fsPath external scheme requestId responseId modelId toolCallId kind extensionVersion _lower mode k',
})

/** A request of the user, and the answer to it. */
function addRequest(request: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { message, response, timestamp: at, modelId: model } = request
  const { losses } = conversation
  const { text, parts } = asObject(message)
  const asked = textOf(text) ?? textsOf(parts).join('')
  losses.noteEach(textsOf(parts).filter((each) => asked.includes(each)))
  conversation.addMessage('user', asked, { place: within(place, 'message'), at, message: request })
  const { metadata, errorDetails } = asObject(request.result)
  const { toolCallRounds, toolCallResults } = asObject(metadata)
  const answer = { place: within(place, 'response'), model, message: {} }
  const rounds = objectsOf(toolCallRounds)
  const results = resultsByCall(asObject(toolCallResults))
  for (const [index, round] of rounds.entries()) {
    addRound(round, within(place, 'result', 'metadata', 'toolCallRounds', String(index)), model, conversation)
    addResults(round, results, within(place, 'result', 'metadata', 'toolCallResults'), conversation)
  }
  const shown = rounds.length > 0 ? restOf(asList(response), rounds, losses) : asList(response)
  addShown(shown, answer, conversation)
  const failure = textOf(asObject(errorDetails).message)
  if (failure !== undefined) conversation.addMetadata({ error: failure })
  else if (request.isCanceled === true || asObject(request.modelState).value === cancelled)
    conversation.addMetadata({ interrupted: true })
}

/** The state of a request that was stopped. */
const cancelled = 2

const textsOf = (parts: unknown) => objectsOf(parts).flatMap(({ text }) => textOf(text) ?? [])

/** The text and the calls of a round. */
function addRound(round: JsonObject, place: Place, model: unknown, conversation: ConversationBuilder): void {
  const context = { place, at: round.timestamp, model, message: round }
  for (const thought of thoughtsIn(round)) conversation.addThinking(thought, context)
  if (textOf(round.response) !== undefined) conversation.addMessage('assistant', round.response, context)
  const calls = objectsOf(round.toolCalls).map(({ id, name, arguments: args }) => ({ id, name, args }))
  conversation.addToolCalls(calls, context)
}

const thoughtsIn = (round: JsonObject) => [asObject(round.thinking).text].flat().flatMap((text) => textOf(text) ?? [])

type Results = ReadonlyMap<string, { key: string; result: unknown }>

/** The results by the ids of their calls, and by the beginning of the id for those whose call has another end. */
interface ResultsByCall {
  byId: Results
  byBeginning: Results
}

/** VS Code may end the id of a result, or of its call, with `__vscode-` and a number. */
const baseOf = (id: string) => id.split('__vscode-')[0] ?? id

function resultsByCall(results: JsonObject): ResultsByCall {
  const entries = Object.entries(results).map(([key, result]) => ({ key, result }))
  // Of several results with one beginning, the first.
  const begun = entries.toReversed().map((entry) => [baseOf(entry.key), entry] as const)
  return { byId: new Map(entries.map((entry) => [entry.key, entry])), byBeginning: new Map(begun) }
}

/** The results of a round. */
function addResults(round: JsonObject, results: ResultsByCall, place: Place, conversation: ConversationBuilder): void {
  for (const { id } of objectsOf(round.toolCalls)) {
    if (typeof id !== 'string') continue
    const found = results.byId.get(id) ?? results.byBeginning.get(baseOf(id))
    if (found === undefined) continue
    const output = resultText(asObject(found.result).content, conversation.losses)
    conversation.addToolResult({ id, output }, { place: within(place, found.key) })
  }
}

/**
 * The parts of an answer that its rounds do not repeat: the text behind the last call, if the answer ended before its round was
 * stored.
 */
function restOf(response: readonly unknown[], rounds: readonly JsonObject[], losses: Losses): readonly unknown[] {
  const said = rounds.flatMap((round) => [textOf(round.response), ...thoughtsIn(round)]).join('\n')
  const isRepeated = (part: unknown) => {
    const texts = isObject(part) ? [markdownOf(part), part.kind === 'thinking' ? part.value : undefined].flat() : []
    return texts.every((text) => typeof text !== 'string' || said.includes(text.trim()))
  }
  const last = response.findLastIndex((part) => isObject(part) && part.kind === 'toolInvocationSerialized')
  const tail = response.slice(last + 1)
  const isMissing = !tail.every(isRepeated)
  for (const part of isMissing ? response.slice(0, last + 1) : response) {
    if (!isObject(part)) continue
    if (part.kind === 'toolInvocationSerialized') losses.dropValue(part, 'shown form of a call', reasons.besideRead)
    else if (isRepeated(part)) losses.note(markdownOf(part), part.kind === 'thinking' ? part.value : undefined)
  }
  return isMissing ? tail : []
}

/** Parts that say how an answer is shown. */
const silent: ReadonlySet<unknown> = wordSet('codeblockUri undoStop prepareToolInvocation mcpServersStarting')

/** The parts of an answer as they were shown. Names of files and symbols stand inside their sentence. */
function addShown(parts: readonly unknown[], answer: MessageContext, conversation: ConversationBuilder): void {
  let text = ''
  const flush = () => {
    if (text.trim() !== '') conversation.addMessage('assistant', text, answer)
    text = ''
  }
  for (const part of objectsOf(parts)) {
    const inline = part.kind === 'inlineReference' ? nameOf(part) : markdownOf(part)
    if (inline !== undefined) {
      conversation.losses.note(inline)
      text += inline
    } else if (part.kind === 'thinking') {
      flush()
      for (const thought of [part.value].flat().flatMap((each) => textOf(each) ?? []))
        conversation.addThinking(thought, answer)
    } else if (part.kind === 'toolInvocationSerialized') {
      flush()
      addShownCall(part, answer, conversation)
    } else if (!silent.has(part.kind)) conversation.losses.dropValue(part, `${textOf(part.kind) ?? 'unknown'} part`)
  }
  flush()
}

function markdownOf({ kind, value, content }: JsonObject): string | undefined {
  if (kind === undefined) return textOf(value)
  if (kind !== 'markdownContent' && kind !== 'markdownVuln') return undefined
  const inner = isObject(content) ? content.value : content
  return textOf(inner)
}

/** The name of a reference, or that of its file. */
function nameOf({ name, inlineReference }: JsonObject): string | undefined {
  const { name: symbol, path, uri, location } = asObject(inlineReference)
  const file = textOf(path) ?? textOf(asObject(uri).path) ?? textOf(asObject(asObject(location).uri).path)
  return textOf(name) ?? textOf(symbol) ?? file?.slice(file.lastIndexOf('/') + 1)
}

/** A call of which only its shown form is stored. */
function addShownCall(
  part: JsonObject,
  { place, ...context }: MessageContext,
  conversation: ConversationBuilder,
): void {
  const { toolCallId: id, toolId: name, resultDetails, toolSpecificData, pastTenseMessage, invocationMessage } = part
  const { input, output, isError } = asObject(resultDetails)
  const { rawInput, commandLine, command } = asObject(toolSpecificData)
  const shell = asObject(commandLine).original ?? command
  const shown = [pastTenseMessage, invocationMessage].map((text) => textOf(isObject(text) ? text.value : text))
  const args = input ?? rawInput ?? (shell === undefined ? { shown: shown.find(Boolean) } : { command: shell })
  conversation.addToolCalls([{ id, name, args }], { place, ...context })
  const values = objectsOf(output).flatMap(({ value }) => textOf(value) ?? [])
  conversation.losses.noteEach(values)
  if (values.length > 0)
    conversation.addToolResult({ id, output: values.join('\n'), error: isError === true }, { place })
}
