import { defineFormat } from '../../contract/index.js'
import { isObject, type JsonObject } from '../../json/index.js'
import { elementsOf, type Place, type Placed, within } from '../../model/index.js'

/** Test cases of deepeval with calls of tools, or of several turns. */
export const deepeval = defineFormat({
  id: 'deepeval',
  title: 'deepeval test case',
  accepts:
    '{ "turns": [{ "role", "content", "tools_called" }], "scenario" }, { "input", "actual_output", "tools_called": [{ "name" }] }, or a run with "testCases"',
  signature: {
    'turns[].role turns[].content scenario': 0.95,
    'turns[].role turns[].tools_called[].name': 0.97,
    'turns[].role turns[].retrieval_context': 0.97,
    'turns[].input turns[].actual_output': 0.97,
    'input actual_output tools_called[].name': 0.97,
    'testCases[].input testCases[].actualOutput': 0.97,
    'conversationalTestCases[].turns[]': 0.97,
  },
  fields: 'turns scenario actual_output tools_called testCases conversationalTestCases',
  conversations: (value, place) =>
    casesIn(value, place).map((each) => ({ ...each, messages: messagesOf(each.value, each.place) })),
  conversation: {
    name: 'name',
    metadata: { scenario: 'scenario', expected_outcome: ['expected_outcome', 'expectedOutcome'] },
  },
  calls: { in: 'tools_called', name: 'name', args: ['input_parameters', 'inputParameters'], output: 'output' },
  lost: [
    'expected_output',
    'context',
    'retrieval_context',
    'expected_tools',
    'chatbot_role',
    'user_description',
    'expectedOutput',
    'retrievalContext',
    'expectedTools',
    'metricsData',
  ],
})

/** The cases of a run, or the record as the only one. */
function casesIn(value: JsonObject, place: Place): (Placed & { value: JsonObject })[] {
  const lists = ['testCases', 'conversationalTestCases'].filter((name) => Array.isArray(value[name]))
  if (lists.length === 0) return [{ value, place }]
  return lists
    .flatMap((name) => elementsOf(value[name], within(place, name)))
    .flatMap(({ value: each, place: at }) => (isObject(each) ? { value: each, place: at } : []))
}

/** The turns, in which a pair is two messages. */
function messagesOf(value: JsonObject, place: Place): Placed[] {
  const turns = Array.isArray(value.turns) ? elementsOf(value.turns, within(place, 'turns')) : [{ value, place }]
  return turns.flatMap(({ value: turn, place: at }) => {
    if (!isObject(turn)) return [{ value: turn, place: at }]
    const { input, actual_output, actualOutput = actual_output, toolsCalled, tools_called = toolsCalled } = turn
    if (actualOutput === undefined) return [{ value: { ...turn, tools_called }, place: at }]
    const field = actual_output === undefined ? 'actualOutput' : 'actual_output'
    return [
      { value: { role: 'user', content: input }, place: within(at, 'input') },
      { value: { role: 'assistant', content: actualOutput, tools_called }, place: within(at, field) },
    ]
  })
}
