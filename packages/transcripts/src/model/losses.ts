import type { DroppedValue } from '../json/index.js'
import type { Account, UnreadText } from './account.js'
import { holdsText } from './field-kind.js'
import { type Loss, type Place, within } from './turn.js'

/** The reasons for losses that several formats share. */
export const reasons = {
  noField: 'the upload schema has no field for it',
  notRecognized: 'not recognised; it holds text',
  unknown: 'not recognised',
  required: 'required by the upload schema',
  needsContent: 'the upload schema requires content',
  placeholder: 'replaced by a text placeholder; uploads contain text only',
  shortMetadata: 'metadata keeps short values only',
  unreadable: 'it cannot be read',
  notInFile: 'the file does not contain it',
  noWhole: 'the file does not contain the whole of it',
  notConversation: 'it is not part of the conversation',
  repeated: 'it repeats earlier content',
  besideRead: 'what stands beside it is read instead',
  othersRead: 'the messages beside it are read instead',
  firstKept: 'only the first one is kept',
  lastKept: 'its name is repeated in one object, and the last value is read',
  thinking: 'kept only with the option thinking',
  branches: 'kept only with the option branches',
  subagents: 'kept only with the option subagents',
} as const

/** The name of a loss by its type in the file, such as `event of type "plan_update"`. */
export function ofType(noun: string, type: string): string {
  return `${noun} of type "${type.slice(0, longest)}"`
}

/** The number of kinds from which unread texts are counted together. */
const maxKinds = 200

/** The most places that a loss names. */
const maxPlaces = 3

/** Fields that every format understands, and that no upload carries: definitions of tools. */
const understood: ReadonlySet<string> = new Set(['tools', 'functions', 'tool_definitions'])

const usualReason = (key: string) => (understood.has(key) ? reasons.noField : undefined)

/** The length at which a field's name is cut in a loss. */
const longest = 40

/** Counts losses, one entry for each `code` and `what`, with the first reason given. */
export class Losses {
  readonly #account: Account | undefined
  readonly #kinds = new Map<string, Loss>()

  /** `account`: notes the values that are lost. */
  constructor(account?: Account) {
    this.#account = account
  }

  /**
   * Note texts as read or counted: the audit finds them given. Any other value that stands in the place of a text was not read, and
   * is audited.
   */
  note(...texts: readonly unknown[]): void {
    this.noteEach(texts)
  }

  /** Note each text of a list, of whatever length: as arguments of a call, so many would exceed the stack. */
  noteEach(texts: Iterable<unknown>): void {
    for (const each of texts) if (typeof each === 'string' || typeof each === 'number') this.#account?.note(each)
  }

  /** Note a value of a single word: see `Account.noteWord`. */
  noteWord(value: unknown): boolean {
    return this.#account?.noteWord(value) ?? true
  }

  /** Note all texts of a value. */
  noteAll(value: unknown): void {
    this.#account?.note(value)
  }

  /** `claimed`: the number of losses. A file may claim one that is no whole number; that counts once. */
  add(code: Loss['code'], what: string, why: string, claimed = 1): Loss {
    const key = `${code} ${what}`
    const count = Number.isSafeInteger(claimed) ? claimed : 1
    const known = this.#kinds.get(key) ?? { code, what, why, count: 0 }
    known.count += count
    this.#kinds.set(key, known)
    return known
  }

  drop(what: string, why: string = reasons.noField, count = 1): void {
    this.add('dropped', what, why, count)
  }

  /** Count a value of the file that is dropped, with all its texts. */
  dropValue(value: unknown, what: string, why?: string): void {
    this.noteAll(value)
    this.drop(what, why)
  }

  /** Count one of these dropped values under another name. */
  replaceOne(what: string, other: string): void {
    const loss = this.#kinds.get(`dropped ${what}`)
    if (loss === undefined) return
    this.drop(other, loss.why)
    if (loss.count > 1) this.#kinds.set(`dropped ${what}`, { ...loss, count: loss.count - 1 })
    else this.#kinds.delete(`dropped ${what}`)
  }

  /** Count a text that nobody read. */
  addUnread({ field, place }: UnreadText): void {
    this.#addPlaced(field, '', reasons.notRecognized, () => place)
  }

  /** Count a value that `JSON.parse` dropped from a record. */
  addDropped(value: DroppedValue, record: Place): void {
    this.#addPlaced(value.name, 'earlier value of ', reasons.lastKept, () => within(record, ...value.steps))
  }

  #addPlaced(field: string, where: string, why: string, place: () => Place): void {
    const name = this.#kinds.size < maxKinds ? `field "${field.slice(0, longest)}"` : 'other field'
    const loss = this.add('dropped', where + name, why)
    loss.places ??= []
    if (loss.places.length < maxPlaces) loss.places.push(place())
  }

  /** Count the unknown fields of an object that hold no text. The audit finds those with texts. */
  addFields(fields: Record<string, unknown>, known: ReadonlySet<string>, where = ''): void {
    for (const key in fields) if (!known.has(key)) this.addField(key, fields[key], where)
  }

  /** Count these fields of an object, which are understood, and that the upload has no field for. */
  dropFields(fields: Record<string, unknown>, names: readonly string[]): void {
    for (const name of names) this.addField(name, fields[name], '', reasons.noField)
  }

  /** Count the fields of one meaning whose value differs from the first one present. */
  addOthers(fields: Record<string, unknown>, names: readonly string[], where = ''): void {
    const [first, ...others] = names.filter((name) => !isEmpty(fields[name]))
    if (first === undefined || others.length === 0) return
    const read = JSON.stringify(fields[first])
    for (const name of others) {
      if (JSON.stringify(fields[name]) === read) this.noteAll(fields[name])
      else this.addField(name, fields[name], where, reasons.noField)
    }
  }

  /** Count a text that holds more than the texts that are read. */
  addRest(key: string, text: unknown, readTexts: readonly unknown[], where = ''): void {
    if (typeof text !== 'string') return
    let unread = text
    for (const each of readTexts) if (typeof each === 'string') unread = unread.replace(each.trim(), () => '')
    if (unread.trim() === '') this.note(text)
    else this.addField(key, text, where, reasons.othersRead)
  }

  /** Count a field that is not empty. Without a reason it is not recognised, and if it holds text, the audit counts it. */
  addField(key: string, value: unknown, where = '', why: string | undefined = usualReason(key)): void {
    if (isEmpty(value) || (why === undefined && holdsText(value))) return
    this.dropValue(value, `${where}field "${key.slice(0, longest)}"`, why ?? reasons.unknown)
  }

  addAll(losses: readonly Loss[]): void {
    for (const { code, what, why, count, places = [] } of losses) {
      const loss = this.add(code, what, why, count)
      if (places.length > 0) loss.places = [...(loss.places ?? []), ...places].slice(0, maxPlaces)
    }
  }

  get size(): number {
    return this.#kinds.size
  }

  /** In the order in which they were first counted. */
  list(): Loss[] {
    return [...this.#kinds.values()]
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/**
 * Losses as one line: `dropped 3 image part: replaced by a text placeholder…, …`; empty when nothing was lost. A loss with
 * places names them: `dropped 1 field "note" (record 2 /note): not recognised; it holds text`.
 */
export function describeLosses(losses: readonly Loss[]): string {
  return losses
    .map(({ code, what, why, count, places = [] }) => {
      const at = places.map(
        ({ record, pointer, member }) => `${member ?? `record ${record}`}${pointer && ` ${pointer}`}`,
      )
      return `${code} ${count} ${what}${at.length > 0 ? ` (${at.join('; ')})` : ''}: ${why}`
    })
    .join(', ')
}
