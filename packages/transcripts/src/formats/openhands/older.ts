import { countUnknownRole } from '../../contract/index.js'
import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { asList, asObject, type JsonObject, objectsOf, textOf, wordSet } from '../../json/index.js'
import { type Losses, ofType, type Place, reasons } from '../../model/index.js'
import { dropEvent } from './events.js'
import { callIdOf, linksOf } from './links.js'

/** Actions and observations of the program around the agent. */
const ofProgram = wordSet(
  'change_agent_state agent_state_changed recall condensation condensation_request condense null pause resume stop start loop_recovery',
)

/** Add an event of OpenHands before its version 1: an action, or the observation that follows it. */
export function addOlderEvent(event: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { action, observation, source, timestamp: at } = event
  const { losses } = conversation
  const args = asObject(event.args)
  const { model, id } = asObject(asObject(event.tool_call_metadata).model_response)
  const context = { place, at, model, message: id ?? event }
  const kind = textOf(action) ?? textOf(observation)
  if (kind === undefined)
    return dropEvent(event, 'event without action or observation', reasons.notConversation, conversation)
  if (action === 'message') addText(event, args, context, conversation)
  else if (action === 'system') {
    conversation.addMessage('system', args.content, context)
    noteCopy(event.message, args.content, losses)
    losses.addField('tools', args.tools)
  } else if (ofProgram.has(kind) || (action !== undefined && source !== 'agent'))
    dropEvent(
      event,
      ofType(action === undefined ? 'observation' : 'action', kind),
      reasons.notConversation,
      conversation,
    )
  else if (action !== undefined) addAction(event, args, context, conversation)
  else addObservation(event, kind, context, conversation)
}

function addText(
  event: JsonObject,
  args: JsonObject,
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  const urls = [...asList(args.image_urls), ...asList(args.images_urls)]
  const images = urls.map((url) => ({ type: 'image_url', image_url: { url } }))
  const files = asList(args.file_urls).map((name) => ({ type: 'file', file_name: name }))
  const text = textOf(args.content) ?? textOf(event.message) ?? ''
  noteCopy(event.message, args.content, conversation.losses)
  const parts = images.length + files.length === 0 ? text : [...(text === '' ? [] : [text]), ...images, ...files]
  const role = event.source === 'user' ? 'user' : 'assistant'
  if (event.source !== 'user' && event.source !== 'agent') countUnknownRole(role, conversation.losses)
  conversation.addMessage(role, parts, context)
}

/** Add a tool call of an answer, with the content before it. The last call of a conversation is the answer to the user. */
function addAction(
  event: JsonObject,
  { thought, ...args }: JsonObject,
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  const { function_name } = asObject(event.tool_call_metadata)
  const id = callIdOf(event)
  const { content, calls } = answerOf(event)
  const own = calls.find((call) => call.id === id)?.arguments
  noteCalls(event, conversation.losses)
  const { action } = event
  if (action === 'finish') {
    const answer = textOf(args.final_thought) ?? textOf(asObject(args.outputs).content)
    const texts = [textOf(thought), answer].filter((text) => text !== undefined)
    noteCopy(content, thought, conversation.losses)
    return conversation.addMessage('assistant', texts.length > 0 ? texts.join('\n') : event.message, context)
  }
  // The content before a call is its thought, unless the call is a thought.
  const before = textOf(content) ?? (action === 'think' ? undefined : textOf(thought))
  if (before !== undefined) conversation.addMessage('assistant', before, context)
  if (thought === content) conversation.losses.note(thought)
  conversation.addToolCalls(
    [{ id, name: function_name ?? action, args: own ?? (action === 'think' ? { thought } : args) }],
    context,
  )
  conversation.losses.addField('message', event.message, 'action ', reasons.besideRead)
}

function addObservation(
  event: JsonObject,
  kind: string,
  { place, at }: MessageContext,
  conversation: ConversationBuilder,
): void {
  const { content, success } = event
  const { function_name } = asObject(event.tool_call_metadata)
  const { error } = asObject(event.extras)
  const isFailed = ['error', 'user_rejected'].includes(kind) || success === false || error === true || textOf(error)
  const id = callIdOf(event)
  const isOfCall = id !== undefined && linksOf(event).log?.calls.has(id) !== false
  if (kind === 'error' && !isOfCall)
    conversation.addMessage('system', content ?? event.message, { place, at, metadata: { kind: 'error' } })
  else
    conversation.addToolResult(
      { id, name: function_name ?? kind, output: content ?? '', error: Boolean(isFailed) },
      { place, at },
    )
  // It repeats the answer of the model, which the action has, too.
  conversation.losses.note(answerOf(event).content)
  noteCalls(event, conversation.losses)
  conversation.losses.addField('message', event.message, 'observation ', reasons.besideRead)
  conversation.losses.addField('extras', event.extras, 'observation ', reasons.notConversation)
}

/** The text and the calls of the answer of the model that an event belongs to. */
function answerOf({ tool_call_metadata }: JsonObject): { content: unknown; calls: JsonObject[] } {
  const [choice] = objectsOf(asObject(asObject(tool_call_metadata).model_response).choices)
  const { content, tool_calls: calls } = asObject(choice?.message)
  return { content, calls: objectsOf(calls).map(({ id, function: called }) => ({ id, ...asObject(called) })) }
}

/** Note the calls of an answer that actions make, of which each has a copy. Others are losses. */
function noteCalls(event: JsonObject, losses: Losses): void {
  const { log } = linksOf(event)
  for (const { id, name, arguments: args } of answerOf(event).calls) {
    if (log === undefined || log.calls.has(textOf(id) ?? '')) losses.note(name, args)
    else losses.addField('tool_calls', [name, args], 'call without an action ', reasons.notConversation)
  }
}

/** Note a text that another field has, too. One that differs is a loss by its own name. */
function noteCopy(text: unknown, read: unknown, losses: Losses): void {
  if (text === read) losses.note(text)
}
