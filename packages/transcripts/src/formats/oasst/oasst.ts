import { defineFormat } from '../../contract/index.js'
import { isObject, type JsonObject, objectsOf } from '../../json/index.js'
import { within } from '../../model/index.js'

/** OpenAssistant message trees: the path of the best ranked replies, or every path to a leaf. */
export const oasst = defineFormat({
  id: 'oasst',
  title: 'OpenAssistant message tree',
  accepts: '{ "message_tree_id", "prompt": { "text", "role", "replies": […] } }',
  signature: {
    'message_tree_id prompt.text': 0.97,
    'prompt.replies[] prompt.role=prompter|user|assistant|system': 0.9,
    'replies[] text role=prompter|user|assistant|system': 0.9,
  },
  // The first message stands in its tree or alone.
  conversations: (tree, place) => {
    if (isObject(tree.prompt))
      return [{ value: tree, messages: [{ value: tree.prompt, place: within(place, 'prompt') }] }]
    return Array.isArray(tree.replies) ? [{ value: tree, messages: [{ value: tree, place }] }] : undefined
  },
  conversation: {
    externalId: ['message_tree_id', 'prompt.message_id', 'message_id'],
    externalUserId: ['prompt.user_id', 'user_id'],
    language: ['prompt.lang', 'lang'],
    sourceTimestamp: ['prompt.created_date', 'created_date'],
    metadata: { tree_state: 'tree_state' },
  },
  tree: { id: 'message_id', children: 'replies', last: bestLeaf },
  roles: { user: 'prompter user', assistant: 'assistant', system: 'system' },
  text: 'text',
  time: 'created_date',
  model: 'model_name',
  metadata: {
    message_id: 'message_id',
    rank: 'rank',
    deleted: ({ deleted }) => deleted === true || undefined,
    synthetic: ({ synthetic }) => synthetic === true || undefined,
  },
})

/** The id at the end of the best ranked replies (rank 0), else of the first; deleted replies come last. */
function bestLeaf(tree: JsonObject): unknown {
  let leaf = isObject(tree.prompt) ? tree.prompt : tree
  for (let replies = objectsOf(leaf.replies); replies.length > 0; replies = objectsOf(leaf.replies))
    leaf = replies.reduce((best, reply) => (orderOf(reply) < orderOf(best) ? reply : best))
  return leaf.message_id
}

function orderOf({ rank, deleted }: JsonObject): number {
  if (deleted === true) return Number.POSITIVE_INFINITY
  return typeof rank === 'number' ? rank : Number.MAX_SAFE_INTEGER
}
