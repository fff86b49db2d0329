import { defineFormat, type Note } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf, wordSet } from '../../json/index.js'

/** Sessions of Pi, of OpenClaw that is built on it, and of Droid, which have the same lines and blocks of their own. */
export const pi = defineFormat({
  id: 'pi',
  title: 'Pi, OpenClaw or Droid session',
  accepts:
    'lines { "type": "session" | "session_start", "id", "cwd" }, then { "type": "message", "timestamp", "message": { "role", "content" } }',
  signature: {
    'type=session id timestamp cwd': 0.95,
    'type=session_start id': 0.95,
    'type=message timestamp message.role': 0.85,
    'type=model_change|thinking_level_change|compaction|branch_summary|session_info|label|custom|custom_message id timestamp': 0.85,
    'type=todo_state id timestamp': 0.85,
  },
  header: 'type=session|session_start id',
  conversation: {
    name: ['sessionTitle', 'title'],
    externalId: 'id',
    sourceTimestamp: 'timestamp',
    metadata: { cwd: 'cwd', version: 'version', parent_session: 'parentSession' },
  },
  tree: {
    id: 'id',
    parent: 'parentId',
    log: true,
    aside: ({ type }) => type !== 'message' && !summaries.has(type),
  },
  role: ({ type, message }) => (type === 'message' ? asObject(message).role : type),
  roles: {
    user: 'user',
    assistant: 'assistant',
    tool: 'toolResult tool',
    system: 'system bashExecution compaction branch_summary',
    omitted: '*',
  },
  text: ({ summary, message }, note) => summary ?? blocksIn(asObject(message), note),
  metadata: { kind: ({ type }) => (summaries.has(type) ? type : undefined) },
  time: ['timestamp', 'message.timestamp'],
  model: 'message.model',
  results: {
    id: 'message.toolCallId',
    name: 'message.toolName',
    output: ({ message }) => asObject(message).content,
    error: 'message.isError',
  },
  structure: 'role provider api stopReason thinkingLevel owner modelId firstKeptEntryId',
})

/** The summary of earlier messages, or of a branch that the user left. */
const summaries = wordSet('compaction branch_summary')

/** The blocks as Anthropic has them. A shell command of the user stands as a message of its own. */
function blocksIn({ role, content, command, output }: JsonObject, note: Note): unknown {
  if (role === 'bashExecution') {
    note(command, output)
    return [textOf(command), textOf(output)].filter((text) => text !== undefined).join('\n')
  }
  if (!Array.isArray(content)) return content
  return objectsOf(content).map((block) =>
    block.type === 'toolCall' && isObject(block)
      ? { type: 'tool_use', id: block.id, name: block.name, input: block.arguments }
      : block,
  )
}
