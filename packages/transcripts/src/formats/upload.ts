import { eachRecord, type Format, placeIn } from '../format.js'
import { describe, isObject } from '../json.js'
import { Losses } from '../losses.js'
import { mapped } from '../mapped.js'
import { readNativeTranscript } from '../native-transcript.js'

/** The body of an upload, or a stored transcript as the service gives it back, with or without its `data` envelope. */
export const upload: Format<'upload'> = {
  id: 'upload',
  title: 'Upload body',
  accepts: '{ "name", "turns": [{ "role", "content" }] }',
  fields: ['turns', 'modelName', 'sourceSystem', 'externalId', 'externalUserId', 'sourceTimestamp'],
  found: 'output of `svc convert` and of `svc transcripts get --json`; your own code',
  keeps: 'all that the service stores, as it is; also the snake_case names of its answers',
  loses: 'fields that an upload body does not have',
  marks: ['data', 'turns'],
  detect(value) {
    const body = bodyOf(value)
    return body && 'name' in body.head ? 0.95 : 0
  },
  reader({ report }) {
    return eachRecord((record) => {
      const body = bodyOf(record.value)
      if (!body) {
        report(`expected ${upload.accepts}; found ${describe(record.value)}`, placeIn(record, ''))
        return undefined
      }
      const { head, pointer, turns } = body
      const place = placeIn(record, pointer)
      const messages = mapped(turns, (value, index) => ({ value, place: placeIn(record, `${pointer}/turns/${index}`) }))
      return readNativeTranscript({ head, messages, place }, { losses: new Losses(), report })
    })
  },
}

function bodyOf(value: unknown) {
  if (!isObject(value)) return undefined
  const enveloped = isObject(value.data) && Array.isArray(value.data.turns)
  const head = enveloped && isObject(value.data) ? value.data : value
  return Array.isArray(head.turns) ? { head, pointer: enveloped ? '/data' : '', turns: head.turns } : undefined
}
