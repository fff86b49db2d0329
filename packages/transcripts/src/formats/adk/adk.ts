import { addContent, countOtherRole, defineFormat } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, textOf } from '../../json/index.js'
import { type Place, reasons, within } from '../../model/index.js'

/** Sessions of the Agent Development Kit, in the names of Python or of its interface. */
export const adk = defineFormat({
  id: 'adk',
  title: 'ADK session',
  accepts: '{ "id", "appName", "userId", "events": [{ "author", "content": { "role", "parts" }, "timestamp" }] }',
  signature: { 'events[].author events[].content.parts[]': 0.95 },
  conversation: {
    externalId: 'id',
    externalUserId: ['userId', 'user_id'],
    sourceTimestamp: 'create_time',
    metadata: { app: ['appName', 'app_name'] },
  },
  messages: 'events',
  addMessage: addEvent,
  lost: ['state'],
  structure:
    'id error_code errorCode author role invocationId invocation_id finishReason finish_reason branch modelVersion lastUpdateTime',
})

/** Adds what an event says; one without content changes the state only, or is an error. */
function addEvent(event: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { author, content, timestamp, partial, modelVersion, model_version: model = modelVersion } = event
  const { losses } = conversation
  if (partial === true) return losses.dropValue(event, 'part of an event', reasons.besideRead)
  losses.dropFields(event, ['actions', 'groundingMetadata', 'grounding_metadata'])
  const error = textOf(event.errorMessage ?? event.error_message) ?? textOf(event.errorCode ?? event.error_code)
  const isUser = author === 'user'
  const metadata = { ...(!isUser && textOf(author) && { agent: author }), ...(error && { error }) }
  const context = { place, at: timestamp, model, metadata }
  const { parts, role: own } = asObject(content)
  if (Array.isArray(parts) && parts.length > 0) {
    // The results of an agent's calls have the role of the user.
    const isResult = parts.some((part) => isObject(part) && (part.functionResponse ?? part.function_response))
    if (!isResult) countOtherRole(own, isUser ? 'user' : 'assistant', losses)
    const said = { ...asObject(content), role: isUser ? 'user' : 'model' }
    addContent(said, { ...context, place: within(place, 'content') }, conversation)
  } else if (error) conversation.addMessage('system', error, { ...context, metadata: { kind: 'error' } })
}
