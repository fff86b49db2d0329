import { defineFormat } from '../../contract/index.js'
import { asList, asObject } from '../../json/index.js'
import { elementsOf, within } from '../../model/index.js'

/** Answers of ToolBench, of which the last list of messages has the whole path to the final answer. */
export const toolbench = defineFormat({
  id: 'toolbench',
  title: 'ToolBench answer',
  accepts:
    '{ "answer_generation": { "query", "train_messages": [[{ "role", "content", "function_call" }]], "final_answer" }, "win" }',
  signature: { 'answer_generation.train_messages[]': 0.97 },
  conversations: ({ answer_generation: answer }, place) => {
    const lists = asList(asObject(answer).train_messages)
    const last = lists.at(-1)
    if (!Array.isArray(last)) return undefined
    const at = within(place, 'answer_generation', 'train_messages', lists.length - 1)
    return [{ value: asObject(answer), messages: elementsOf(last, at), answer: at }]
  },
  recordsRepeat: true,
  conversation: {
    metadata: { valid: 'valid_data', finish: 'finish_type', win: (_, __, { win }) => win },
  },
  shape: 'openai',
  lost: ['function', 'tree', 'forward_args', 'compare_candidates', 'trys'],
  structure: 'finish_type chain',
})
