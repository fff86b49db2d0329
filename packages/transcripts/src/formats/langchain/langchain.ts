import { defineFormat, langchainMessage, scoreOfList, usualFacts } from '../../contract/index.js'
import { isObject, type JsonObject, objectAt } from '../../json/index.js'
import { elementsOf, within } from '../../model/index.js'

export const langchain = defineFormat({
  id: 'langchain',
  isGeneric: true,
  title: 'LangChain messages or LangGraph state',
  accepts: '{ "messages": [{ "type": "human" | "ai" | "system" | "tool", "content", "tool_calls"? }] }, or that array',
  signature(value) {
    if (!isObject(value)) return langchainMessage.score(value) || scoreOfList(value, langchainMessage.score)
    const { messages } = objectAt(value, holderIn(value) ?? [])
    if (!Array.isArray(messages)) return langchainMessage.score(value)
    return scoreOfList(messages, langchainMessage.score) > 0 ? 0.92 : 0
  },
  fields:
    'messages type role content tool_calls additional_kwargs response_metadata lc kwargs values channel_values checkpoint output state',
  // A pair of a type and a text is a message.
  rows: { is: (value) => Array.isArray(value) && langchainMessage.score(value) > 0 },
  conversations: (value, place) => {
    const holder = holderIn(value)
    if (holder === undefined || holder.length === 0) return undefined
    const messages = elementsOf(objectAt(value, holder).messages, within(place, ...holder, 'messages'))
    return [{ value: {}, messages }]
  },
  conversation: { ...usualFacts, externalId: ['thread_id', 'metadata.thread_id', 'id'], metadata: 'metadata' },
  messages: 'messages',
  shape: langchainMessage,
  structure: 'config',
})

/** The paths to the object with the messages in states and checkpoints. */
const holders = [[], ['values'], ['channel_values'], ['checkpoint', 'channel_values'], ['output'], ['state']]

const holderIn = (value: JsonObject): readonly string[] | undefined =>
  holders.find((path) => Array.isArray(objectAt(value, path).messages))
