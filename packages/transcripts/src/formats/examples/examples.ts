import { anySide, defineFormat, messagesIn, messagesOfCall } from '../../contract/index.js'
import { isObject, type JsonObject } from '../../json/index.js'
import { startOfFile, within } from '../../model/index.js'

/** Examples of data sets, as LangSmith has them: the inputs of a program, and the outputs. */
export const examples = defineFormat({
  id: 'examples',
  title: 'Examples of a data set',
  accepts:
    '{ "inputs": { "question" or "messages" }, "outputs": { "answer" or "messages" } }, or the columns "inputs.question" and "outputs.answer"',
  signature: (value) => (isObject(value) && isExample(value) ? 0.85 : 0),
  fields: 'inputs outputs',
  isGeneric: true,
  conversations: (value, place) => {
    const { inputs, outputs } = value
    if (!isObject(inputs) || !isObject(outputs)) return undefined
    const request = { value: inputs, place: within(place, 'inputs') }
    const found = messagesOfCall({ request, response: anySide(outputs, 'assistant', within(place, 'outputs')) })
    return found && [{ value, ...found }]
  },
  conversation: { externalId: 'id', modelName: 'inputs.model', metadata: 'metadata' },
  shape: 'any',
  lost: ['expectations'],
  structure: 'split dataset_name',
})

function isExample({ run_type, op_name, inputs, outputs }: JsonObject): boolean {
  if (run_type !== undefined || op_name !== undefined || !isObject(inputs) || !isObject(outputs)) return false
  const sides = [messagesIn(inputs, 'user', startOfFile), messagesIn(outputs, 'assistant', startOfFile)]
  return sides.every(({ length }) => length > 0)
}
