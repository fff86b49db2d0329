import { anySide, draftsOfCall, eachRecord, type Format, messagesIn } from '../../contract/index.js'
import { metadataIn } from '../../conversation/index.js'
import { asObject, isObject, textOf } from '../../json/index.js'
import { reasons, startOfFile, within } from '../../model/index.js'

/** Examples of data sets, as LangSmith has them: the inputs of a program, and the outputs. */
export const examples: Format<'examples'> = {
  id: 'examples',
  title: 'Examples of a data set',
  accepts:
    '{ "inputs": { "question" or "messages" }, "outputs": { "answer" or "messages" } }, or the columns "inputs.question" and "outputs.answer"',
  fields: ['inputs', 'outputs'],
  isGeneric: true,
  structure: 'split dataset_name',
  detect(value) {
    if (!isObject(value) || 'run_type' in value || 'op_name' in value) return 0
    const { inputs, outputs } = value
    if (!isObject(inputs) || !isObject(outputs)) return 0
    const sides = [messagesIn(inputs, 'user', startOfFile), messagesIn(outputs, 'assistant', startOfFile)]
    return sides.every(({ length }) => length > 0) ? 0.85 : 0
  },
  reader: (context) =>
    eachRecord(examples, context, (value, place) => {
      if (!isObject(value.inputs) || !isObject(value.outputs)) return undefined
      const request = { value: value.inputs, place: within(place, 'inputs') }
      const response = anySide(value.outputs, 'assistant', within(place, 'outputs'))
      return draftsOfCall({ request, response, place }, context, ({ losses }) => {
        losses.addField('expectations', value.expectations, '', reasons.notConversation)
        return {
          modelName: textOf(asObject(value.inputs).model),
          externalId: textOf(value.id),
          metadata: metadataIn(value, losses),
        }
      })
    }),
}
