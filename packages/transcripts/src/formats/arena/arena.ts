import { addMessages, eachRecord, type Format, failedRequest, type ReaderContext } from '../../contract/index.js'
import { ConversationBuilder, idOf, parseJsonText } from '../../conversation/index.js'
import { defined, isObject, type JsonObject, textOf } from '../../json/index.js'
import { type ConversationDraft, elementsOf, type Place, type Placed, startOfFile, within } from '../../model/index.js'

/** Battles of Chatbot Arena: the conversations of two models with one user. */
export const arena: Format<'arena'> = {
  id: 'arena',
  title: 'Chatbot Arena battle',
  accepts:
    '{ "model_a", "model_b", "winner", "conversation_a": [{ "role", "content" }], "conversation_b" }, or { "prompt", "response_a", "response_b" } with lists of texts',
  fields: ['conversation_a', 'conversation_b', 'response_a', 'response_b', 'model_a', 'model_b'],
  structure: 'winner winner_model_a winner_model_b winner_tie judge language judge_hash',
  detect(value) {
    if (!isObject(value) || typeof value.model_a !== 'string') return 0
    return sides.some((side) => messagesOf(value, side, startOfFile).length > 0) ? 0.97 : 0
  },
  reader: (context) =>
    eachRecord(arena, context, (value, place) => {
      const answered = sides.filter((side) => messagesOf(value, side, place).length > 0)
      if (answered.length === 0) return undefined
      for (const side of sides)
        if (!answered.includes(side)) context.skip(failedRequest(idIn(value, side), 'its conversation is empty'), place)
      return answered.map((side) => draftOf(value, side, place, context))
    }),
}

const sides = ['a', 'b'] as const
type Side = (typeof sides)[number]

/** The messages of a side, or the texts of the user and of that model in turn, which may be JSON of lists. */
function messagesOf(battle: JsonObject, side: Side, place: Place): Placed[] {
  const field = `conversation_${side}`
  if (Array.isArray(battle[field])) return elementsOf(battle[field], within(place, field))
  const said = (name: string, role: string) =>
    [parseJsonText(battle[name])]
      .flat()
      .flatMap((content) =>
        typeof content === 'string' ? [{ value: { role, content }, place: within(place, name) }] : [],
      )
  const answers = said(`response_${side}`, 'assistant')
  return said('prompt', 'user').flatMap((question, index) => [question, ...answers.slice(index, index + 1)])
}

const battleOf = ({ question_id, id }: JsonObject) => idOf(question_id) ?? idOf(id)

const idIn = (battle: JsonObject, side: Side) => battleOf(battle) && `${battleOf(battle)}/${side}`

function draftOf(battle: JsonObject, side: Side, place: Place, context: ReaderContext): ConversationDraft {
  const conversation = new ConversationBuilder(context)
  addMessages(messagesOf(battle, side, place), conversation)
  if (side === 'a')
    conversation.losses.dropFields(battle, ['openai_moderation', 'toxic_chat_tag', 'conv_metadata', 'category_tag'])
  return conversation.build({
    externalId: idIn(battle, side),
    externalUserId: textOf(battle.judge),
    modelName: textOf(battle[`model_${side}`]),
    sourceTimestamp: conversation.time(battle.tstamp),
    metadata: defined<JsonObject>({ battle: battleOf(battle), side, winner: winnerOf(battle) }),
    place,
  })
}

function winnerOf(battle: JsonObject): string | undefined {
  const won = ['model_a', 'model_b', 'tie'].find((name) => Number(idOf(battle[`winner_${name}`])) === 1)
  return textOf(battle.winner) ?? won
}
