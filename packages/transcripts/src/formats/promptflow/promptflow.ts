import { defineFormat } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type Place, type Placed, within } from '../../model/index.js'

/** Rows of promptflow with a `chat_history`, in which each round has inputs and outputs. */
export const promptflow = defineFormat({
  id: 'promptflow',
  title: 'promptflow chat history',
  accepts: '{ "question", "chat_history": [{ "inputs": { "question" }, "outputs": { "answer" } }], "answer"? }',
  signature: { 'chat_history[].inputs chat_history[].outputs': 0.97 },
  conversations: (row, place) => [{ value: row, messages: messagesOf(row, place) }],
  structure: 'line_number variant_id',
})

/** The rounds before the row, and the row as the last one: its fields have the names of the first round. */
function messagesOf(row: JsonObject, place: Place): Placed[] {
  const rounds = objectsOf(row.chat_history)
  const [first] = rounds
  const asked = nameIn(asObject(first?.inputs), questions)
  const answered = nameIn(asObject(first?.outputs), answers)
  const said = (role: string, fields: unknown, name: string | undefined, at: Place): Placed[] => {
    const content = name === undefined ? undefined : asObject(fields)[name]
    return content === undefined || content === null
      ? []
      : [{ value: { role, content }, place: within(at, name ?? '') }]
  }
  return [
    ...rounds.flatMap(({ inputs, outputs }, index) => [
      ...said('user', inputs, asked, within(place, 'chat_history', index, 'inputs')),
      ...said('assistant', outputs, answered, within(place, 'chat_history', index, 'outputs')),
    ]),
    ...said('user', row, asked, place),
    ...said('assistant', row, answered, place),
  ]
}

const questions = ['question', 'chat_input', 'query', 'user_input']
const answers = ['answer', 'chat_output', 'output', 'response']

/** The usual name of the input or output of a chat, or the name of its first text. */
const nameIn = (fields: JsonObject, usual: readonly string[]): string | undefined =>
  [...usual, ...Object.keys(fields)].find((name) => textOf(fields[name]) !== undefined)
