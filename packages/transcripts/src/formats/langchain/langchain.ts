import {
  conversationOf,
  type Format,
  langchainMessage,
  type MessageList,
  placeIn,
  type Reader,
  type ReaderContext,
  readerOfLists,
  scoreOfList,
  usualHead,
  usualHeadFields,
} from '../../contract/index.js'
import { metadataIn } from '../../conversation/index.js'
import { hasAny, isObject, type JsonObject, objectAt, textOf, wordsOf } from '../../json/index.js'
import { type ConversationDraft, elementsOf, type Place, type Placed, type Problem, within } from '../../model/index.js'

/** The paths to the messages in states and checkpoints. */
const holders = [[], ['values'], ['channel_values'], ['checkpoint', 'channel_values'], ['output'], ['state']] as const

const messageHolders = new Set(['messages', ...holders.flatMap(([first]) => first ?? [])])

export const langchain: Format<'langchain'> = {
  id: 'langchain',
  isGeneric: true,
  title: 'LangChain messages or LangGraph state',
  accepts: '{ "messages": [{ "type": "human" | "ai" | "system" | "tool", "content", "tool_calls"? }] }, or that array',
  fields: wordsOf(
    'messages type role content tool_calls additional_kwargs response_metadata lc kwargs values channel_values checkpoint output state',
  ),
  detect(value) {
    if (!isObject(value)) return langchainMessage.score(value) || scoreOfList(value, langchainMessage.score)
    const list = listIn(value)
    if (list === undefined) return langchainMessage.score(value)
    return scoreOfList(list.messages, langchainMessage.score) > 0 ? 0.92 : 0
  },
  reader: readerOf,
}

function listIn(value: JsonObject): { steps: readonly string[]; messages: readonly unknown[] } | undefined {
  if (!hasAny(value, messageHolders)) return undefined
  for (const path of holders) {
    const { messages } = objectAt(value, path)
    if (Array.isArray(messages)) return { steps: [...path, 'messages'], messages }
  }
  return undefined
}

function readerOf(context: ReaderContext): Reader {
  const listIn = (value: JsonObject) => (Array.isArray(value.messages) ? 'messages' : undefined)
  const lists = readerOfLists(langchain, context, { listIn }, (list) => readConversation(list, context))
  let pairs: Placed[] = []
  let lostRecords: Problem[] = []
  /** Consecutive records that are pairs of type and text make one conversation. */
  const flush = (): ConversationDraft[] => {
    const [messages, lost] = [pairs, lostRecords]
    const [first] = messages
    pairs = []
    lostRecords = []
    const rows = messages.map(({ place }) => place)
    const read = ({ place }: Placed) => readConversation({ head: {}, messages, place }, context)
    return first ? [{ ...read(first), rows, lostRecords: lost }] : []
  }
  return {
    ...lists,
    read(record) {
      const { value } = record
      const place = placeIn(record)
      if (Array.isArray(value) && langchainMessage.score(value) > 0) {
        pairs.push({ value, place })
        return []
      }
      const nested = isObject(value) ? nestedList(value, place) : undefined
      return [...flush(), ...(nested ? [readConversation(nested, context)] : lists.read(record))]
    },
    lose(problem) {
      lostRecords.push(problem)
      lists.lose?.(problem)
    },
    *end() {
      yield* flush()
      yield* lists.end()
    },
  }
}

function nestedList(head: JsonObject, place: Place): MessageList | undefined {
  const list = listIn(head)
  if (list === undefined || list.steps.length === 1) return undefined
  return { head: {}, messages: elementsOf(list.messages, within(place, ...list.steps)), place }
}

const headFields = new Set(['messages', 'id', 'metadata', 'thread_id', 'config', ...usualHeadFields])

function readConversation({ head, messages, place }: MessageList, context: ReaderContext): ConversationDraft {
  const conversation = conversationOf(messages, langchainMessage, context)
  conversation.losses.addFields(head, headFields)
  const metadata = metadataIn(head, conversation.losses) ?? {}
  const { name, modelName, at } = usualHead(head, conversation.losses)
  return conversation.build({
    name,
    modelName,
    sourceTimestamp: conversation.time(at),
    externalId: textOf(head.thread_id) ?? textOf(metadata.thread_id) ?? textOf(head.id),
    metadata,
    place,
  })
}
