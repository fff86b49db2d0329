import { defineFormat, type FormatDeclaration } from '../../contract/index.js'
import { idOf } from '../../conversation/index.js'
import { asObject, type JsonObject, textOf } from '../../json/index.js'
import { type Placed, reasons } from '../../model/index.js'
import { parts, structureOfParts } from './parts.js'

/** Sessions of opencode: what `opencode export` writes, and the files of a session in its storage. */
export const opencode = defineFormat({
  id: 'opencode',
  title: 'opencode session',
  accepts:
    '{ "info": { "id", "title" }, "messages": [{ "info": { "role" }, "parts": [{ "type" }] }] }, or the files of a session: { "projectID", "directory" }, { "sessionID", "role" }, { "messageID", "type" }',
  signature: {
    'info messages[].info.role messages[].parts[]': 0.98,
    'id projectID directory time.created': 0.95,
    // An older session, whose folder stands in its messages.
    'id title version time.created time.updated': 0.9,
    'id sessionID role=user|assistant time.created': 0.95,
    'id sessionID messageID type': 0.95,
  },
  conversation: {
    name: 'info.title',
    externalId: 'info.id',
    sourceTimestamp: 'info.time.created',
    metadata: { cwd: 'info.directory', version: 'info.version', parent_session: 'info.parentID' },
  },
  messages: 'messages',
  join: joined,
  role: 'info.role',
  ...parts,
  time: 'info.time.created',
  model: ['info.modelID', 'info.model.modelID'],
  structure: structureOfParts,
})

const noMessage = 'the file of its message is missing or damaged'

/** The files of a session as an export has them. Messages follow each other by time, parts by their files, as in opencode. */
function joined(
  ...[pieces, lose]: Parameters<NonNullable<FormatDeclaration['join']>>
): ReturnType<NonNullable<FormatDeclaration['join']>> {
  const messageIn = ({ value, place }: Placed & { value: JsonObject }) =>
    value.messageID ?? /^part\/(?:[^/]+\/)?([^/]+)\/[^/]+$/.exec(place.member ?? '')?.[1]
  const others = pieces.filter((piece) => messageIn(piece) === undefined)
  const session = others.find(({ value }) => value.sessionID === undefined)
  const messages = others.filter(({ value }) => value.sessionID !== undefined)
  if (!session || messages.length === 0) return undefined
  const parts = new Map(messages.map(({ value }): [unknown, JsonObject[]] => [value.id, []]))
  for (const piece of pieces) {
    const { value } = piece
    const message = messageIn(piece)
    if (message === undefined) continue
    const siblings = parts.get(message)
    if (siblings) siblings.push(value)
    else lose(value, `part of type "${textOf(value.type)}"`, noMessage)
  }
  const timeOf = (message: JsonObject) => Number(idOf(asObject(message.time).created))
  const hasTimes = messages.every(({ value }) => Number.isFinite(timeOf(value)))
  const inOrder = hasTimes ? [...messages].sort((a, b) => timeOf(a.value) - timeOf(b.value)) : messages
  const directory = messages.map(({ value }) => asObject(value.path).cwd).find((cwd) => cwd !== undefined)
  const conversation = {
    value: { info: { directory, ...session.value } },
    messages: inOrder.flatMap(({ value, place }) => {
      const own = value.id === undefined ? [] : parts.get(value.id)
      parts.delete(value.id)
      if (own?.length === 0) lose({}, `parts of message ${textOf(value.id)}`, 'no file holds one')
      if (own) return [{ value: { info: value, parts: own }, place }]
      lose(value, 'message with the id of another one', reasons.firstKept)
      return []
    }),
  }
  return [conversation]
}
