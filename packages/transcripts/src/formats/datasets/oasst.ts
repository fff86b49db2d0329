import { ConversationBuilder } from '../../conversation/index.js'
import { eachRecord, type FileRecord, type Format, type Notes, placeIn } from '../../format/index.js'
import { asList, asObject, describe, isObject, type JsonObject, textOf, textsAt, wordMap } from '../../json/index.js'
import { type Draft, fieldsOf, type Losses, type Place, reasons, within } from '../../model/index.js'

const messageFields = fieldsOf(
  'message_id parent_id message_tree_id user_id role text lang created_date model_name tree_state',
  { replies: fieldsOf('*') },
)
const tree = fieldsOf('message_tree_id tree_state', { prompt: fieldsOf('*') })

/** OpenAssistant message trees: the path of the best ranked replies, or every path to a leaf. */
export const oasst: Format<'oasst'> = {
  id: 'oasst',
  title: 'OpenAssistant message tree',
  accepts: '{ "message_tree_id", "prompt": { "text", "role", "replies": […] } }',
  fields: ['message_tree_id', 'prompt', 'replies', 'tree_state'],
  found: 'OASST data sets, as JSONL of trees',
  keeps:
    'language, author of the first message, times, ranks, state of the tree, models of synthetic answers; lower-ranked paths on request',
  loses: 'reviewer labels',
  reads: (value) => (isObject(value.prompt) ? tree : undefined),
  detect(value) {
    const root = rootOf(value)
    if (!root) return 0
    return isObject(value) && 'message_tree_id' in value ? 0.97 : roleOf.has(root.message.role) ? 0.9 : 0
  },
  reader: (notes) =>
    eachRecord(oasst, notes, (value, record) => {
      const root = rootOf(value)
      return root && pathsOf(record, root, notes)
    }),
}

const roleOf = wordMap({ user: 'prompter user', assistant: 'assistant', system: 'system' })

interface Root {
  message: JsonObject
  pointer: string
}

/** The first message, in its tree or alone. */
function rootOf(value: unknown): Root | undefined {
  if (!isObject(value)) return undefined
  if (isObject(value.prompt) && ('message_tree_id' in value || Array.isArray(value.prompt.replies))) {
    return { message: value.prompt, pointer: '/prompt' }
  }
  return Array.isArray(value.replies) && typeof value.text === 'string' ? { message: value, pointer: '' } : undefined
}

/** A message on a path, and the one before it. */
interface Step {
  message: JsonObject
  place: Place
  before: Step | undefined
}

function pathsOf(record: FileRecord, { message, pointer }: Root, notes: Notes): Draft[] {
  const root: Step = { message, place: placeIn(record, pointer), before: undefined }
  const leaves = notes.options.branches ? leavesOf(root) : [bestLeaf(root)]
  const left = notes.options.branches ? 0 : countLeaves(message) - 1
  const tree = asObject(record.value)
  const treeId = textOf(tree.message_tree_id) ?? textOf(message.message_id)
  return leaves.map((leaf, index) => {
    const conversation = new ConversationBuilder(notes.options)
    if (index === 0) countUnread(message, pointer === '' ? '' : 'prompt ', conversation.losses)
    const path = pathTo(leaf)
    for (const step of path) addStep(step, conversation, notes)
    if (left > 0) conversation.losses.drop('branch', reasons.branches, left)
    const isBranch = notes.options.branches === true && leaves.length > 1
    return conversation.build({
      language: textOf(message.lang),
      sourceSystem: oasst.id,
      externalId: isBranch ? `${treeId ?? ''}/${textOf(leaf.message.message_id) ?? index}` : treeId,
      externalUserId: textOf(message.user_id),
      sourceTimestamp: conversation.time(message.created_date),
      metadata: textsAt(tree, ['tree_state']),
      place: placeIn(record),
    })
  })
}

function addStep({ message, place }: Step, conversation: ConversationBuilder, { report }: Notes): void {
  const role = roleOf.get(message.role)
  if (role === undefined) {
    report(`expected a role of prompter or assistant; found ${describe(message.role)}`, within(place, 'role'))
    return
  }
  const metadata: JsonObject = {}
  if (typeof message.message_id === 'string') metadata.message_id = message.message_id
  if (typeof message.rank === 'number') metadata.rank = message.rank
  if (message.deleted === true) metadata.deleted = true
  if (message.synthetic === true) metadata.synthetic = true
  conversation.addMessage(role, message.text, { place, at: message.created_date, model: message.model_name, metadata })
}

function repliesIn({ replies }: JsonObject): readonly unknown[] {
  return asList(replies)
}

function replyOf(step: Step, message: JsonObject, index: number): Step {
  return { message, place: within(step.place, 'replies', index), before: step }
}

/** Follow the best ranked reply (rank 0), else the first; deleted replies come last. */
function bestLeaf(root: Step): Step {
  let at = root
  for (;;) {
    const replies = repliesIn(at.message)
    let best: JsonObject | undefined
    let index = 0
    for (let each = 0; each < replies.length; each++) {
      const reply = replies[each]
      if (!isObject(reply) || (best && orderOf(reply) >= orderOf(best))) continue
      best = reply
      index = each
    }
    if (best === undefined) return at
    at = replyOf(at, best, index)
  }
}

function orderOf(message: JsonObject): number {
  const rank = typeof message.rank === 'number' ? message.rank : Number.MAX_SAFE_INTEGER
  return message.deleted === true ? Number.POSITIVE_INFINITY : rank
}

/** In the order of the file. Not recursive, because a tree may be as deep as JSON allows. */
function leavesOf(root: Step): Step[] {
  const leaves: Step[] = []
  const open = [root]
  for (let step = open.pop(); step; step = open.pop()) {
    const replies = repliesIn(step.message)
    const before = open.length
    for (let index = replies.length - 1; index >= 0; index--) {
      const reply = replies[index]
      if (isObject(reply)) open.push(replyOf(step, reply, index))
    }
    if (open.length === before) leaves.push(step)
  }
  return leaves
}

/** Count the unread fields of all messages of a tree of any depth. */
function countUnread(root: JsonObject, where: string, losses: Losses): void {
  losses.addTexts(root, messageFields, where)
  const open = [...repliesIn(root)].reverse()
  for (let reply = open.pop(); reply !== undefined; reply = open.pop()) {
    if (!isObject(reply)) continue
    losses.addTexts(reply, messageFields, 'replies ')
    for (const each of [...repliesIn(reply)].reverse()) open.push(each)
  }
}

function countLeaves(root: JsonObject): number {
  let count = 0
  const open = [root]
  for (let message = open.pop(); message; message = open.pop()) {
    const before = open.length
    for (const reply of repliesIn(message)) if (isObject(reply)) open.push(reply)
    if (open.length === before) count++
  }
  return count
}

function pathTo(leaf: Step): Step[] {
  const path: Step[] = []
  for (let step: Step | undefined = leaf; step; step = step.before) path.push(step)
  return path.reverse()
}
