import { eachRecord, type Format, type ReaderContext, roleIn } from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { isObject, type JsonObject, objectsOf, textOf, textsAt, wordMap } from '../../json/index.js'
import { type ConversationDraft, elementsOf, type Place, reasons, within } from '../../model/index.js'

/** OpenAssistant message trees: the path of the best ranked replies, or every path to a leaf. */
export const oasst: Format<'oasst'> = {
  id: 'oasst',
  title: 'OpenAssistant message tree',
  accepts: '{ "message_tree_id", "prompt": { "text", "role", "replies": […] } }',
  fields: ['message_tree_id', 'prompt', 'replies', 'tree_state'],
  detect(value) {
    const root = rootOf(value)
    if (!root) return 0
    return isObject(value) && 'message_tree_id' in value ? 0.97 : oasstRole.has(root.message.role) ? 0.9 : 0
  },
  reader: (context) =>
    eachRecord(oasst, context, (value, place) => {
      const root = rootOf(value)
      return root && pathsOf(value, place, root, context)
    }),
}

const oasstRole = wordMap({ user: 'prompter user', assistant: 'assistant', system: 'system' })

interface Root {
  message: JsonObject
  steps: string[]
}

/** The first message, in its tree or alone. */
function rootOf(value: unknown): Root | undefined {
  if (!isObject(value)) return undefined
  if (isObject(value.prompt) && ('message_tree_id' in value || Array.isArray(value.prompt.replies))) {
    return { message: value.prompt, steps: ['prompt'] }
  }
  return Array.isArray(value.replies) && typeof value.text === 'string' ? { message: value, steps: [] } : undefined
}

interface Step {
  message: JsonObject
  place: Place
  before: Step | undefined
}

function pathsOf(tree: JsonObject, place: Place, first: Root, context: ReaderContext): ConversationDraft[] {
  const { message } = first
  const root: Step = { message, place: within(place, ...first.steps), before: undefined }
  const steps = stepsOf(root)
  const allLeaves = steps.filter(({ message }) => objectsOf(message.replies).length === 0)
  const leaves = context.options.branches ? allLeaves : [bestLeaf(root)]
  const omitted = allLeaves.length - leaves.length
  const treeId = textOf(tree.message_tree_id) ?? textOf(message.message_id)
  return leaves.map((leaf, index) => {
    const conversation = new ConversationBuilder(context)
    const path = pathTo(leaf)
    for (const step of path) addStep(step, conversation)
    if (omitted > 0) for (const step of steps) if (!path.includes(step)) conversation.losses.note(step.message.text)
    if (omitted > 0) conversation.losses.drop('branch', reasons.branches, omitted)
    return conversation.build({
      language: textOf(message.lang),
      externalId: leaves.length > 1 ? `${treeId ?? ''}/${textOf(leaf.message.message_id) ?? index}` : treeId,
      externalUserId: textOf(message.user_id),
      sourceTimestamp: conversation.time(message.created_date),
      metadata: textsAt(tree, ['tree_state']),
      place,
    })
  })
}

function addStep({ message, place }: Step, conversation: ConversationBuilder): void {
  const role = roleIn(message, oasstRole, place, conversation)
  if (role === undefined) return
  const metadata: JsonObject = textsAt(message, ['message_id'])
  if (typeof message.rank === 'number') metadata.rank = message.rank
  if (message.deleted === true) metadata.deleted = true
  if (message.synthetic === true) metadata.synthetic = true
  conversation.addMessage(role, message.text, { place, at: message.created_date, model: message.model_name, metadata })
}

function repliesTo(step: Step): Step[] {
  return elementsOf(step.message.replies, within(step.place, 'replies')).flatMap(({ value, place }) =>
    isObject(value) ? [{ message: value, place, before: step }] : [],
  )
}

/** All messages of a tree, each before its replies. Not recursive, because a tree may be as deep as JSON allows. */
function stepsOf(root: Step): Step[] {
  const steps: Step[] = []
  const open = [root]
  for (let step = open.pop(); step; step = open.pop()) {
    steps.push(step)
    for (const reply of repliesTo(step).reverse()) open.push(reply)
  }
  return steps
}

/** Follow the best ranked reply (rank 0), else the first; deleted replies come last. */
function bestLeaf(root: Step): Step {
  let leaf = root
  for (let replies = repliesTo(root); replies.length > 0; replies = repliesTo(leaf)) {
    leaf = replies.reduce((best, reply) => (orderOf(reply.message) < orderOf(best.message) ? reply : best))
  }
  return leaf
}

function orderOf(message: JsonObject): number {
  const rank = typeof message.rank === 'number' ? message.rank : Number.MAX_SAFE_INTEGER
  return message.deleted === true ? Number.POSITIVE_INFINITY : rank
}

function pathTo(leaf: Step): Step[] {
  const path: Step[] = []
  for (let step: Step | undefined = leaf; step; step = step.before) path.push(step)
  return path.reverse()
}
