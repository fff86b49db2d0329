import { chatgptTree } from '../chatgpt-tree.js'
import { eachRecord, type FileRecord, type Format, type Notes, placeIn } from '../format.js'
import { describe, isObject, type JsonObject, textOf } from '../json.js'
import { fieldsOf } from '../losses.js'
import { sayChatgptMessage } from '../messages/chatgpt.js'
import { Talk } from '../talk.js'
import { type Draft, type Place, within } from '../turn.js'

const conversation = fieldsOf(
  'title create_time update_time current_node conversation_id id default_model_slug gizmo_id gizmo_type conversation_template_id is_archived is_starred conversation_origin async_status voice memory_scope',
  {
    mapping: fieldsOf('', {
      '*': fieldsOf('id parent children', { message: fieldsOf('*', { author: fieldsOf('role name') }) }),
    }),
  },
)

/** The data export of ChatGPT: each conversation is a tree of messages. */
export const chatgptExport: Format<'chatgpt-export'> = {
  id: 'chatgpt-export',
  title: 'ChatGPT data export',
  accepts: '[{ "title", "create_time", "current_node", "mapping": { id: { "message", "parent", "children" } } }]',
  fields: ['mapping', 'current_node', 'conversation_id', 'create_time', 'title', 'default_model_slug'],
  found: '`conversations.json`, or `conversations-000.json` and so on, in the zip that ChatGPT sends; the zip itself',
  keeps:
    'titles, times, models, ids, custom instructions and memory (system turns), hidden messages (not visible); other branches on request',
  loses: 'citations, feedback, settings; conversations without any message',
  // A conversation that was opened and left is in many exports.
  skipsEmpty: true,
  reads: () => conversation,
  detect(value) {
    if (!isObject(value) || !isObject(value.mapping)) return 0
    if ('current_node' in value || 'conversation_id' in value) return 0.95
    const nodes = Object.values(value.mapping).slice(0, 5)
    return nodes.some((node) => isObject(node) && 'message' in node) ? 0.9 : 0
  },
  reader: (notes) => eachRecord((record) => readConversation(record, notes)),
}

function readConversation(record: FileRecord, notes: Notes): Draft[] {
  const { value } = record
  const place = placeIn(record)
  if (!isObject(value) || !isObject(value.mapping)) {
    notes.report(`expected ${chatgptExport.accepts}; found ${describe(value)}`, place)
    return []
  }
  const tree = chatgptTree(value.mapping, value.current_node)
  const id = textOf(value.conversation_id) ?? textOf(value.id)
  const main = readPath(tree.shown, tree.nodes, place, notes)
  const left = notes.options.branches ? 0 : countOthers(tree.nodes, tree.shown)
  if (left > 0) main.losses.add('dropped', 'message of another branch', 'it is left out unless asked for', left)
  const drafts = [draftOf(main, value, place, id)]
  for (const end of notes.options.branches ? tree.otherEnds : []) {
    const talk = readPath(tree.pathTo(end), tree.nodes, place, notes)
    drafts.push(draftOf(talk, value, place, id === undefined ? undefined : `${id}/${end}`, { branch: end }))
  }
  return drafts
}

type Nodes = ReadonlyMap<string, JsonObject>

function readPath(ids: readonly string[], nodes: Nodes, place: Place, { options }: Notes): Talk {
  const talk = new Talk(options)
  for (const id of ids) {
    const message = nodes.get(id)?.message
    if (isObject(message)) sayChatgptMessage(message, within(place, 'mapping', id, 'message'), talk)
  }
  return talk
}

/** Messages of people, models and tools that are not on the way to the last one shown. */
function countOthers(nodes: Nodes, shown: readonly string[]): number {
  let all = 0
  for (const { message } of nodes.values()) if (isSaid(message)) all++
  for (const id of shown) if (isSaid(nodes.get(id)?.message)) all--
  return all
}

function isSaid(message: unknown): boolean {
  return isObject(message) && isObject(message.author) && message.author.role !== 'system'
}

function draftOf(talk: Talk, value: JsonObject, place: Place, id: string | undefined, more: JsonObject = {}): Draft {
  const metadata: JsonObject = { ...more }
  for (const field of ['gizmo_id', 'conversation_template_id', 'is_archived', 'is_starred']) {
    const fact = value[field]
    if (fact === true || textOf(fact) !== undefined) metadata[field] = fact
  }
  const draft = talk.draft({
    name: textOf(value.title),

    sourceSystem: chatgptExport.id,
    externalId: id,
    metadata,
    sourceTimestamp: talk.time(value.create_time),
    place,
  })
  // Old messages do not name their model.
  const slug = textOf(value.default_model_slug)?.slice(0, 100)
  return slug === undefined ? draft : { modelName: slug, ...draft }
}
