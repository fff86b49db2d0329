import { type FileRecord, placeIn, type ReaderContext, responsesItem } from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { asList, asObject, type JsonObject, textOf } from '../../json/index.js'
import { type ConversationDraft, type Loss, type Place, type Placed, reasons } from '../../model/index.js'

/** The events of one streamed response, which repeat what its end holds. */
export class ResponseEvents {
  readonly #context: ReaderContext
  #place: Place | undefined
  #response: JsonObject = {}
  #events = 0
  /** By the place of an item in the response: the item, the texts in it that are whole, and the number of parts of others. */
  readonly #items = new Map<unknown, Placed>()
  readonly #texts = new Map<unknown, Placed>()
  readonly #parts = new Map<unknown, number>()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  add(event: JsonObject, record: FileRecord): void {
    const { type, item, delta, text, output_index: at } = event
    this.#place ??= placeIn(record)
    if (type === 'response.created') this.#response = asObject(event.response)
    this.#events++
    // The response at its beginning is repeated at its end, if it has one.
    this.#context.account.note(type === 'response.created' ? { ...event, response: undefined } : event)
    if (typeof delta === 'string') this.#parts.set(at, (this.#parts.get(at) ?? 0) + 1)
    else if (type === 'response.output_item.done') {
      this.#items.set(at ?? `#${this.#events}`, { value: item, place: placeIn(record, '/item') })
    } else if (type === 'response.output_text.done' && typeof text === 'string') {
      const content = [...asList(asObject(this.#texts.get(at)?.value).content), { type: 'output_text', text }]
      this.#texts.set(at, { value: { type: 'message', role: 'assistant', content }, place: placeIn(record, '/text') })
    }
  }

  /** The response at its end, with the whole items that its own list does not have, and the losses of its events. */
  end(response: unknown): { response: JsonObject; losses: Loss[] } {
    const whole = asObject(response)
    const output = asList(whole.output)
    const isMissing = ([at]: [at: unknown, ...rest: unknown[]]) =>
      typeof at === 'number' ? at >= output.length : output.length === 0
    const more = this.#whole().filter(isMissing)
    const cut = [...this.#parts].filter(isMissing)
    return {
      response: more.length > 0 ? { ...whole, output: [...output, ...more.map(([, { value }]) => value)] } : whole,
      losses: this.#losses(cut),
    }
  }

  /** The whole items of a response that has no end. One without such an item is skipped. */
  cut(): ConversationDraft[] {
    const whole = this.#whole()
    const [first] = whole
    if (first === undefined) {
      if (this.#parts.size > 0 && this.#place)
        this.#context.skip('the file has only the beginning of the response', this.#place)
      return []
    }
    const conversation = new ConversationBuilder(this.#context)
    for (const [, { value, place }] of whole) responsesItem.add(value, place, conversation)
    conversation.losses.drop('prompt', reasons.notInFile)
    conversation.losses.drop('end of the stream', reasons.notInFile)
    conversation.losses.addAll(this.#losses([...this.#parts]))
    const { id, model } = this.#response
    return [conversation.build({ externalId: textOf(id), modelName: textOf(model), place: first[1].place })]
  }

  /** Whole items, and whole texts of items that have no end, in their order. */
  #whole(): [at: unknown, item: Placed][] {
    return [...new Map([...this.#texts, ...this.#items])].sort(([a], [b]) => Number(a) - Number(b))
  }

  #losses(parts: readonly [at: unknown, count: number][]): Loss[] {
    const isWhole = (at: unknown) => this.#items.has(at) || this.#texts.has(at)
    // Without its place, a part may belong to any item.
    const open = parts.filter(([at]) => (at === undefined ? this.#items.size === 0 : !isWhole(at)))
    const cut = open.reduce((sum, [, count]) => sum + count, 0)
    const losses: Loss[] = [
      { code: 'merged', what: 'event of the stream', why: reasons.repeated, count: this.#events - cut },
      { code: 'dropped', what: 'part of a message', why: reasons.noWhole, count: cut },
    ]
    return losses.filter(({ count }) => count > 0)
  }
}
