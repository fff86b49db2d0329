import { defineFormat, openaiMessage } from '../../contract/index.js'
import { type ConversationBuilder, idOf } from '../../conversation/index.js'
import { asObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type Place, reasons } from '../../model/index.js'

/** Results of tau2-bench, whose simulated user calls tools, too. */
export const tau2 = defineFormat({
  id: 'tau2',
  title: 'tau2-bench results',
  accepts:
    '{ "info", "tasks", "simulations": [{ "id", "task_id", "messages": [{ "role", "content", "tool_calls" }] }] }',
  signature: { 'messages[] task_id': 0.97 },
  fields: 'simulations tasks info',
  conversations: 'simulations',
  conversation: {
    externalId: 'id',
    modelName: (_, __, { info }) => asObject(asObject(info).agent_info).llm,
    sourceTimestamp: ['timestamp', 'start_time'],
    metadata: {
      task_id: ({ task_id: task }) => idOf(task),
      trial: 'trial',
      reward: 'reward_info.reward',
      termination_reason: 'termination_reason',
      domain: (_, __, { info }) => asObject(asObject(info).environment_info).domain_name,
    },
  },
  messages: 'messages',
  addMessage,
  lost: ['info', 'tasks', 'reward_info', 'agent_cost', 'user_cost', 'policy', 'review', 'auth_classification'],
  structure: 'id requestor task_id',
})

/** The tools that the user called in a conversation, by the ids of the calls. */
const namesOf = new WeakMap<ConversationBuilder, Map<unknown, unknown>>()

function addMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { role, content, tool_calls: calls, timestamp: at, requestor, id, error } = message
  conversation.losses.addField('raw_data', message.raw_data, '', reasons.besideRead)
  const names = namesOf.get(conversation) ?? new Map<unknown, unknown>()
  namesOf.set(conversation, names)
  if (role === 'tool') {
    const own = requestor === 'user' ? { name: names.get(id) ?? 'unknown' } : { id }
    const metadata = requestor === 'user' ? { requestor } : undefined
    conversation.addToolResult({ ...own, output: content, error: error === true }, { place, at, metadata })
  } else if (role === 'user' && objectsOf(calls).length > 0) {
    for (const call of objectsOf(calls)) names.set(call.id, call.name)
    // The upload has calls of the assistant only.
    const called = objectsOf(calls).map(({ name, arguments: args }) => ({ name, args }))
    const marker = `[tool call: ${called.map(({ name }) => textOf(name) ?? 'unknown').join(', ')}]`
    const metadata = { tool_calls: called, ...(!textOf(content) && { synthetic_content: true }) }
    conversation.addMessage('user', textOf(content) ?? marker, { place, at, metadata })
  } else openaiMessage.add({ role, content, tool_calls: calls, timestamp: at }, place, conversation)
}
