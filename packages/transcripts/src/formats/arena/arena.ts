import { defineFormat, type FoundConversation } from '../../contract/index.js'
import { idOf, parseJsonText } from '../../conversation/index.js'
import { isObject, type JsonObject, textOf } from '../../json/index.js'
import { elementsOf, type Place, type Placed, startOfFile, within } from '../../model/index.js'

/** Battles of Chatbot Arena: the conversations of two models with one user. */
export const arena = defineFormat({
  id: 'arena',
  title: 'Chatbot Arena battle',
  accepts:
    '{ "model_a", "model_b", "winner", "conversation_a": [{ "role", "content" }], "conversation_b" }, or { "prompt", "response_a", "response_b" } with lists of texts',
  signature: (value) =>
    isObject(value) && typeof value.model_a === 'string' && isAnswered(value, startOfFile) ? 0.97 : 0,
  fields: 'conversation_a conversation_b response_a response_b model_a model_b',
  conversations: (battle, place) =>
    isAnswered(battle, place) ? sides.map((side) => sideOf(battle, side, place)) : undefined,
  conversation: {
    externalId: ({ side }, _, battle) => battleOf(battle) && `${battleOf(battle)}/${side}`,
    externalUserId: (_, __, { judge }) => judge,
    modelName: 'model',
    sourceTimestamp: (_, __, { tstamp }) => tstamp,
    metadata: {
      battle: (_, __, battle) => battleOf(battle),
      side: 'side',
      winner: (_, __, battle) => winnerOf(battle),
    },
  },
  shape: 'any',
  failure: () => 'its conversation is empty',
  lost: ['openai_moderation', 'toxic_chat_tag', 'conv_metadata', 'category_tag'],
  structure: 'winner winner_model_a winner_model_b winner_tie judge language judge_hash',
})

const sides = ['a', 'b'] as const

const isAnswered = (battle: JsonObject, place: Place) =>
  sides.some((side) => messagesOf(battle, side, place).length > 0)

/** The conversation of a model, which is not named if it gave no answer. */
function sideOf(battle: JsonObject, side: (typeof sides)[number], place: Place): FoundConversation {
  const messages = messagesOf(battle, side, place)
  return { value: { side, model: messages.length > 0 ? battle[`model_${side}`] : undefined }, messages }
}

/** The messages of a side, or the texts of the user and of that model in turn, which may be JSON of lists. */
function messagesOf(battle: JsonObject, side: (typeof sides)[number], place: Place): Placed[] {
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

function winnerOf(battle: JsonObject): unknown {
  const won = ['model_a', 'model_b', 'tie'].find((name) => Number(idOf(battle[`winner_${name}`])) === 1)
  return textOf(battle.winner) ?? won
}
