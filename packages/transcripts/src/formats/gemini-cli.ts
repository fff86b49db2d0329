import { type FileRecord, type Format, type Notes, placeIn, type Reader } from '../format.js'
import { describe, isObject, type JsonObject, textOf } from '../json.js'
import { fieldsOf, Losses } from '../losses.js'
import { sayGeminiMessage } from '../messages/gemini-cli.js'
import { Talk } from '../talk.js'
import type { Draft, Place } from '../turn.js'

/** Sessions of Gemini CLI: one JSON document, or the newer log whose lines add, replace and take back messages. */
export const geminiCli: Format<'gemini-cli'> = {
  id: 'gemini-cli',
  title: 'Gemini CLI session',
  accepts: '{ "sessionId", "projectHash", "messages": [{ "id", "type", "content" }] }, or a log of such lines',
  fields: ['sessionId', 'projectHash', 'messages', 'toolCalls', 'thoughts'],
  found: '`~/.gemini/tmp/<project>/chats/session-*.json` and `session-*.jsonl`',
  keeps:
    'summary (the name), times, models, kind of session, folders, context that the program put in (system turns); messages before a rewind on request',
  loses: 'token counts, how results were displayed, context rewritten for the model',
  detect(value) {
    if (!isObject(value)) return 0
    if (typeof value.sessionId === 'string' && typeof value.projectHash === 'string') return 0.97
    if (isObject(value.$set) || typeof value.$rewindTo === 'string') return 0.6
    return isMessage(value) ? (value.type === 'gemini' ? 0.8 : 0.5) : 0
  },
  reader: (notes) => new GeminiReader(notes),
}

const types = new Set<unknown>(['user', 'gemini', 'model', 'info', 'warning', 'error'])

function isMessage(value: JsonObject): boolean {
  const isPlain = typeof value.id === 'string' && types.has(value.type) && !('role' in value) && !('message' in value)
  return isPlain && ('content' in value || 'parts' in value || 'toolCalls' in value)
}

interface Kept {
  message: JsonObject
  place: Place
}

interface Session {
  head: JsonObject
  place: Place
  thread: Map<string, Kept>
  /** The ids of what the model is given, in which a compression replaces what was said. */
  context: Set<string>
  taken: { kept: Kept[]; before: string }[]
  losses: Losses
}

class GeminiReader implements Reader {
  readonly #notes: Notes
  #session: Session | undefined
  /** Messages without an id of their own get one. */
  #unnamed = 0

  constructor(notes: Notes) {
    this.#notes = notes
  }

  take(record: FileRecord): readonly Draft[] {
    const { value } = record
    if (!isObject(value)) {
      this.broken(`expected ${geminiCli.accepts}; found ${describe(value)}`, placeIn(record))
      return []
    }
    const isHead = 'sessionId' in value && !('type' in value)
    const isOther = isHead && value.sessionId !== (this.#session?.head.sessionId ?? value.sessionId)
    const drafts = isOther ? this.end() : []
    this.#session ??= newSession(placeIn(record))
    this.#takeInto(this.#session, value, record, isHead)
    return drafts
  }

  end(): readonly Draft[] {
    const session = this.#session
    this.#session = undefined
    if (!session) return []
    const branches = session.taken.map(({ kept, before }) => this.#draft(session, kept, before))
    return [this.#draft(session, [...session.thread.values()]), ...branches]
  }

  broken(_message: string, place: Place): void {
    this.#session ??= newSession(place)
    this.#session.losses.add('dropped', 'line that is no record', 'it cannot be read')
  }

  #takeInto(session: Session, value: JsonObject, record: FileRecord, isHead: boolean): void {
    if (typeof value.$rewindTo === 'string') this.#rewind(session, value.$rewindTo)
    else if (isObject(value.$set)) this.#takeHead(session, value.$set, record, '/$set/messages')
    else if (isHead) this.#takeHead(session, value, record, '/messages')
    else if (types.has(value.type)) this.#keep(session, value, placeIn(record), true)
    else session.losses.add('dropped', 'line of an unknown kind', 'it cannot be read')
  }

  /** Fields of the session; its messages are those of the whole talk, or what the model is given from now on. */
  #takeHead(session: Session, fields: JsonObject, record: FileRecord, pointer: string): void {
    const { messages, ...head } = fields
    session.head = { ...session.head, ...head }
    if (!Array.isArray(messages)) return
    const listed = messages.map((message, index) => ({ message, place: placeIn(record, `${pointer}/${index}`) }))
    const ids = new Set(listed.map(({ message }) => (isObject(message) ? message.id : undefined)))
    const goesOn = [...session.context].every((id) => ids.has(id))
    for (const { message, place } of listed) {
      if (!isObject(message)) session.losses.add('dropped', 'message that is no object', 'it cannot be read')
      else if (goesOn) this.#keep(session, message, place, false)
      else if (!session.thread.has(textOf(message.id) ?? '') && !session.context.has(textOf(message.id) ?? '')) {
        session.losses.add('dropped', 'context rewritten for the model', 'it is not what was said')
      }
    }
    session.context = new Set([...ids].filter((id) => typeof id === 'string'))
  }

  /** The last version of a message wins, at the place of the first; but not one that only the model is given. */
  #keep(session: Session, message: JsonObject, place: Place, isOwnLine: boolean): void {
    const id = typeof message.id === 'string' ? message.id : `\u0000${this.#unnamed++}`
    const known = session.thread.get(id)
    const isCopy = !isOwnLine && (known !== undefined || session.context.has(id))
    if (isCopy) return
    session.thread.set(id, { message: trimmed(message, session.losses), place })
    if (typeof message.id === 'string') session.context.add(id)
  }

  #rewind(session: Session, target: string): void {
    if (!session.thread.has(target)) {
      session.losses.add('dropped', 'rewind to a message that is not there', 'nothing is taken back')
      return
    }
    const ids = [...session.thread.keys()]
    if (this.#notes.options.branches) session.taken.push({ kept: [...session.thread.values()], before: target })
    const back = ids.slice(ids.indexOf(target))
    for (const id of back) {
      session.thread.delete(id)
      session.context.delete(id)
    }
    if (this.#notes.options.branches) return
    const why = 'the talk went on from before it; it is given with branches'
    session.losses.add('dropped', 'message that was taken back', why, back.length)
  }

  #draft({ head, place, losses }: Session, kept: readonly Kept[], before?: string): Draft {
    const talk = new Talk(this.#notes.options)
    talk.losses.addAll(losses.list())
    for (const { message, place } of kept) sayGeminiMessage(message, place, talk)
    talk.losses.addTexts(head, headFields)
    const id = textOf(head.sessionId)
    const directories = Array.isArray(head.directories) ? head.directories : []
    return talk.draft({
      name: textOf(head.summary),
      sourceSystem: geminiCli.id,
      externalId: before === undefined ? id : `${id}/${before}`,
      sourceTimestamp: talk.time(head.startTime),
      metadata: {
        ...(typeof head.kind === 'string' && { kind: head.kind }),
        ...(directories.length > 0 && { directories: directories.slice(0, 20) }),
        ...(before !== undefined && { branch_before: before, parent_session: id }),
      },
      place,
    })
  }
}

/** How a result was shown mostly repeats it. */
function countDisplay(display: unknown, result: unknown, losses: Losses): void {
  const isShown = typeof display !== 'string' || !JSON.stringify(result).includes(JSON.stringify(display).slice(1, -1))
  if (isShown) losses.addTexts({ resultDisplay: display }, new Set(), 'tool call ')
}

const headFields = fieldsOf('sessionId projectHash startTime lastUpdated summary kind directories memoryScratchpad')

function newSession(place: Place): Session {
  return { head: {}, place, thread: new Map(), context: new Set(), taken: [], losses: new Losses() }
}

/** A message without what is never read, so that a long log does not stay in memory whole. */
function trimmed({ tokens, ...message }: JsonObject, losses: Losses): JsonObject {
  if (!Array.isArray(message.toolCalls)) return message
  const toolCalls = message.toolCalls.map((call) => {
    if (!isObject(call) || call.result === undefined || call.result === null) return call
    const { resultDisplay, description, ...kept } = call
    countDisplay(resultDisplay, kept.result, losses)
    return kept
  })
  return { ...message, toolCalls }
}
