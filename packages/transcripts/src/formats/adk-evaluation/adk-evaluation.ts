import { addContent, countOtherRole, defineFormat } from '../../contract/index.js'
import type { ConversationBuilder } from '../../conversation/index.js'
import { asList, asObject, isObject, type JsonObject, objectsOf } from '../../json/index.js'
import { type Place, within } from '../../model/index.js'

/** Evaluation sets of the Agent Development Kit, whose cases are conversations as they should be. */
export const adkEvaluation = defineFormat({
  id: 'adk-evaluation',
  title: 'ADK evaluation set',
  accepts:
    '{ "eval_set_id", "eval_cases": [{ "eval_id", "conversation": [{ "user_content", "intermediate_data", "final_response" }] }] }',
  conversations: 'eval_cases',
  signature: { 'eval_id conversation[].user_content': 0.95 },
  conversation: {
    externalId: 'eval_id',
    externalUserId: 'session_input.user_id',
    sourceTimestamp: 'creation_timestamp',
    metadata: { app: 'session_input.app_name' },
  },
  messages: 'conversation',
  addMessage: addInvocation,
  lost: ['rubrics'],
  structure: 'id eval_set_id role invocation_id',
})

/** Adds a question, the calls and results, the texts of agents on the way, and the answer, which may be missing. */
function addInvocation(invocation: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { user_content: question, final_response: answer, creation_timestamp: at } = invocation
  const data = asObject(invocation.intermediate_data)
  const inside = within(place, 'intermediate_data')
  const add = (content: unknown, role: string, where: Place, agent?: unknown) => {
    if (isObject(content) && agent === undefined)
      countOtherRole(content.role, role === 'user' ? 'user' : 'assistant', conversation.losses)
    if (isObject(content))
      addContent(
        { ...content, role },
        { place: where, at, metadata: agent === undefined ? undefined : { agent } },
        conversation,
      )
  }
  add(question, 'user', within(place, 'user_content'))
  const called = objectsOf(data.tool_uses).map(({ id, name, args }) => ({ id: id ?? undefined, name, args }))
  conversation.addToolCalls(called, { place: inside, at })
  for (const { id, name, response } of objectsOf(data.tool_responses)) {
    conversation.addToolResult({ id: id ?? undefined, name, output: response }, { place: inside, at })
  }
  for (const said of asList(data.intermediate_responses)) {
    const [agent, parts] = asList(said)
    add({ parts: asList(parts) }, 'model', inside, agent)
  }
  for (const event of objectsOf(data.invocation_events)) {
    add(event.content, 'model', inside, event.author)
  }
  add(answer, 'model', within(place, 'final_response'))
}
