import { eachRecord, type Format } from '../../contract/index.js'
import { isObject } from '../../json/index.js'
import { elementsOf, within } from '../../model/index.js'
import { readNativeTranscript } from './native.js'

/** An upload body, or a stored transcript in a response, with or without its `data` envelope. */
export const upload: Format<'upload'> = {
  id: 'upload',
  title: 'Upload body',
  accepts: '{ "name", "turns": [{ "role", "content" }] }',
  fields: ['turns', 'modelName', 'sourceSystem', 'externalId', 'externalUserId', 'sourceTimestamp'],
  found: 'output of `svc convert` and of `svc transcripts get --json`; your own code',
  keeps:
    'every field of the upload schema, unchanged; also the snake_case names of responses, `title`, `model`, `timestamp`',
  loses: 'fields that the upload schema does not have',
  detect(value) {
    const body = bodyOf(value)
    return body && 'name' in body.head ? 0.95 : 0
  },
  reader: (notes) =>
    eachRecord(upload, notes, (value, outer) => {
      const body = bodyOf(value)
      if (!body) return undefined
      const place = within(outer, ...body.steps)
      const messages = elementsOf(body.head.turns, within(place, 'turns'))
      return readNativeTranscript({ head: body.head, messages, place }, notes)
    }),
}

function bodyOf(value: unknown) {
  if (!isObject(value)) return undefined
  if (isObject(value.data) && Array.isArray(value.data.turns)) return { head: value.data, steps: ['data'] }
  return Array.isArray(value.turns) ? { head: value, steps: [] } : undefined
}
