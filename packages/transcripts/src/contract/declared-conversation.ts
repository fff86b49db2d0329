import { ConversationBuilder, idOf } from '../conversation/index.js'
import { asObject, getOrInsert, isObject, type JsonObject, textOf, wordsOf } from '../json/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Losses,
  type Place,
  type Placed,
  reasons,
  within,
} from '../model/index.js'
import type { ColumnField } from '../records/index.js'
import type { DeclaredTree, FormatDeclaration, FoundConversation, Note, Where } from './declaration.js'
import { messageReader } from './declared-message.js'
import { unlessFailed } from './failed-request.js'
import type { ReaderContext } from './format.js'
import { mappedIn, mappedMessages, mappedOrder } from './mapped.js'
import { branchesIn, type MessageBranches, type TreeNode, unbranched } from './message-tree.js'
import {
  countOthers,
  type Find,
  finderOf,
  findersOf,
  isGiven,
  metadataReader,
  noNote,
  noteIn,
  pathsOf,
  placeAt,
  valueBy,
} from './places.js'
import { noId } from './rows.js'
import { withVisibility } from './visibility.js'

/** A conversation in a file, and the record that holds it. */
interface Found extends FoundConversation {
  place: Place
  /** Default: the conversation. */
  record?: JsonObject
  /** True for the first conversation of its record. */
  isFirst?: boolean
  /** True if the id, the order and the visible messages that the user maps are read by the list around it. Default: false. */
  isListed?: boolean
}

const textFacts = ['name', 'externalUserId', 'modelName', 'language', 'sourceSystem'] as const

/** The field that a user maps to give a fact. */
const mapsOf: Partial<Record<string, ColumnField>> = {
  ...{ name: 'name', externalUserId: 'user_id', modelName: 'model', externalId: 'id', sourceTimestamp: 'time' },
}

/** A function that reads a conversation, with its branches and sub-agents on request; undefined if it has no messages. */
export function conversationReader(
  declaration: FormatDeclaration,
  isEmpty: (conversation: JsonObject) => boolean,
): (conversation: Found, context: ReaderContext, parent?: string) => ConversationDraft[] | undefined {
  // One function: what a declaration names is resolved once, and each step of the reading uses it.
  const { conversation: facts = {}, subagents, tree, order, lost = [] } = declaration
  const addMessages = messageReader(declaration)
  const known = knownFields(declaration)
  const find = findersOf(facts, ...textFacts, 'externalId', 'sourceTimestamp')
  const metadataOf = metadataReader(facts.metadata)
  const findOrder = finderOf(order)
  const findSubagent = finderOf(subagents?.id)
  const findOwner = finderOf(declaration.subagent)
  const findSystem = finderOf(declaration.system)
  const findFailure = finderOf(declaration.failure)
  const findOpening = finderOf(declaration.opening)
  const ends = Object.entries(declaration.end ?? {}).map(([name, where]) => [name, finderOf(where)] as const)
  const placeOf = (where: Where | undefined) => (place: Place, value: JsonObject) => {
    const path = pathsOf(where).find((each) => isGiven(valueBy(value, each)))
    return path === undefined ? place : placeAt(place, path)
  }
  const systemPlace = placeOf(declaration.system)
  const openingPlace = placeOf(declaration.opening)

  /** A function that finds a fact of a conversation: as the user maps it, else as declared. */
  const factReader =
    (
      { value, record, first }: Record<'value' | 'record', JsonObject> & { first: unknown },
      note: Note,
      context: ReaderContext,
    ) =>
    (name: keyof typeof find): unknown =>
      mappedIn([value, record, ...(name === 'modelName' ? [] : [first])], mapsOf[name], context) ??
      find[name](value, note, record)

  /** `more`: the id and the metadata of a conversation that belongs to another. */
  function draftOf(
    { value, place, record = value, isFirst = true, isListed = false, answer = place }: Found,
    builder: ConversationBuilder,
    messages: readonly Placed[],
    context: ReaderContext,
    more: JsonObject,
  ): ConversationDraft {
    const note = noteIn(builder.losses)
    builder.mapped = mappedMessages(messages, context)
    const prompt = findSystem(value, note, record)
    if (isGiven(prompt)) builder.addMessage('system', prompt, { place: systemPlace(place, value) })
    addMessages(messages, builder, context, value, place)
    for (const [name, find] of ends) builder.addEnd({ [name]: find(value, note, record) }, answer)
    countOthers(value, facts.name, builder.losses)
    if (declaration.rows && value === record && typeof facts.metadata !== 'function')
      builder.losses.addFields(value, known)
    for (const path of lost) {
      const field = valueBy(value, path) ?? (isFirst ? valueBy(record, path) : undefined)
      if (isGiven(field)) builder.losses.dropValue(field, `field "${path}"`)
    }
    const factAt = factReader({ value, record, first: messages[0]?.value }, note, context)
    const { id = idOf(factAt('externalId')), ...metadata } = more
    const { columns = {} } = context.options
    const isUnnamed = columns.id && !isListed && more.id === undefined && !context.usedMaps?.has('id')
    if (isUnnamed) context.report(noId(columns.id, value), place)
    const textAt = (name: (typeof textFacts)[number]) => {
      const found = factAt(name)
      const text = textOf(found)
      if (text !== undefined || !isGiven(found)) return text
      const path = pathsOf(facts[name]).find((each) => isGiven(valueBy(value, each)))
      if (path !== undefined) builder.losses.addField(path.slice(path.lastIndexOf('.') + 1), found, '', reasons.noField)
      return text
    }
    const draft = builder.build({
      name: textAt('name'),
      externalUserId: textAt('externalUserId'),
      modelName: textAt('modelName'),
      language: textAt('language'),
      sourceSystem: textAt('sourceSystem'),
      externalId: textOf(id),
      sourceTimestamp: builder.time(factAt('sourceTimestamp')),
      metadata: { ...metadataOf(value, builder.losses, record), ...metadata },
      place,
    })
    return columns.visible && !isListed ? withVisibility(draft, messages, context) : draft
  }

  return function read(conversation: Found, context: ReaderContext, parent?: string): ConversationDraft[] | undefined {
    const { value, place, messages: found, record = value, isListed } = conversation
    const builder = new ConversationBuilder(context)
    const given = typeof found === 'function' ? found(builder.losses) : found
    const threaded = given && withChildren(given, tree?.children)
    const listed = threaded ?? messagesIn(declaration, value, place, builder) ?? (isEmpty(value) ? [] : undefined)
    if (listed === undefined) return undefined
    const opening = findOpening(value, noteIn(builder.losses))
    const messages = isObject(opening) ? [{ value: opening, place: openingPlace(place, value) }, ...listed] : listed
    const mapped = isListed ? undefined : mappedOrder(messages, place, context)
    const sorted = mapped ?? (order === undefined ? messages : sortedBy(messages, findOrder, builder.losses))
    const owners = declaration.subagent === undefined ? undefined : ownersOf(sorted, findOwner)
    const own = owners ? (owners.get('') ?? []) : sorted
    owners?.delete('')
    const ofOwners = [...(owners ?? [])]
    const { main, others } = branchesOfMessages(tree, value, own)
    const nested = subagents ? elementsOf(valueBy(value, subagents.in), placeAt(place, subagents.in)) : []
    const agents = nested.filter((agent): agent is Found => isObject(agent.value))
    const { branches, subagents: keepsAgents } = context.options
    const kept = new Set(main)
    const hidden = branches || main.length === own.length ? [] : own.filter((message) => !kept.has(message))
    for (const each of hidden) builder.losses.dropValue(each.value, 'message of another branch', reasons.branches)
    for (const agent of keepsAgents ? [] : agents)
      builder.losses.dropValue(agent.value, 'conversation of a sub-agent', reasons.subagents)
    for (const each of keepsAgents ? [] : ofOwners.flatMap(([, messages]) => messages))
      builder.losses.dropValue(each.value, 'message of a sub-agent', reasons.subagents)
    const isOne = !branches && !keepsAgents
    const factAt = factReader({ value, record, first: own[0]?.value }, noNote, context)
    const id = isOne ? undefined : idOf(factAt('externalId'))
    const inParent =
      parent === undefined ? {} : { id: `${parent}/${idOf(findSubagent(value)) ?? ''}`, parent_session: parent }
    const alternatives = conversation.alternatives ?? []
    for (const { messages } of branches ? [] : alternatives) {
      builder.losses.noteAll(messages.filter((message) => !kept.has(message)).map(({ value: each }) => each))
      builder.losses.drop('other answer', reasons.branches)
    }
    /** A conversation of messages that are not on the kept branch, or of a sub-agent. */
    const beside = (messages: readonly Placed[], name: string, more: JsonObject) => {
      const session = id === undefined ? { id: name } : { id: `${id}/${name}`, parent_session: id }
      return draftOf(conversation, new ConversationBuilder(context), messages, context, { ...session, ...more })
    }
    return [
      ...unlessFailed(draftOf(conversation, builder, main, context, inParent), findFailure(value), context),
      ...(branches ? others() : []).map(({ messages, leaf }) => beside(messages, leaf, { branch: true })),
      ...(branches ? alternatives : []).map(({ value: facts = value, messages }, index) => {
        const more = { id: id && `${id}/${index + 2}`, branch: index + 2 }
        return draftOf({ ...conversation, value: facts }, new ConversationBuilder(context), messages, context, more)
      }),
      ...(keepsAgents ? ofOwners : []).map(([owner, messages]) => beside(messages, owner, {})),
      ...(keepsAgents ? agents : []).flatMap((agent) => read(agent, context, parent ?? id) ?? []),
    ]
  }
}

/** The names of the fields of a conversation that are read, or describe the structure of the file. */
function knownFields({
  conversation = {},
  messages,
  system,
  lost = [],
  structure = '',
}: FormatDeclaration): Set<string> {
  const { metadata, ...facts } = conversation
  const others = typeof metadata === 'object' ? Object.values(metadata) : typeof metadata === 'string' ? [metadata] : []
  const paths = [...Object.values(facts), ...others, messages, system, lost].flatMap(pathsOf)
  return new Set([...paths.map((path) => path.split('.')[0] ?? ''), ...wordsOf(structure)])
}

/** The messages of each sub-agent by its id; those of the conversation itself by the empty text. */
function ownersOf(messages: readonly Placed[], findOwner: Find): Map<string, Placed[]> {
  const owners = new Map<string, Placed[]>()
  for (const message of messages) {
    const owner = isObject(message.value) ? idOf(findOwner(message.value)) : undefined
    getOrInsert(owners, owner ?? '', () => []).push(message)
  }
  return owners
}

/** The first list of messages. Other lists that differ from it are lost. */
function messagesIn(
  { messages, printed, tree }: FormatDeclaration,
  conversation: JsonObject,
  place: Place,
  { losses }: ConversationBuilder,
): readonly Placed[] | undefined {
  const all = pathsOf(messages).map((path) => ({ path, value: valueBy(conversation, path), at: placeAt(place, path) }))
  const lists = all.filter(
    ({ value }) => Array.isArray(value) || (tree && isMap(value)) || (printed && typeof value === 'string'),
  )
  const chosen = lists.find(({ value }) => isGiven(value)) ?? lists[0]
  if (chosen === undefined) return undefined
  for (const { path, value } of lists) {
    if (value === chosen.value && typeof value !== 'string') continue
    if (isIn(value, chosen.value)) losses.noteAll(value)
    else losses.addField(path, value, '', reasons.othersRead)
  }
  const { value, at } = chosen
  if (typeof value === 'string') {
    const said = printed?.(value) ?? []
    return said.length > 0 ? said.map((each) => ({ value: each, place: at })) : undefined
  }
  return withChildren(membersOf(value, at), tree?.children)
}

/** True for a list whose messages are all in another one. */
function isIn(value: unknown, chosen: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(chosen)) return JSON.stringify(value) === JSON.stringify(chosen)
  const known = new Set(chosen.map((message) => JSON.stringify(message)))
  return value.every((message) => known.has(JSON.stringify(message)))
}

/** True for messages by their ids. */
const isMap = (value: unknown) => isObject(value) && Object.values(value).every(isObject)

/** The elements of a list, or the values of an object. */
const membersOf = (value: unknown, place: Place): Placed[] =>
  Array.isArray(value)
    ? elementsOf(value, place)
    : Object.entries(asObject(value)).map(([key, each]) => ({ value: each, place: within(place, key) }))

/** A message that stands below another one. */
interface Child extends Placed {
  above?: Placed
}

/** The messages, each before those that stand below it. Not recursive, because a tree may be as deep as JSON allows. */
function withChildren(messages: readonly Placed[], children: string | undefined): readonly Child[] {
  if (children === undefined) return messages
  const all: Child[] = []
  const open: Child[] = messages.toReversed()
  for (let message = open.pop(); message; message = open.pop()) {
    const above = message
    all.push(above)
    const below = elementsOf(valueBy(asObject(above.value), children), placeAt(above.place, children))
    for (const each of below.toReversed()) open.push({ ...each, above })
  }
  return all
}

function sortedBy(messages: readonly Placed[], find: (message: JsonObject) => unknown, losses: Losses): Placed[] {
  const inFile = messages.map((message) => ({ message, key: orderOf(find(asObject(message.value))) }))
  // In a list that is newest first, messages of one second are so, too.
  const keys = inFile.flatMap(({ key }) => (key === '' ? [] : [key]))
  if (keys.length > 0 && keys.length < messages.length)
    losses.add(
      'changed',
      'order of a message',
      'the value that sorts the others is missing',
      messages.length - keys.length,
    )
  const isNewestFirst = (keys[0] ?? '') > (keys.at(-1) ?? '')
  const keyed = isNewestFirst ? inFile.reverse() : inFile
  return keyed.sort((a, b) => Number(a.key > b.key) - Number(a.key < b.key)).map(({ message }) => message)
}

const orderOf = (value: unknown) => (typeof value === 'number' || typeof value === 'string' ? value : '')

/** The messages with their ids and parents; undefined without parents: the messages stand in the order of the conversation. */
function nodesIn(
  tree: DeclaredTree,
  messages: readonly Placed[],
): { nodes: TreeNode<Placed>[]; loose: Set<string> } | undefined {
  const find = findersOf(tree, 'id', 'parent')
  const named = pathsOf(tree.parent)
  const loose = new Set<string>()
  const seen = new Set<string>()
  let before: string | undefined
  const nodes = messages.map((message, index): TreeNode<Placed> => {
    const value = asObject(message.value)
    const id = idOf(find.id(value)) ?? `#${index}`
    // In a log, a message without the field follows the one before; null is a root.
    const isLoose = named.length > 0 && named.every((path) => valueBy(value, path) === undefined)
    const parent = isLoose && tree.log && before !== id ? before : idOf(find.parent(value))
    if (isLoose && parent === undefined) loose.add(id)
    if (!seen.has(id)) before = id
    seen.add(id)
    return { message, id, parent, isAside: tree.aside?.(value) === true }
  })
  const idsOf = new Map<Placed, string>(nodes.map(({ message, id }) => [message, id]))
  for (const node of nodes) {
    const { above } = node.message as Child
    if (above) node.parent ??= idsOf.get(above)
  }
  return nodes.some(({ parent }) => parent !== undefined) ? { nodes, loose } : undefined
}

/** The branches of messages: as declared, else of messages that name each other. */
function branchesOfMessages(
  tree: DeclaredTree | undefined,
  conversation: JsonObject,
  messages: readonly Placed[],
): MessageBranches<Placed> {
  if (!tree) return unbranched(messages)
  const found = nodesIn(tree, messages)
  if (!found) return unbranched(messages)
  const last = idOf(finderOf(tree.last)(conversation))
  return branchesIn(found.nodes, { last, isLog: tree.log, loose: found.loose })
}
