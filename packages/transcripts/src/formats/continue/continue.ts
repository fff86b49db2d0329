import { defineFormat } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'

/** Sessions of Continue, and of editors that are built on it. */
export const continueSession = defineFormat({
  id: 'continue',
  title: 'Continue session',
  accepts:
    '{ "sessionId", "title", "workspaceDirectory", "history": [{ "message": { "role", "content" }, "contextItems" }] }',
  signature: {
    'sessionId history[].message.role history[].contextItems[]': 0.97,
    'sessionId workspaceDirectory history[].message.role': 0.97,
  },
  empty: 'sessionId workspaceDirectory history[]',
  conversation: {
    name: 'title',
    externalId: 'sessionId',
    modelName: 'chatModelTitle',
    sourceTimestamp: 'dateCreated',
    metadata: { cwd: 'workspaceDirectory' },
  },
  messages: 'history',
  role: 'message.role',
  roles: { user: 'user', assistant: 'assistant thinking', system: 'system', tool: 'tool' },
  text: textIn,
  thinking: ({ message, reasoning }) => {
    const { role, content } = asObject(message)
    return [role === 'thinking' ? content : undefined, textOf(asObject(reasoning).text)]
  },
  calls: {
    in: ({ message }) => asObject(message).toolCalls,
    id: 'id',
    name: 'function.name',
    args: 'function.arguments',
  },
  results: { id: 'message.toolCallId', output: 'message.content' },
  structure: 'mode role toolCallId status itemType providerTitle',
})

function textIn({ message }: JsonObject): unknown {
  const { role, content } = asObject(message)
  if (role === 'thinking') return undefined
  if (!Array.isArray(content)) return content
  return objectsOf(content).map((part) => {
    if (part.type !== 'imageUrl') return part
    const { url } = asObject(part.imageUrl)
    return { type: 'image_url', image_url: { url } }
  })
}
