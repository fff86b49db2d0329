import type { DeclaredMessages } from '../../contract/index.js'
import { isObject, type JsonObject, objectsOf } from '../../json/index.js'

/** The places in the parts of a message. */
export const parts = {
  text: ({ parts }) => partsOf(parts, 'text').filter(({ synthetic, ignored }) => !synthetic && !ignored),
  files: ({ parts }) =>
    partsOf(parts, 'file').map(({ filename, mime, url }) => ({ type: mime ?? 'file', file_name: filename ?? url })),
  thinking: ({ parts }) => partsOf(parts, 'reasoning').map(({ text }) => text),
  calls: {
    in: ({ parts }) => partsOf(parts, 'tool'),
    id: 'callID',
    name: 'tool',
    args: 'state.input',
    output: ['state.output', 'state.error'],
    error: ({ state }) => isObject(state) && state.status === 'error',
  },
} satisfies DeclaredMessages

/** The fields of parts that say how a session is built. */
export const structureOfParts =
  'title reason projectID providerID agent mode slug cwd root finish cost snapshot hash sessionID messageID role type'

const partsOf = (parts: unknown, type: string): JsonObject[] => objectsOf(parts).filter((part) => part.type === type)
