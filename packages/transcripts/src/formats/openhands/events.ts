import { countOtherRole, countUnknownRole } from '../../contract/index.js'
import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { asList, asObject, defined, type JsonObject, objectsOf, textOf, wordMap, wordSet } from '../../json/index.js'
import { ofType, type Place, reasons } from '../../model/index.js'
import { linksOf } from './links.js'

const roleOf = wordMap({ user: 'user', assistant: 'agent', system: 'environment' })

type AddEvent = (event: JsonObject, context: MessageContext, conversation: ConversationBuilder) => void

const adders = new Map<unknown, AddEvent>(
  Object.entries({
    SystemPromptEvent: (event, context, conversation) => {
      conversation.addMessage('system', objectsOf([event.system_prompt, event.dynamic_context]), context)
      conversation.losses.addField('tools', event.tools)
    },
    MessageEvent: addMessage,
    ActionEvent: addAction,
    ObservationEvent: addObservation,
    UserRejectObservation: (event, context, conversation) =>
      addResult(event, event.rejection_reason, true, context, conversation),
    AgentErrorEvent: (event, context, conversation) => addResult(event, event.error, true, context, conversation),
    ACPToolCallEvent: addAgentCall,
    ConversationErrorEvent: ({ code, detail }, { place, at }, conversation) =>
      conversation.addMessage('system', detail ?? code, { place, at, metadata: { kind: 'error', code } }),
  } satisfies Record<string, AddEvent>),
)

/** Add an event of the OpenHands SDK. Events of other kinds are not part of the conversation. */
export function addEvent(event: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { kind, timestamp: at, llm_response_id: response } = event
  const add = adders.get(kind)
  if (add) add(event, { place, at, message: response ?? event }, conversation)
  else dropEvent(event, ofType('event', String(kind)), reasons.notConversation, conversation)
}

/** Count each field of an event as lost, but for those that all events have. */
export function dropEvent(event: JsonObject, what: string, why: string, { losses }: ConversationBuilder): void {
  for (const [name, value] of Object.entries(event)) if (!ofAll.has(name)) losses.addField(name, value, `${what} `, why)
}

const ofAll = wordSet('id parent_id kind source timestamp action observation cause status llm_response_id tool_call_id')

function addMessage(event: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const message = asObject(event.llm_message)
  const role = roleOf.get(event.source) ?? 'system'
  if (role !== 'system') countOtherRole(message.role, role, conversation.losses)
  if (!roleOf.has(event.source)) countUnknownRole(role, conversation.losses)
  if (role === 'assistant') addThoughts(message, context, conversation)
  const facts = { speaker: textOf(event.sender), kind: role === 'system' ? 'notice' : undefined }
  const metadata = (facts.speaker ?? facts.kind) ? defined<JsonObject>(facts) : undefined
  conversation.addMessage(role, partsOf(message.content), { ...context, metadata })
  conversation.losses.addField('extended_content', event.extended_content, 'message ', reasons.notConversation)
}

/** Add a tool call of an answer, with the content before it. The last call of a conversation is the answer to the user. */
function addAction(event: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const { tool_name: name, tool_call_id: id, action, thought } = event
  const call = asObject(event.tool_call)
  addThoughts(event, context, conversation)
  const content = partsOf(thought)
  if (content.length > 0) conversation.addMessage('assistant', content, context)
  const answer = name === 'finish' ? textOf(asObject(action).message) : undefined
  if (answer !== undefined) {
    // The action and the arguments have it, too.
    conversation.losses.note(name, answer)
    linksOf(event).log?.answers.set(textOf(id) ?? '', answer)
    return conversation.addMessage('assistant', answer, context)
  }
  conversation.addToolCalls([{ id: id ?? call.id, name: name ?? call.name, args: call.arguments ?? action }], context)
}

function addObservation(event: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const { content, output, text, error, is_error } = asObject(event.observation)
  const answer = linksOf(event).log?.answers.get(textOf(event.tool_call_id) ?? '')
  const parts = partsOf(content)
  const texts = parts.map((part) => textOf(asObject(part).text) ?? '').join('\n')
  if (answer !== undefined && (texts === '' || texts === answer))
    return conversation.losses.addField('observation', event.observation, 'result of the last call ', reasons.repeated)
  const result = [parts, output, text, error].find((each) => (Array.isArray(each) ? each.length > 0 : each))
  addResult(event, result ?? '', is_error === true || textOf(error) !== undefined, context, conversation)
  conversation.losses.addField('extended_content', event.extended_content, 'result ', reasons.notConversation)
}

function addResult(
  { tool_call_id: id, tool_name: name }: JsonObject,
  output: unknown,
  error: boolean,
  { place, at }: MessageContext,
  conversation: ConversationBuilder,
): void {
  conversation.addToolResult({ id, name, output, error }, { place, at })
}

/** Add a call of an agent that runs outside of OpenHands, as its last event has it. */
function addAgentCall(event: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const { tool_call_id: id, title, status, raw_input: args, raw_output, content, is_error } = event
  const last = linksOf(event).log?.lastOfCall.get(textOf(id) ?? '') ?? event
  if (last !== event) return dropEvent(event, 'earlier state of a tool call', reasons.besideRead, conversation)
  conversation.addToolCalls([{ id, name: title, args: args ?? {} }], context)
  const result = raw_output ?? contentOfCall(content, conversation)
  const isFailed = is_error === true || status === 'failed'
  if (result !== undefined || isFailed || status === 'completed')
    addResult(event, result ?? '', isFailed, context, conversation)
}

/** The texts of blocks such as `{ type: 'content', content: { text } }`, or blocks of other kinds as data. */
function contentOfCall(content: unknown, { losses }: ConversationBuilder): unknown {
  const texts = objectsOf(content).map((block) => textOf(asObject(block.content).text))
  if (texts.length === 0) return undefined
  if (texts.includes(undefined)) return { content }
  losses.noteEach(texts)
  return texts.join('\n')
}

/** The thinking of a model, which the fields for several providers may repeat. */
function addThoughts(message: JsonObject, context: MessageContext, conversation: ConversationBuilder): void {
  const { reasoning_content: text, thinking_blocks: blocks, responses_reasoning_item: item } = message
  const { content, summary } = asObject(item)
  const fields = Object.entries({
    reasoning_content: [text],
    thinking_blocks: objectsOf(blocks).map(({ thinking }) => thinking),
    responses_reasoning_item: [...asList(content), ...asList(summary)],
  })
  const thoughts = fields.map(([name, all]) => {
    const texts = all.flatMap((each) => textOf(each) ?? [])
    return { name, texts, thought: texts.join('\n') }
  })
  const first = thoughts.find(({ thought }) => thought !== '')?.thought
  if (first !== undefined) conversation.addThinking(first, context)
  for (const { name, texts, thought } of thoughts) {
    if (thought === first) conversation.losses.noteEach(texts)
    else if (thought !== '')
      conversation.losses.addField(name, message[name], '', 'the thinking beside it is read instead')
  }
}

/** Parts, of which an image may be several. */
const partsOf = (content: unknown): unknown[] =>
  (typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)).flatMap((part) =>
    asObject(part).type === 'image'
      ? asList(asObject(part).image_urls).map((url) => ({ type: 'image_url', image_url: { url } }))
      : [part],
  )
