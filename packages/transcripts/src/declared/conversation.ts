import { branchesOf, pathOf, type ReaderContext } from '../contract/index.js'
import { ConversationBuilder, idOf } from '../conversation/index.js'
import { asObject, isObject, type JsonObject, textOf } from '../json/index.js'
import { type ConversationDraft, elementsOf, type Place, type Placed, reasons } from '../model/index.js'
import type { DeclaredTree, FormatDeclaration } from './declaration.js'
import { messageReader } from './message.js'
import { countOthers, finderOf, findersOf, isGiven, metadataReader, pathsOf, placeAt, valueBy } from './places.js'

/** A conversation in a file; `messages` are given if they are records of their own. */
interface Found {
  value: JsonObject
  place: Place
  messages?: readonly Placed[]
}

interface Branch {
  messages: readonly Placed[]
  /** The id of the last message; undefined for the branch that is kept. */
  leaf?: string
}

/** A function that reads a conversation, with its branches and sub-agents on request; undefined if it has no messages. */
export function conversationReader(
  declaration: FormatDeclaration,
  isEmpty: (conversation: JsonObject) => boolean,
): (conversation: Found, notes: ReaderContext, parent?: string) => ConversationDraft[] | undefined {
  const { conversation: facts = {}, subagents, tree, order, lost = [] } = declaration
  const addMessages = messageReader(declaration)
  const find = findersOf(facts, 'name', 'externalId', 'externalUserId', 'modelName', 'language', 'sourceTimestamp')
  const metadataOf = metadataReader(facts.metadata)
  const findOrder = finderOf(order)
  const findSubagent = finderOf(subagents?.id)

  /** `more`: the id and the metadata of a conversation that belongs to another. */
  function draftOf(
    { value, place }: Found,
    builder: ConversationBuilder,
    messages: readonly Placed[],
    more: JsonObject,
  ): ConversationDraft {
    addMessages(messages, builder)
    countOthers(value, facts.name, builder.losses)
    for (const path of lost) {
      const field = valueBy(value, path)
      if (isGiven(field)) builder.losses.dropValue(field, `field "${path}"`)
    }
    const { id = idOf(find.externalId(value)), ...metadata } = more
    return builder.build({
      name: textOf(find.name(value)),
      externalId: textOf(id),
      externalUserId: idOf(find.externalUserId(value)),
      modelName: textOf(find.modelName(value)),
      language: textOf(find.language(value)),
      sourceTimestamp: builder.time(find.sourceTimestamp(value)),
      metadata: { ...metadataOf(value, builder.losses), ...metadata },
      place,
    })
  }

  return function read(conversation: Found, notes: ReaderContext, parent?: string): ConversationDraft[] | undefined {
    const { value, place } = conversation
    const builder = new ConversationBuilder(notes)
    const messages =
      conversation.messages ?? messagesIn(declaration, value, place, builder) ?? (isEmpty(value) ? [] : undefined)
    if (messages === undefined) return undefined
    const sorted = order === undefined ? messages : sortedBy(messages, findOrder)
    const { main, others } = tree ? branchesIn(tree, value, sorted) : { main: sorted, others: [] }
    const nested = subagents ? elementsOf(valueBy(value, subagents.in), placeAt(place, subagents.in)) : []
    const agents = nested.filter((agent): agent is Found => isObject(agent.value))
    const { branches, subagents: keepsAgents } = notes.options
    const hidden = branches ? [] : sorted.filter((message) => !main.includes(message))
    for (const each of hidden) builder.losses.dropValue(each.value, 'message of another branch', reasons.branches)
    for (const agent of keepsAgents ? [] : agents)
      builder.losses.dropValue(agent.value, 'conversation of a sub-agent', reasons.subagents)
    const id = idOf(find.externalId(value))
    const own =
      parent === undefined ? {} : { id: `${parent}/${idOf(findSubagent(value)) ?? ''}`, parent_session: parent }
    return [
      draftOf(conversation, builder, main, own),
      ...(branches ? others : []).map(({ messages, leaf }) => {
        const more = {
          id: id === undefined ? leaf : `${id}/${leaf}`,
          ...(id !== undefined && { parent_session: id }),
          branch: true,
        }
        return draftOf(conversation, new ConversationBuilder(notes), messages, more)
      }),
      ...(keepsAgents ? agents : []).flatMap((agent) => read(agent, notes, parent ?? id) ?? []),
    ]
  }
}

/** The first list of messages. Other lists that differ from it are lost. */
function messagesIn(
  { messages, printed }: FormatDeclaration,
  conversation: JsonObject,
  place: Place,
  { losses }: ConversationBuilder,
): Placed[] | undefined {
  const all = pathsOf(messages).map((path) => ({ path, value: valueBy(conversation, path), at: placeAt(place, path) }))
  const lists = all.filter(({ value }) => Array.isArray(value) || (printed && typeof value === 'string'))
  const chosen = lists.find(({ value }) => (value as string | unknown[]).length > 0) ?? lists[0]
  if (chosen === undefined) return undefined
  for (const { path, value } of lists) {
    if (value === chosen.value && typeof value !== 'string') continue
    if (JSON.stringify(value) === JSON.stringify(chosen.value)) losses.note(value)
    else losses.addField(path, value, '', reasons.othersRead)
  }
  const { value, at } = chosen
  return typeof value === 'string'
    ? printed?.(value).map((each) => ({ value: each, place: at }))
    : elementsOf(value, at)
}

function sortedBy(messages: readonly Placed[], find: (message: JsonObject) => unknown): Placed[] {
  const keyed = messages.map((message) => ({ message, key: orderOf(find(asObject(message.value))) }))
  return keyed.sort((a, b) => Number(a.key > b.key) - Number(a.key < b.key)).map(({ message }) => message)
}

const orderOf = (value: unknown) => (typeof value === 'number' || typeof value === 'string' ? value : '')

function branchesIn(
  tree: DeclaredTree,
  conversation: JsonObject,
  messages: readonly Placed[],
): { main: readonly Placed[]; others: Required<Branch>[] } {
  const find = findersOf(tree, 'id', 'parent', 'last')
  const nodes = messages.flatMap((message, index) => {
    const value = asObject(message.value)
    return [{ message, id: idOf(find.id(value)) ?? `#${index}`, parent: idOf(find.parent(value)) }]
  })
  // Without parents, the messages stand in the order of the conversation.
  if (nodes.every(({ parent }) => parent === undefined)) return { main: messages, others: [] }
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]))
  const ids = nodes.map(({ id }) => id)
  const last = idOf(find.last(conversation))
  if (last !== undefined && parents.has(last)) ids.push(last)
  const { isKept, others } = branchesOf(ids, parents)
  const those = (isIn: (id: string) => boolean) => nodes.filter(({ id }) => isIn(id)).map(({ message }) => message)
  return {
    main: those(isKept),
    others: others.map((leaf) => {
      const path = pathOf(leaf, parents)
      return { leaf, messages: those((id) => path.has(id)) }
    }),
  }
}
