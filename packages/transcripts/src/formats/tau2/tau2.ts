import { eachRecord, type Format, openaiMessage, type ReaderContext } from '../../contract/index.js'
import { ConversationBuilder, idOf } from '../../conversation/index.js'
import { asObject, defined, isObject, type JsonObject, objectsOf, textOf, wordsOf } from '../../json/index.js'
import { type ConversationDraft, elementsOf, type Place, reasons, within } from '../../model/index.js'

/** Results of tau2-bench, whose simulated user calls tools, too. */
export const tau2: Format<'tau2'> = {
  id: 'tau2',
  title: 'tau2-bench results',
  accepts:
    '{ "info", "tasks", "simulations": [{ "id", "task_id", "messages": [{ "role", "content", "tool_calls" }] }] }',
  fields: ['simulations', 'tasks', 'info'],
  structure: 'id requestor task_id',
  detect: (value) => (isObject(value) && simulationsIn(value).length > 0 ? 0.97 : 0),
  reader: (context) =>
    eachRecord(tau2, context, (value, place) => {
      if (!Array.isArray(value.simulations)) return undefined
      const info = asObject(value.info)
      return elementsOf(value.simulations, within(place, 'simulations')).map((each, index) => {
        const conversation = new ConversationBuilder(context)
        if (index === 0) conversation.losses.dropFields(value, ['info', 'tasks'])
        return readSimulation(asObject(each.value), each.place, info, conversation, context)
      })
    }),
}

const simulationsIn = ({ simulations }: JsonObject) =>
  objectsOf(simulations).filter(({ messages, task_id }) => Array.isArray(messages) && task_id !== undefined)

const beside = wordsOf('reward_info agent_cost user_cost policy review auth_classification')

function readSimulation(
  simulation: JsonObject,
  place: Place,
  info: JsonObject,
  conversation: ConversationBuilder,
  context: ReaderContext,
): ConversationDraft {
  const { id, task_id: task, trial, termination_reason, start_time, timestamp = start_time } = simulation
  const names = new Map<unknown, unknown>()
  if (!Array.isArray(simulation.messages)) context.report(`expected ${tau2.accepts}; found no messages`, place)
  for (const message of elementsOf(simulation.messages, within(place, 'messages')))
    addMessage(message.value, message.place, names, conversation)
  conversation.losses.dropFields(simulation, beside)
  const { reward } = asObject(simulation.reward_info)
  const { domain_name: domain } = asObject(info.environment_info)
  return conversation.build({
    externalId: textOf(id),
    modelName: textOf(asObject(info.agent_info).llm),
    sourceTimestamp: conversation.time(timestamp),
    metadata: defined<JsonObject>({ task_id: idOf(task), trial, reward, termination_reason, domain }),
    place,
  })
}

/** `names`: the tools that the user called, by the ids of the calls. */
function addMessage(
  value: unknown,
  place: Place,
  names: Map<unknown, unknown>,
  conversation: ConversationBuilder,
): void {
  const { role, content, tool_calls: calls, timestamp: at, requestor, id, error, ...message } = asObject(value)
  conversation.losses.addField('raw_data', message.raw_data, '', reasons.besideRead)
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
