import { type Format, placeIn } from '../format.js'
import { describe, isObject } from '../json.js'
import { Losses } from '../losses.js'
import { marksOf } from '../message-marks.js'
import { type NativeShape, readNativeTranscript } from '../native-transcript.js'

/** Turns without a name: the bare array, `{ turns }`, or the messages of an annotation request. */
export const turns: Format<'turns'> = {
  id: 'turns',
  title: 'Turns or annotation messages',
  accepts: '[{ "role", "content" }], { "turns": [...] } or { "transcript": [...] }',
  fields: ['turns', 'transcript', 'role', 'content', 'toolCalls', 'toolResults', 'is_user_visible'],
  detect(value) {
    if (isObject(value)) return shapeOf(value) && !('name' in value && 'turns' in value) ? 0.9 : 0
    const marks = marksOf(value)
    if (marks === undefined) return 0
    if (marks.native) return marks.chat ? 0.5 : 0.9
    return marks.chat ? 0 : 0.7
  },
  read(records, report) {
    return records.flatMap((record) => {
      const shape = shapeOf(record.value)
      if (shape) return [readNativeTranscript(shape, record, { losses: new Losses(), report })]
      report(`expected ${turns.accepts}; found ${describe(record.value)}`, placeIn(record, ''))
      return []
    })
  },
}

function shapeOf(value: unknown): NativeShape | undefined {
  if (Array.isArray(value)) return { head: {}, pointer: '', turns: value, turnsPointer: '' }
  if (!isObject(value)) return undefined
  for (const field of ['turns', 'transcript']) {
    const list = value[field]
    if (Array.isArray(list)) return { head: value, pointer: '', turns: list, turnsPointer: `/${field}` }
  }
  return undefined
}
