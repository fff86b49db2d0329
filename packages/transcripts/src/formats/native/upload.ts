import {
  eachRecord,
  type Format,
  type MessageList,
  type Report,
  readerOfLists,
  scoreOfList,
} from '../../contract/index.js'
import { isObject, type JsonObject, sampleOf } from '../../json/index.js'
import { formatOfCalls, marksOf } from '../../messages/index.js'
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

/** Turns without a name: the bare array, `{ turns }`, or the messages of an annotation request. */
export const turns: Format<'turns'> = {
  id: 'turns',
  title: 'Turns or annotation messages',
  accepts: '[{ "role", "content" }], { "turns": […] } or { "transcript": […] }',
  fields: ['turns', 'transcript', 'role', 'content', 'toolCalls', 'toolResults', 'is_user_visible'],
  found: 'your own code; bodies of annotation requests',
  keeps:
    'every field of the upload schema, unchanged, and visibility (`is_user_visible`); also `title`, `model`, `timestamp`',
  loses: 'fields that the upload schema does not have, such as the annotator of a request',
  detect(value) {
    if (!isObject(value)) return scoreOfList(value, scoreOf)
    const list = value[listIn(value) ?? '']
    if (!Array.isArray(list)) return scoreOf(value)
    if ('name' in value && 'turns' in value) return 0
    return sampleOf(list).some((message) => marksOf(message)?.isUnknownRole) ? 0.5 : 0.9
  },
  reader(notes) {
    // Detection reads only the start of a file, and tool calls may come later.
    const hinted = (messages: MessageList['messages']): Report => {
      let other: string | undefined
      return (message, place, code) => {
        other ??= messages.map(({ value }) => formatOfCalls(value)).find((format) => format !== undefined)
        const hint = other === undefined ? '' : `. Its messages look like ${other}; name the format`
        notes.report(message + hint, place, code)
      }
    }
    return readerOfLists(turns, notes, { listIn }, (list) =>
      readNativeTranscript(list, { ...notes, report: hinted(list.messages) }),
    )
  },
}

function scoreOf(message: unknown): number {
  const marks = marksOf(message)
  // Dialogues have such roles.
  if (marks?.isUnknownRole) return 0.2
  if (marks === undefined || marks.chat) return marks?.native ? 0.5 : 0
  return marks.native ? 0.9 : 0.7
}

function listIn(value: JsonObject): string | undefined {
  return ['turns', 'transcript'].find((name) => Array.isArray(value[name]))
}
