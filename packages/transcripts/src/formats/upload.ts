import { type Format, placeIn } from '../format.js'
import { describe, isObject, type JsonObject } from '../json.js'
import { Losses } from '../losses.js'
import { readNativeTranscript } from '../native-transcript.js'

/** The body of an upload, or a stored transcript as the service gives it back, with or without its `data` envelope. */
export const upload: Format<'upload'> = {
  id: 'upload',
  title: 'Upload body',
  accepts: '{ "name", "turns": [{ "role", "content" }] }',
  fields: ['turns', 'modelName', 'sourceSystem', 'externalId', 'externalUserId', 'sourceTimestamp'],
  detect(value) {
    const body = bodyOf(value)
    return body && 'name' in body.head ? 0.95 : 0
  },
  read(records, report) {
    return records.flatMap((record) => {
      const body = bodyOf(record.value)
      if (body) return [readNativeTranscript(body, record, { losses: new Losses(), report })]
      report(`expected ${upload.accepts}; found ${describe(record.value)}`, placeIn(record, ''))
      return []
    })
  },
}

function bodyOf(value: unknown) {
  if (!isObject(value)) return undefined
  const enveloped = isObject(value.data) && Array.isArray(value.data.turns)
  const head: JsonObject = enveloped && isObject(value.data) ? value.data : value
  const pointer = enveloped ? '/data' : ''
  const { turns } = head
  return Array.isArray(turns) ? { head, pointer, turns, turnsPointer: `${pointer}/turns` } : undefined
}
