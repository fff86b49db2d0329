import { eachRecord, type Format } from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { isObject, type JsonObject } from '../../json/index.js'
import { type ConversationDraft, type Place, type ReaderContext, within } from '../../model/index.js'

/** The blank lines, and the names of the speakers, that begin the messages in a text. */
const start = /(?:^|\n\n)(Human|Assistant):/

export const preferences: Format<'preferences'> = {
  id: 'preferences',
  title: 'Preferred answers',
  accepts: '{ "chosen": "\\n\\nHuman: …\\n\\nAssistant: …", "rejected" }',
  fields: ['chosen', 'rejected'],
  detect: (value) => (isObject(value) && startsTalk(value.chosen) && typeof value.rejected === 'string' ? 0.95 : 0),
  reader: (context) => eachRecord(preferences, context, (value, place) => readRow(value, place, context)),
}

const startsTalk = (text: unknown): text is string => typeof text === 'string' && /^\s*Human:/.test(text)

function readRow(
  { chosen, rejected }: JsonObject,
  place: Place,
  context: ReaderContext,
): ConversationDraft | undefined {
  if (!startsTalk(chosen)) return undefined
  const conversation = new ConversationBuilder(context)
  conversation.losses.note(chosen)
  const [, ...pieces] = chosen.trim().split(start)
  for (let at = 0; at < pieces.length; at += 2) {
    const role = pieces[at] === 'Human' ? 'user' : 'assistant'
    conversation.addMessage(role, pieces[at + 1]?.trim() ?? '', { place: within(place, 'chosen') })
  }
  if (rejected !== undefined) conversation.losses.dropValue(rejected, 'rejected answer')
  return conversation.build({ place })
}
