import { defineFormat } from '../../contract/index.js'
import { isObject, type JsonObject } from '../../json/index.js'
import { type Place, type Placed, within } from '../../model/index.js'

/** Rows of UltraFeedback: an instruction with the answers of several models. The one with the highest score is kept. */
export const ultrafeedback = defineFormat({
  id: 'ultrafeedback',
  title: 'UltraFeedback row',
  accepts: '{ "instruction", "completions": [{ "model", "response", "overall_score", "critique" }] }',
  signature: { 'instruction completions[].model completions[].response': 0.97 },
  conversations: (row, place) => {
    const answers = answersIn(row, place)
    const best = answers.toSorted((a, b) => scoreOf(b.value) - scoreOf(a.value))[0]
    return best && [{ ...best, place, alternatives: answers.filter((answer) => answer !== best) }]
  },
  conversation: {
    modelName: 'model',
    metadata: { source: (_, __, { source }) => source, principle: 'principle', score: 'overall_score' },
  },
  lost: ['models', 'correct_answers', 'incorrect_answers'],
  structure: 'models',
})

type Answer = Placed & { value: JsonObject; messages: Placed[]; answer: Place }

/** The answer of each model, with the instruction before it. */
function answersIn({ instruction, completions }: JsonObject, place: Place): Answer[] {
  if (!Array.isArray(completions)) return []
  return completions.flatMap((completion: unknown, index) => {
    if (!isObject(completion)) return []
    const at = within(place, 'completions', index)
    const messages = [
      {
        value: { role: 'system', content: completion.custom_system_prompt },
        place: within(at, 'custom_system_prompt'),
      },
      { value: { role: 'user', content: instruction }, place: within(place, 'instruction') },
      { value: { role: 'assistant', content: completion.response }, place: within(at, 'response') },
    ]
    return [
      {
        value: completion,
        place: at,
        answer: at,
        messages: messages.filter(({ value }) => value.content !== undefined),
      },
    ]
  })
}

const scoreOf = ({ overall_score: score }: JsonObject) => (typeof score === 'number' ? score : 0)
