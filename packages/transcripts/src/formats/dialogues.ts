import { idOf, isFact } from '../facts.js'
import { type FileRecord, type Format, type Notes, placeIn, type Reader } from '../format.js'
import { describe, hasAny, isObject, type JsonObject, textOf } from '../json.js'
import { type MessageList, readerOfLists } from '../message-list.js'
import { DialogueMessages, scoreOfDialogue, scoreOfMessage, talkIdOf } from '../messages/dialogue.js'
import { type ColumnField, columnsOf } from '../table-columns.js'
import { Talk } from '../talk.js'
import { TalksById } from '../talks-by-id.js'
import type { Draft, Place } from '../turn.js'

const listFields = 'original utterances dialogue dialog turns messages conversation transcript chat log'.split(' ')

/** Talks of customers with people or bots as data sets and simple exports have them: who speaks, and what. */
export const dialogues: Format<'dialogues'> = {
  id: 'dialogues',
  title: 'Dialogues of speakers',
  accepts: '{ "utterances": [{ "speaker", "text" }] }, { "original": [["agent", "text"]] }, or such messages alone',
  fields: ['original', 'utterances', 'speaker', 'text', 'dialogue', 'convo_id', 'conversation_id'],
  found: 'data sets of support talks (ABCD, Taskmaster); exports of your own code',
  keeps: 'ids, times, models, short fields of messages and talks; an agent is a human agent, an action a system turn',
  loses: 'annotations of utterances, scenarios, instructions',
  detect(value) {
    if (Array.isArray(value)) return scoreOfDialogue(value)
    if (!isObject(value)) return 0
    const list = listIn(value)
    if (list === undefined) return scoreOfMessage(value)
    const score = scoreOfDialogue(value[list.slice(1)])
    if (score === 0) return 0
    return list === '/original' || list === '/utterances' ? 0.95 : Math.max(score, 0.5)
  },
  reader: (notes) => new DialogueReader(notes),
}

const ofLists = new Set(listFields)

function listIn(value: JsonObject): string | undefined {
  if (!hasAny(value, ofLists)) return undefined
  const field = listFields.find((name) => Array.isArray(value[name]))
  return field && `/${field}`
}

/** Messages that name their talk are gathered by it; all else is a talk as it stands. */
class DialogueReader implements Reader {
  readonly #notes: Notes
  readonly #lists: Reader
  readonly #byId: TalksById
  readonly #messages: DialogueMessages

  constructor(notes: Notes) {
    this.#notes = notes
    this.#byId = new TalksById(notes.options)
    this.#messages = new DialogueMessages(notes)
    this.#lists = readerOfLists(listIn, (list, record) => this.#talkOf(list, record))
  }

  take(record: FileRecord): readonly Draft[] {
    const { value } = record
    const isList = Array.isArray(value) && value.length > 0
    if (isList && value.every((message) => talkIdOf(message) !== undefined)) {
      for (const [index, message] of value.entries()) this.#takeMessage(message, placeIn(record, `/${index}`))
      return []
    }
    if (!isObject(value) || listIn(value) !== undefined || talkIdOf(value) === undefined)
      return this.#lists.take(record)
    this.#takeMessage(value, placeIn(record))
    return []
  }

  end(): readonly Draft[] {
    return [...this.#lists.end(), ...this.#byId.drafts(dialogues.id)]
  }

  #takeMessage(message: unknown, place: Place): void {
    this.#messages.say(message, place, this.#byId.of(talkIdOf(message) ?? '', place))
  }

  #talkOf({ head, messages, place }: MessageList, record: FileRecord): Draft | undefined {
    if (typeof record.value !== 'object' || record.value === null) {
      this.#notes.report(`expected ${dialogues.accepts}; found ${describe(record.value)}`, placeIn(record))
      return undefined
    }
    const talk = new Talk(this.#notes.options)
    for (const message of messages) this.#messages.say(message.value, message.place, talk)
    const { [listIn(head)?.slice(1) ?? '']: _, ...own } = { ...head, ...flowOf(head) }
    const columns = columnsOf(own)
    const field = (name: ColumnField) => own[columns.get(name) ?? '']
    const taken = new Set(headFields.map((name) => columns.get(name)))
    const facts = Object.entries(own).filter(
      ([key, value]) => !taken.has(key) && !knownFields.has(key) && isFact(value),
    )
    const carried = [...knownFields, ...taken, ...facts.map(([key]) => key)].filter((key) => key !== undefined)
    talk.losses.addFields(own, new Set(carried))
    return talk.draft({
      name: textOf(field('name')),
      modelName: textOf(field('model')),
      language: textOf(head.language) ?? textOf(head.lang),
      sourceSystem: dialogues.id,
      externalId: idOf(head.convo_id ?? field('id')),
      externalUserId: idOf(field('user')),
      sourceTimestamp: talk.time(field('time')),
      metadata: Object.fromEntries(facts),
      place,
    })
  }
}

const headFields: readonly ColumnField[] = ['id', 'name', 'user', 'model', 'time']

/** `delexed` repeats the words of ABCD. */
const knownFields = new Set(['convo_id', 'delexed', 'language', 'lang'])

/** What an ABCD talk is about; the rest of its scenario is the life of a made-up customer. */
function flowOf({ scenario }: JsonObject): JsonObject {
  if (!isObject(scenario)) return {}
  const { flow, subflow } = scenario
  return { ...(typeof flow === 'string' && { flow }), ...(typeof subflow === 'string' && { subflow }) }
}
