import { defineFormat } from '../../contract/index.js'
import { isObject, type JsonObject } from '../../json/index.js'
import { elementsOf, type Place, type Placed, within } from '../../model/index.js'

/** Test cases of deepeval with calls of tools, or of several turns. */
export const deepeval = defineFormat({
  id: 'deepeval',
  title: 'deepeval test case',
  accepts:
    '{ "turns": [{ "role", "content", "tools_called" }], "scenario" }, or { "input", "actual_output", "tools_called": [{ "name" }] }',
  signature: {
    'turns[].role turns[].content scenario': 0.95,
    'turns[].role turns[].tools_called[].name': 0.97,
    'turns[].role turns[].retrieval_context': 0.97,
    'turns[].input turns[].actual_output': 0.97,
    'input actual_output tools_called[].name': 0.97,
  },
  fields: 'turns scenario actual_output tools_called',
  conversations: (value, place) => [{ value, messages: messagesOf(value, place) }],
  conversation: { name: 'name', metadata: { scenario: 'scenario', expected_outcome: 'expected_outcome' } },
  calls: { in: 'tools_called', name: 'name', args: 'input_parameters', output: 'output' },
  lost: ['expected_output', 'context', 'retrieval_context', 'expected_tools', 'chatbot_role', 'user_description'],
})

function messagesOf(value: JsonObject, place: Place): Placed[] {
  const turns = Array.isArray(value.turns) ? elementsOf(value.turns, within(place, 'turns')) : [{ value, place }]
  return turns.flatMap(({ value: turn, place: at }) => {
    if (!isObject(turn) || turn.actual_output === undefined) return [{ value: turn, place: at }]
    const { input, actual_output, tools_called } = turn
    return [
      { value: { role: 'user', content: input }, place: within(at, 'input') },
      { value: { role: 'assistant', content: actual_output, tools_called }, place: within(at, 'actual_output') },
    ]
  })
}
