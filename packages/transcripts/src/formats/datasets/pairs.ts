import { eachRecord, type Format, type ReaderContext } from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { asList, isObject, type JsonObject, textOf } from '../../json/index.js'
import { type ConversationDraft, type Place, reasons, within } from '../../model/index.js'

/** The fields of a row: the text of the user, what belongs to it, the answer, and a system prompt. */
interface Layout {
  user: string
  input?: string
  assistant: string
  system?: string
}

/** Alpaca; Dolly; OpenOrca; sets of questions and answers, whose context and documents nobody said. */
const layouts: readonly Layout[] = [
  { user: 'instruction', input: 'input', assistant: 'output' },
  { user: 'instruction', input: 'context', assistant: 'response' },
  { user: 'question', assistant: 'response', system: 'system_prompt' },
  { user: 'question', assistant: 'answer' },
]

/** Fields that are no part of the conversation. */
const beside = ['context', 'documents', 'ground_truth', 'category']

const layoutOf = (row: JsonObject) =>
  layouts.find(({ user, assistant }) => textOf(row[user]) !== undefined && textOf(row[assistant]) !== undefined)

/** Data sets of one question or instruction and its answer in a row. */
export const pairs: Format<'pairs'> = {
  id: 'pairs',
  title: 'Questions or instructions with answers',
  accepts:
    '{ "instruction", "input", "output" }, { "instruction", "context", "response" }, { "system_prompt", "question", "response" }, { "question", "answer" }, or { "id", "data": ["…", "…"] }',
  fields: ['instruction', 'question', 'data'],
  isGeneric: true,
  detect: (value) => (isObject(value) && (layoutOf(value) ?? textsIn(value)) ? 0.9 : 0),
  reader: (context) =>
    eachRecord(pairs, context, (row, place) => readTexts(row, place, context) ?? readRow(row, place, context)),
}

/** The texts of UltraChat, of which the first, third, … are those of the user. */
function textsIn({ id, data }: JsonObject): readonly string[] | undefined {
  const texts = asList(data)
  return textOf(id) !== undefined && texts.length > 1 && texts.every((text) => typeof text === 'string')
    ? texts
    : undefined
}

function readTexts(row: JsonObject, place: Place, context: ReaderContext): ConversationDraft | undefined {
  const texts = textsIn(row)
  if (!texts) return undefined
  const conversation = new ConversationBuilder(context)
  for (const [index, text] of texts.entries()) {
    conversation.addMessage(index % 2 === 0 ? 'user' : 'assistant', text, { place: within(place, 'data', index) })
  }
  return conversation.build({ externalId: textOf(row.id), place })
}

function readRow(row: JsonObject, place: Place, context: ReaderContext): ConversationDraft | undefined {
  const layout = layoutOf(row)
  if (!layout) return undefined
  const { user, input = '', assistant, system = '' } = layout
  const conversation = new ConversationBuilder(context)
  const prompt = textOf(row[system])
  if (prompt !== undefined) conversation.addMessage('system', prompt, { place: within(place, system) })
  const texts = [row[user], textOf(row[input])].filter((text) => text !== undefined)
  conversation.losses.note(texts)
  conversation.addMessage('user', texts.join('\n\n'), { place: within(place, user) })
  conversation.addMessage('assistant', row[assistant], { place: within(place, assistant) })
  for (const field of beside) {
    if (field !== input) conversation.losses.addField(field, row[field], '', reasons.notConversation)
  }
  return conversation.build({ externalId: textOf(row.id), place })
}
