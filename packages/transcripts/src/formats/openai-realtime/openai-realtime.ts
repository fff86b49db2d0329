import {
  addItem,
  defineFormat,
  type FileRecord,
  type Format,
  LogReader,
  placeIn,
  type ReaderContext,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf, wordsOf } from '../../json/index.js'
import { type ConversationDraft, type Place, reasons, within } from '../../model/index.js'

/** Events of sessions of the Realtime interface. */
export const openaiRealtime: Format<'openai-realtime'> = defineFormat({
  id: 'openai-realtime',
  title: 'OpenAI Realtime events',
  accepts: 'lines { "type": "conversation.item.created" | "response.done" | "session.created" | …, "item"? }',
  fields: ['type', 'event_id', 'item', 'session', 'response'],
  recordsRepeat: true,
  structure: 'id type call_id object event_id previous_item_id item_id response_id voice',
  signature(value) {
    if (!isObject(value) || typeof value.type !== 'string') return 0
    const { type } = value
    if (/^conversation\.item\.(?:create|created|added|done)$/.test(type)) return isObject(value.item) ? 0.95 : 0
    if (type === 'response.done') return isObject(value.response) ? 0.95 : 0
    const isOther = others.some((start) => type.startsWith(start))
    return isOther || (type.startsWith('response.') && 'event_id' in value) ? 0.9 : 0
  },
  // Later events add to an item, and the parts of audio are too large to be held until the end of the file.
  reader: (context) => new RealtimeReader(context),
})

const others =
  wordsOf(`session.created session.updated session.update conversation.item. input_audio_buffer. output_audio_buffer.
  rate_limits.updated`)

interface Said {
  item: JsonObject
  place: Place
  at: unknown
}

interface Session {
  place: Place
  facts: JsonObject
  items: Map<string, Said>
  /** True if the service reported an item, and the items of the program repeat it. */
  isReported: boolean
  /** The number of events with a part of an item, by its id. */
  parts: Map<string, number>
}

class RealtimeReader extends LogReader {
  readonly #sessions: Session[] = []

  constructor(context: ReaderContext) {
    super(context)
  }

  read(record: FileRecord): ConversationDraft[] {
    const place = placeIn(record)
    this.first ??= place
    const event = asObject(record.value)
    const { type, item, delta } = event
    const isStart = type === 'session.created'
    if (isStart || this.#sessions.length === 0)
      this.#sessions.push({ place, facts: {}, items: new Map(), isReported: false, parts: new Map() })
    const session = this.#sessions.at(-1) as Session
    if (type === 'session.created' || type === 'session.updated')
      session.facts = { ...session.facts, ...asObject(event.session) }
    else if (typeof type === 'string' && isObject(item) && /^conversation\.item\./.test(type)) {
      const isOwn = type === 'conversation.item.create'
      if (!isOwn) session.isReported = true
      add(
        item,
        { place: within(place, 'item'), at: event.timestamp },
        session,
        isOwn ? `own ${session.items.size}` : undefined,
      )
    } else if (type === 'response.done') {
      for (const [index, output] of objectsOf(asObject(event.response).output).entries())
        add(output, { place: within(place, 'response', 'output', index), at: event.timestamp }, session)
    } else if (type === 'response.output_item.done' && isObject(item))
      add(item, { place: within(place, 'item'), at: event.timestamp }, session)
    else if (typeof type === 'string' && /^response\.(?:output_)?(?:text|audio_transcript)\.done$/.test(type))
      addText(event, place, session)
    else if (type === 'conversation.item.input_audio_transcription.completed') transcribe(event, session)
    else if (typeof delta === 'string') {
      this.context.account.note(delta)
      const id = textOf(event.item_id) ?? ''
      session.parts.set(id, (session.parts.get(id) ?? 0) + 1)
    }
    return []
  }

  protected *drafts(): Generator<ConversationDraft> {
    for (const { place, facts, items, isReported, parts } of this.#sessions) {
      const conversation = new ConversationBuilder(this.context)
      conversation.losses.addAll(this.losses.list())
      for (const [id, count] of parts) {
        const whole = items.get(id)?.item
        // Without an id, a part may belong to any item.
        if (
          (id === '' && items.size > 0) ||
          (whole && (plainText(whole) !== '' || textOf(whole.arguments) !== undefined))
        )
          conversation.losses.add('merged', 'part of a message', reasons.repeated, count)
        else conversation.losses.drop('part of a message', reasons.noWhole, count)
      }
      const instructions = textOf(facts.instructions)
      if (instructions !== undefined) conversation.addMessage('system', instructions, { place })
      for (const [key, { item, place: at, at: time }] of items) {
        if (isReported && key.startsWith('own ')) conversation.losses.add('merged', 'repeated item', reasons.repeated)
        else addItem(plain(item), { place: at, at: time }, conversation)
      }
      yield conversation.build({ externalId: textOf(facts.id), modelName: textOf(facts.model), place })
    }
  }

  protected reportEmpty(first: Place): void {
    this.context.report(`expected ${openaiRealtime.accepts}; found none`, first)
  }
}

/** Adds an item, or what a later event says of it, at its first place. */
function add(
  item: JsonObject,
  where: Omit<Said, 'item'>,
  { items }: Session,
  key = textOf(item.id) ?? `item ${items.size}`,
): void {
  const known = items.get(key)
  const isFuller = textOf(plainText(item)) !== undefined || item.type !== 'message'
  if (known === undefined) items.set(key, { item, ...where })
  else if (isFuller) items.set(key, { ...known, item: { ...known.item, ...item } })
}

/** The whole text of an answer, if no item has it. */
function addText(event: JsonObject, place: Place, { items }: Session): void {
  const { item_id: id, text, transcript, timestamp: at } = event
  const key = textOf(id) ?? `item ${items.size}`
  const known = items.get(key) ?? { item: { type: 'message', role: 'assistant', id }, place, at }
  const whole = textOf(text) ?? textOf(transcript)
  if (whole === undefined || plainText(known.item) !== '') return
  items.set(key, { ...known, item: { ...known.item, content: [{ type: 'output_text', text: whole }] } })
}

/** The text of a voice message comes later. */
function transcribe({ item_id: id, transcript, content_index: index = 0 }: JsonObject, { items }: Session): void {
  const known = items.get(textOf(id) ?? '')
  if (known === undefined) return
  const content = objectsOf(known.item.content).map((part, at) => (at === index ? { ...part, transcript } : part))
  items.set(textOf(id) ?? '', { ...known, item: { ...known.item, content } })
}

const plainText = (item: JsonObject): string =>
  objectsOf(item.content)
    .map(({ transcript, text }) => textOf(transcript) ?? textOf(text) ?? '')
    .join('')

/** An item of the Responses interface: what was spoken is a text. */
function plain({ type, role, content, id, call_id, name, arguments: args, output }: JsonObject): JsonObject {
  if (type !== 'message') return { type, id, call_id, name, arguments: args, output }
  const parts = objectsOf(content).map(({ transcript, audio: _, ...part }) => {
    const text = textOf(transcript) ?? textOf(part.text)
    return text === undefined ? part : { type: role === 'assistant' ? 'output_text' : 'input_text', text }
  })
  return { type, role, content: parts }
}
