import { countOtherFacts, defineFormat, uploadFacts, usualFacts } from '../../contract/index.js'
import { parseJsonText, textOfValue } from '../../conversation/index.js'
import { asList, hasAny, isObject, type JsonObject, textOf, wordSet, wordsOf } from '../../json/index.js'
import { type Losses, type Place, type Placed, reasons, within } from '../../model/index.js'

/** Names of the question and of the answer, and the score of a row that has one of each. The first of each counts. */
const layouts = [
  {
    user: wordsOf('instruction question query user_input user_query user_message prompt'),
    assistant: wordsOf(
      `output response answer completion reply generated_answer generated_text model_output model_response actual_output
      bot_response assistant_response prediction chosen`,
    ),
    score: 0.9,
  },
  { user: wordsOf('user human customer'), assistant: wordsOf('assistant ai bot gpt chatbot'), score: 0.8 },
  // A log of a program has such fields, too.
  { user: ['input'], assistant: wordsOf('output response answer completion actual_output'), score: 0.55 },
]

/** What belongs to an instruction: the input of Alpaca, and the context of Dolly if there is a response. */
const inputsOf = (user: string, assistant: string) =>
  user !== 'instruction' ? [] : assistant === 'response' ? ['input', 'context'] : ['input']

/** Fields that are no part of the conversation. */
const beside = wordsOf(
  `context contexts retrieved_contexts retrieval_context reference_contexts documents source_documents ground_truth
  ground_truths reference reference_answer expected expected_output expected_answer target category`,
)

interface Row {
  user: string
  assistant: string
  score: number
}

/** The step of an agent has an input and an output, too. */
const ofTools = wordSet('tool tool_name toolName function command')

function rowIn(fields: JsonObject): Row | undefined {
  for (const { user, assistant, score } of layouts) {
    if (user[0] === 'input' && hasAny(fields, ofTools)) continue
    const asked = user.find((name) => says(fields[name]) && !holdsObjects(fields[name]))
    const answered = assistant.find((name) => says(fields[name]))
    const isText = [asked, answered].some((name) => name !== undefined && typeof fields[name] === 'string')
    if (asked !== undefined && answered !== undefined && isText) return { user: asked, assistant: answered, score }
  }
  return undefined
}

/** True for a value that may be what somebody says. */
function says(value: unknown): boolean {
  if (typeof value === 'number') return true
  const text = Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join('') : textOf(value)
  return text !== undefined && text.trim() !== ''
}

/** True for messages or fields as JSON text. */
function holdsObjects(value: unknown): boolean {
  const parsed = parseJsonText(value, 1)
  return isObject(parsed) || (Array.isArray(parsed) && parsed.some(isObject))
}

/** Data sets of one question or instruction and its answer in a row. */
export const pairs = defineFormat({
  id: 'pairs',
  title: 'Questions or instructions with answers',
  accepts:
    '{ "question" | "query" | "prompt" | "user_input" | …, "answer" | "response" | "completion" | … }, { "instruction", "input", "output" }, { "user", "assistant" }, { "input", "output" }, or { "id", "data": ["…", "…"] }',
  fields: [...new Set([...layouts.flatMap(({ user }) => user), 'data'])],
  isGeneric: true,
  signature: (value) => (!isObject(value) ? 0 : textsIn(value) ? 0.9 : (rowIn(value)?.score ?? 0)),
  conversations: (value, place) => {
    const texts = textsIn(value)
    if (texts) return [{ value, messages: inTurn(texts, within(place, 'data')) }]
    const row = rowIn(value)
    return row && [{ value, messages: (losses) => messagesOf(row, { value, place }, losses) }]
  },
  conversation: { ...usualFacts, ...uploadFacts, metadata: 'metadata' },
  system: wordsOf('system_prompt system system_message'),
})

/** The texts of UltraChat, of which the first, third, … are those of the user. */
function textsIn({ id, data }: JsonObject): readonly string[] | undefined {
  const texts = asList(data)
  return textOf(id) !== undefined && texts.length > 1 && texts.every((text) => typeof text === 'string')
    ? texts
    : undefined
}

/** Messages of texts of which the first, third, … are those of the user. */
const inTurn = (texts: readonly unknown[], place: Place): Placed[] =>
  texts.map((content, index) => ({
    value: { role: index % 2 === 0 ? 'user' : 'assistant', content },
    place: within(place, index),
  }))

function messagesOf({ user, assistant }: Row, { value: row, place }: Placed & { value: JsonObject }, losses: Losses) {
  const input = inputsOf(user, assistant).find((name) => textOfValue(row[name]))
  const asked = [row[user], ...(input === undefined ? [] : [row[input]])]
  for (const value of asked.flat())
    if (JSON.stringify(value) === textOfValue(value)) losses.noteAll(value)
    else losses.note(value)
  const texts = asked.map((value) => (Array.isArray(value) ? value.map(textOfValue).join('\n') : textOfValue(value)))
  for (const field of beside) if (field !== input) losses.addField(field, row[field], '', reasons.notConversation)
  if (row.rejected !== undefined) losses.dropValue(row.rejected, 'rejected answer')
  countOtherFacts(row, losses)
  return [
    // Earlier questions and answers, as LLaMA-Factory has them.
    ...asList(row.history).flatMap((earlier, index) => inTurn(asList(earlier), within(place, 'history', index))),
    { value: { role: 'user', content: texts.join('\n\n') }, place: within(place, user) },
    { value: { role: 'assistant', content: row[assistant] }, place: within(place, assistant) },
  ]
}
