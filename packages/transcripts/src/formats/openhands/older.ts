import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { asList, asObject, type JsonObject, objectsOf, textOf, wordSet } from '../../json/index.js'
import { type Losses, ofType, type Place, reasons } from '../../model/index.js'
import { dropEvent } from './events.js'

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
  if (kind === undefined) return conversation.report('expected an event with an action or an observation', place)
  if (action === 'message') addSaid(event, args, context, conversation)
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

function addSaid(
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
  conversation.addMessage(event.source === 'user' ? 'user' : 'assistant', parts, context)
}

/** Add the call of an answer, with the words before it. The last one is the answer to the user. */
function addAction(
  event: JsonObject,
  { thought, ...args }: JsonObject,
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  const { tool_call_id, function_name } = asObject(event.tool_call_metadata)
  const { content, calls } = answerOf(event)
  const given = calls.find(({ id }) => id === tool_call_id)?.arguments
  // Each action of an answer has a copy of all its calls.
  for (const { name, arguments: args } of calls) conversation.losses.note([name, args])
  noteCopy(content, thought, conversation.losses)
  if (event.action === 'finish') {
    const answer = textOf(args.final_thought) ?? textOf(asObject(args.outputs).content)
    const said = [textOf(thought), answer].filter((text) => text !== undefined)
    return conversation.addMessage('assistant', said.length > 0 ? said.join('\n') : event.message, context)
  }
  if (textOf(thought) !== undefined && event.action !== 'think') conversation.addMessage('assistant', thought, context)
  const own = event.action === 'think' ? { thought } : args
  const id = textOf(tool_call_id) ?? String(event.id)
  conversation.addToolCalls([{ id, name: function_name ?? event.action, args: given ?? own }], context)
  conversation.losses.addField('message', event.message, 'action ', reasons.repeated)
}

function addObservation(
  event: JsonObject,
  kind: string,
  { place, at }: MessageContext,
  conversation: ConversationBuilder,
): void {
  const { content, cause, success } = event
  const { tool_call_id, function_name } = asObject(event.tool_call_metadata)
  const { error } = asObject(event.extras)
  const isFailed = kind === 'error' || success === false || error === true || textOf(error) !== undefined
  const id = textOf(tool_call_id) ?? (typeof cause === 'number' ? String(cause) : undefined)
  if (id === undefined && kind === 'error')
    conversation.addMessage('system', content ?? event.message, { place, at, metadata: { kind: 'error' } })
  else
    conversation.addToolResult(
      { id, name: function_name ?? kind, output: content ?? '', error: isFailed },
      { place, at },
    )
  // It repeats the answer of the model, which the action has, too.
  const { content: said, calls } = answerOf(event)
  for (const { name, arguments: args } of calls) conversation.losses.note([name, args])
  conversation.losses.note(said)
  conversation.losses.addField('message', event.message, 'observation ', reasons.repeated)
  conversation.losses.addField('extras', event.extras, 'observation ', reasons.notConversation)
}

/** The text and the calls of the answer of the model that an event belongs to. */
function answerOf({ tool_call_metadata }: JsonObject): { content: unknown; calls: JsonObject[] } {
  const [choice] = objectsOf(asObject(asObject(tool_call_metadata).model_response).choices)
  const { content, tool_calls: calls } = asObject(choice?.message)
  return { content, calls: objectsOf(calls).map(({ id, function: called }) => ({ id, ...asObject(called) })) }
}

/** Note a text that another field has, too. One that differs is a loss by its own name. */
function noteCopy(text: unknown, read: unknown, losses: Losses): void {
  if (text === read) losses.note(text)
}
