import { idOf, isFact } from '../facts.js'
import { type Format, type Notes, placeIn } from '../format.js'
import { describe, isObject, type JsonObject, textOf } from '../json.js'
import { type MessageList, readerOfLists, scoreOfList } from '../message-list.js'
import { ShareGptSaying, speakerIn } from '../messages/sharegpt.js'
import { Talk } from '../talk.js'
import { type Draft, within } from '../turn.js'
import { usualHead, usualHeadFields } from '../usual-fields.js'

/** Data sets in the manner of ShareGPT, and the kin of it that LLaMA-Factory reads. */
export const sharegpt: Format<'sharegpt'> = {
  id: 'sharegpt',
  title: 'ShareGPT data set',
  accepts: '{ "conversations": [{ "from", "value" }] }, or { "messages": [{ "role", "content" }], "images": […] }',
  fields: ['conversations', 'from', 'value', 'system', 'tools', 'images'],
  found: 'data sets for training and evaluation',
  keeps: 'ids, system prompts, weights, short fields of a talk; the chosen answer of a pair',
  loses: 'definitions of tools, rejected answers',
  detect(value) {
    if (Array.isArray(value)) return scoreOfList(value, scoreOf)
    if (!isObject(value)) return 0
    const list = listIn(value)
    if (list === undefined) return scoreOf(value)
    const score = scoreOfList(value[list.slice(1)], scoreOf)
    if (list !== '/messages') return score
    const hasMedia = mediaFields.some(([field]) => Array.isArray(value[field]))
    return score > 0.9 ? score : hasMedia && scoreOfList(value.messages, isPlain) > 0 ? 0.92 : 0
  },
  reader: (notes) =>
    readerOfLists(listIn, (list, record) => {
      if (typeof record.value === 'object' && record.value !== null) return readTalk(list, notes)
      notes.report(`expected ${sharegpt.accepts}; found ${describe(record.value)}`, placeIn(record))
      return undefined
    }),
}

const mediaFields: readonly [string, string][] = [
  ['images', 'image'],
  ['image', 'image'],
  ['videos', 'video'],
  ['audios', 'audio'],
]

function listIn(value: JsonObject): string | undefined {
  if (Array.isArray(value.conversations)) return '/conversations'
  if (Array.isArray(value.conversation)) return '/conversation'
  return Array.isArray(value.messages) ? '/messages' : undefined
}

/** `{ from, value }`; or parts with a `value` where others have `text`. */
function scoreOf(message: unknown): number {
  if (!isObject(message) || speakerIn(message) === undefined) return 0
  if ('from' in message) return 'value' in message ? 0.95 : 0
  const parts = Array.isArray(message.content) ? message.content : []
  return parts.some((part) => isObject(part) && 'type' in part && 'value' in part) ? 0.95 : 0
}

function isPlain(message: unknown): number {
  return isObject(message) && speakerIn(message) !== undefined && typeof message.content === 'string' ? 1 : 0
}

const talkFields = new Set([
  ...'conversations conversation messages id conversation_id system system_prompt language lang chosen'.split(' '),
  ...'rejected images image videos audios'.split(' '),
  ...usualHeadFields,
])

function readTalk({ head, messages, place }: MessageList, { report, options }: Notes): Draft {
  const talk = new Talk(options)
  const media = new Media(head)
  const saying = new ShareGptSaying(talk, (text) => media.partsOf(text))
  const system = textOf(head.system) ?? textOf(head.system_prompt)
  if (system !== undefined) talk.say('system', system, { place: within(place, 'system') })
  for (const message of messages) saying.message(message.value, message.place, report)
  if (isObject(head.chosen)) saying.message(head.chosen, within(place, 'chosen'), report)
  if (head.rejected !== undefined) talk.losses.add('dropped', 'rejected answer', 'it is no part of the talk')
  for (const kind of media.left()) {
    talk.losses.add('dropped', `${kind} without a token in the text`, 'no message says where it stands')
  }
  const facts: [string, unknown][] = []
  for (const key of Object.keys(head)) {
    const value = head[key]
    if (talkFields.has(key) || (key === 'tools' && value === '[]')) continue
    if (key !== 'tools' && isFact(value)) facts.push([key, value])
    else talk.losses.addField(key, value)
  }
  const { name, modelName, at } = usualHead(head, talk.losses)
  return talk.draft({
    name,
    modelName,
    sourceTimestamp: talk.time(at),
    language: textOf(head.language) ?? textOf(head.lang),
    sourceSystem: sharegpt.id,
    externalId: idOf(head.id) ?? idOf(head.conversation_id),
    metadata: Object.fromEntries(facts),
    place,
  })
}

const token = /<(image|video|audio)>/

/** The media of a talk, in the order in which tokens in its texts ask for them. */
class Media {
  readonly #waiting = new Map<string, unknown[]>()

  constructor(head: JsonObject) {
    for (const [field, kind] of mediaFields) {
      const value = head[field]
      if (value === undefined || value === null) continue
      const own = Array.isArray(value) ? value : [value]
      this.#waiting.set(kind, [...(this.#waiting.get(kind) ?? []), ...own])
    }
  }

  /** The text, or its pieces with media between them. A token for which none is left stays. */
  partsOf(text: string): string | unknown[] {
    if (!text.includes('<') || !token.test(text)) return text
    const parts: unknown[] = []
    for (const [index, piece] of text.split(token).entries()) {
      const waiting = index % 2 === 1 ? this.#waiting.get(piece) : undefined
      if (waiting && waiting.length > 0) parts.push(mediumOf(piece, waiting.shift()))
      else if (index % 2 === 1) parts.push(`<${piece}>`)
      else if (piece.trim() !== '') parts.push(piece)
    }
    return parts
  }

  /** The kinds of those that no token asked for. */
  left(): string[] {
    const kinds: string[] = []
    for (const [kind, waiting] of this.#waiting) for (const _ of waiting) kinds.push(kind)
    return kinds
  }
}

/** A path, an address or base64; or an object that has one of them. */
function mediumOf(kind: string, value: unknown): JsonObject {
  const held = isObject(value) ? (value.path ?? value.url) : value
  if (typeof held !== 'string') return { type: kind }
  if (/^(data:|https?:)/.test(held)) return { type: kind, [`${kind}_url`]: { url: held } }
  return held.length > 500 ? { type: kind, data: held } : { type: kind, name: held }
}
