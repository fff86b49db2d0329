import { defineFormat } from '../../declared/index.js'
import { isObject, type JsonObject, objectsOf } from '../../json/index.js'

/** Sessions that `opencode export` writes. */
export const opencode = defineFormat({
  id: 'opencode',
  title: 'opencode session',
  accepts: '{ "info": { "id", "title" }, "messages": [{ "info": { "role" }, "parts": [{ "type" }] }] }',
  signature: { 'info messages[].info.role messages[].parts[]': 0.98 },
  conversation: {
    name: 'info.title',
    externalId: 'info.id',
    sourceTimestamp: 'info.time.created',
    metadata: { cwd: 'info.directory', version: 'info.version', parent_session: 'info.parentID' },
  },
  messages: 'messages',
  role: 'info.role',
  text: ({ parts }) => partsOf(parts, 'text').filter(({ synthetic, ignored }) => !synthetic && !ignored),
  files: ({ parts }) =>
    partsOf(parts, 'file').map(({ filename, mime, url }) => ({ type: mime ?? 'file', file_name: filename ?? url })),
  thinking: ({ parts }) => partsOf(parts, 'reasoning').map(({ text }) => text),
  time: 'info.time.created',
  model: ['info.modelID', 'info.model.modelID'],
  calls: {
    in: ({ parts }) => partsOf(parts, 'tool'),
    id: 'callID',
    name: 'tool',
    args: 'state.input',
    output: ['state.output', 'state.error'],
    error: ({ state }) => isObject(state) && state.status === 'error',
  },
  structure: 'title reason projectID providerID agent mode slug cwd root finish cost snapshot hash',
})

const partsOf = (parts: unknown, type: string): JsonObject[] => objectsOf(parts).filter((part) => part.type === type)
