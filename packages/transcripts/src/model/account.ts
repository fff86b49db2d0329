import { parseBounded } from '../json/index.js'
import { type FieldKind, holdsText, isBytes, isSentence, kindOf, longestFact, word } from './field-kind.js'
import { type Place, within } from './turn.js'

/** The properties of a format that an account needs. */
export interface AuditedFormat {
  /** The names of fields whose words say how a file is built, beside ids, types and times; separated by blanks. */
  structure?: string
  /** True if records repeat what others hold: a text that is given once is read everywhere. Default: only facts repeat. */
  repeats?: boolean
}

/** A text that its reader gave to no transcript and to no loss. */
export interface UnreadText {
  /** Its field, or the outermost field around it in which no text was read. */
  field: string
  place: Place
  /** True if it is what a speaker says in an element of a list. */
  isMessage: boolean
  /** The message around it, if it was dropped because it has no content. */
  dropped?: string | undefined
}

/** A value on the way to a text. */
class Step {
  readonly parent: Step | undefined
  readonly name: string | number
  /** True if a text inside it was read. */
  hasRead = false
  /** True for an object that names its speaker. */
  hasSpeaker = false

  constructor(parent: Step | undefined, name: string | number) {
    this.parent = parent
    this.name = name
  }
}

class RecordStep extends Step {
  readonly place: Place

  constructor(place: Place) {
    super(undefined, '')
    this.place = place
  }
}

class Text extends Step {
  text: string
  /** True if it states a fact, which may be repeated. */
  readonly isFact: boolean
  /** True if its field is one in which programs put what somebody says. */
  readonly isSpeech: boolean
  /** True if it was read. */
  isRead = false
  /** True if it is JSON that holds texts. */
  isJson = false
  /** The next equal text that somebody says, and of the first such text the last one. */
  next: Text | undefined
  last: Text = this

  constructor(parent: Step, name: string | number, text: string, isFact: boolean, isSpeech: boolean) {
    super(parent, name)
    this.text = text
    this.isFact = isFact
    this.isSpeech = isSpeech
  }
}

/**
 * Compares the texts of a file with those that its reader gives to the transcripts and losses. The words of a speaker must
 * be given as often as they occur; facts, such as a model or a folder, once. Of earlier records only hashes are held.
 */
export class Account {
  readonly #kinds: Map<string, FieldKind>
  readonly #repeats: boolean
  /** The texts given while a record is read, and values that hold more of them: true if found in the record. */
  readonly #given = new Map<string, number>()
  readonly #values = new Map<object, boolean>()
  readonly #known = new Set<string | number>()
  /** The facts of earlier records that were not given yet, and of the texts that speakers say the first of equal ones. */
  readonly #openFacts = new Map<string | number, Text>()
  readonly #openSpeech = new Map<string | number, Text>()
  #messages = { full: 0, empty: 0 }
  /** The places of the messages that have no content. */
  readonly #dropped = new Set<string>()
  /** True if most messages of the record that was completed last were empty. */
  isMostlyEmpty = false

  constructor({ structure = '', repeats = false }: AuditedFormat = {}) {
    // A field that names the speaker does so whatever else its words say.
    const names = structure.split(/\s+/).filter((name) => kindOf(name) !== 'speaker')
    this.#kinds = new Map(names.map((name) => [name, 'structure']))
    this.#repeats = repeats
  }

  /** Note a text, or all texts of a value, as given to a transcript or to a loss. */
  note(value: unknown): void {
    if (typeof value === 'string') this.#noteText(value)
    else if (typeof value === 'number') this.#noteText(String(value))
    else if (typeof value === 'object' && value !== null) {
      if (!this.#hasOpen) this.#values.set(value, false)
      else this.#noteTexts(value)
    }
  }

  /** Note a value of a single word, such as an id, a type or a flag. False for words of a person in its place, which are audited. */
  noteWord(value: unknown): boolean {
    if (typeof value !== 'string') return true
    const isWord = word.test(value.trim())
    if (isWord) this.note(value)
    return isWord
  }

  noteMessage(isEmpty: boolean, place: Place): void {
    this.#messages[isEmpty ? 'empty' : 'full']++
    if (isEmpty) this.#dropped.add(keyOfPlace(place))
  }

  /**
   * Compare a record with what was given. The texts that are unread count only once the record is `complete`. `known`:
   * the values in it that were compared already.
   */
  audit(value: unknown, place: Place, complete: boolean, known: readonly unknown[] = []): UnreadText[] {
    for (const each of known) if (typeof each === 'object' && each !== null) this.#values.set(each, true)
    const record: Text[] = []
    this.#visit(value, new RecordStep(place), 'speech', record)
    if (record.length > 0) for (const [given, isFound] of this.#values) this.#noteTexts(given, isFound)
    const unread = this.#unreadOf(record)
    this.#given.clear()
    this.#values.clear()
    if (complete) {
      this.#countMessages()
      if (!this.#hasOpen) this.#known.clear()
      return this.#texts(unread)
    }
    for (const text of unread) this.#keep(text)
    return []
  }

  /**
   * Forget the facts of transcripts that are complete: a later one gives its own. `waiting`: the records whose transcripts are
   * not complete; the unread texts of all others count now. Default: any record, and the facts are kept if records repeat.
   */
  forget(waiting?: ReadonlySet<number>): UnreadText[] {
    if (waiting || !this.#repeats) this.#known.clear()
    const unread: Text[] = []
    if (!waiting) return []
    const isOpen = (text: Text) => waiting.has(recordOf(text).place.record)
    for (const texts of [this.#openFacts, this.#openSpeech]) {
      for (const [key, first] of texts) {
        const list = listOf(first)
        for (const text of list) if (!isOpen(text)) unread.push(text)
        const open = linked(list.filter(isOpen))
        if (open) texts.set(key, open)
        else texts.delete(key)
      }
    }
    return this.#texts(unread)
  }

  /** The unread texts of the records that were not complete. */
  end(): UnreadText[] {
    this.#countMessages()
    return this.#texts([...this.#openFacts.values(), ...this.#openSpeech.values()].flatMap(listOf))
  }

  #texts(unread: readonly Text[]): UnreadText[] {
    const texts = unreadTexts(unread, this.#dropped)
    if (!this.#hasOpen) this.#dropped.clear()
    return texts
  }

  get #hasOpen(): boolean {
    return this.#openFacts.size + this.#openSpeech.size > 0
  }

  #countMessages(): void {
    this.isMostlyEmpty = this.#messages.empty > this.#messages.full
    this.#messages = { full: 0, empty: 0 }
  }

  #visit(value: unknown, step: Step, kind: FieldKind, unread: Text[]): void {
    if (typeof value === 'string') return this.#visitText(value, step, '', kind, unread)
    if (typeof value !== 'object' || value === null) return
    if (this.#values.has(value)) {
      this.#values.set(value, true)
      return markRead(step)
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) this.#visitField(value, step, index, kind, unread)
      return
    }
    for (const name in value) {
      const own = this.#kindOf(name)
      if (own === 'speaker') step.hasSpeaker = true
      const field = (value as Record<string, unknown>)[name]
      // The name of a text is in its loss.
      if (isSentence(name) && field !== null && !holdsText(field)) this.#visitText(name, step, name, 'fact', unread)
      this.#visitField(value, step, name, own, unread)
    }
  }

  #visitField(holder: object, parent: Step, name: string | number, kind: FieldKind, unread: Text[]): void {
    const value = (holder as Record<string | number, unknown>)[name]
    if (typeof value === 'string') this.#visitText(value, parent, name, kind, unread)
    else if (typeof value === 'number') {
      if (kind === 'speech' && isSaidNumber(name, holder)) this.#visitText(String(value), parent, name, kind, unread)
    } else if (typeof value === 'object' && value !== null) {
      const isOne = kind === 'id' && Array.isArray(value) && !String(name).endsWith('s')
      // A list in the place of an id is no id.
      this.#visit(value, new Step(parent, name), isOne ? 'structure' : kind, unread)
    }
  }

  #visitText(value: string, parent: Step, name: string | number, kind: FieldKind, unread: Text[]): void {
    if (kind !== 'speech' && kind !== 'fact' && word.test(value)) return
    const text = value.trim()
    if (text === '' || isBytes(text)) return
    const isFact = this.#repeats || (kind !== 'speech' && text.length <= longestFact)
    if (this.#take(text, isFact)) markRead(parent, this.#tells(text, kind === 'speech'))
    else unread.push(new Text(parent, name, text, isFact, kind === 'speech'))
  }

  #take(text: string, isFact: boolean): boolean {
    if (isFact) return this.#known.has(keyOf(text))
    const count = this.#given.get(text)
    if (count === undefined) return false
    if (count > 1) this.#given.set(text, count - 1)
    else this.#given.delete(text)
    return true
  }

  /** If records repeat others, a word that is known does not tell that the values around it are read. */
  #tells(text: string, isSpeech: boolean): boolean {
    return !this.#repeats || isSpeech || /\s/.test(text)
  }

  /** Look into texts of JSON. */
  #unreadOf(record: readonly Text[]): Text[] {
    const unread: Text[] = []
    for (const text of record) {
      if (this.#values.size > 0 && this.#take(text.text, text.isFact)) {
        markRead(text.parent, this.#tells(text.text, text.isSpeech))
      } else {
        const inner = this.#textsOfJson(text)
        text.isJson = inner !== undefined
        unread.push(text, ...(inner ?? []))
      }
    }
    return unread
  }

  /** The unread texts in a text of JSON; undefined if it is none, or holds only numbers. */
  #textsOfJson(outer: Text): Text[] | undefined {
    if (!/^["[{]/.test(outer.text)) return undefined
    const value = parsed(outer.text)
    if (value === undefined || value === outer.text) return undefined
    const found: Text[] = []
    this.#visit(value, outer, outer.isSpeech ? 'speech' : 'fact', found)
    return found.length > 0 || outer.hasRead || holdsText(value) || isEmpty(value) ? this.#unreadOf(found) : undefined
  }

  #keep(text: Text): void {
    const key = keyOf(text.text)
    text.text = ''
    const texts = text.isFact ? this.#openFacts : this.#openSpeech
    const first = texts.get(key)
    if (first === undefined) texts.set(key, text)
    // A repeated fact is read or counted with the first.
    else if (text.isFact) markRead(text.parent, text.isSpeech)
    else {
      first.last.next = text
      first.last = text
    }
  }

  #noteText(value: string): void {
    const text = value.trim()
    if (text === '') return
    const key = this.#hasOpen || this.#repeats || text.length <= longestFact ? keyOf(text) : ''
    if (this.#repeats || text.length <= longestFact) this.#known.add(key)
    const isCounted = !this.#read(key) && !this.#repeats
    if (isCounted) this.#given.set(text, (this.#given.get(text) ?? 0) + 1)
  }

  /** Mark the open texts of a key as read: the fact, and the first that somebody says. True if there is such a one. */
  #read(key: string | number): boolean {
    for (const texts of [this.#openFacts, this.#openSpeech]) {
      const first = texts.get(key)
      if (first === undefined) continue
      first.isRead = true
      markRead(first.parent)
      if (first.next) {
        first.next.last = first.last
        texts.set(key, first.next)
      } else texts.delete(key)
      if (!first.isFact) return true
    }
    return false
  }

  /** `isFound`: the texts of the record are read already, and only repeated facts are of use. */
  #noteTexts(value: unknown, isFound = false): void {
    if (typeof value === 'string') {
      if (!isFound) this.#noteText(value)
      else if (this.#repeats || value.length <= longestFact) this.#known.add(keyOf(value.trim()))
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        if (isSentence(name)) this.#noteTexts(name, isFound)
        if (typeof each !== 'number') this.#noteTexts(each, isFound)
        else if (!isFound && (Array.isArray(value) || this.#kindOf(name) === 'speech')) this.#noteText(String(each))
      }
    }
  }

  #kindOf(name: string): FieldKind {
    const known = this.#kinds.get(name)
    if (known !== undefined) return known
    const kind = kindOf(name)
    if (this.#kinds.size < mostKinds) this.#kinds.set(name, kind)
    return kind
  }
}

const mostKinds = 10_000

/** True for a number in the place of what somebody says. Scores have a `value`, and counts of tokens only numbers beside them. */
function isSaidNumber(name: string | number, holder: object): boolean {
  return name !== 'value' && Object.values(holder).some((each) => typeof each === 'string' && each !== '')
}

/** A text and the equal ones after it. */
function listOf(first: Text): Text[] {
  const list: Text[] = []
  for (let at: Text | undefined = first; at !== undefined; at = at.next) list.push(at)
  return list
}

/** The first of the texts, with the others after it. */
function linked(texts: readonly Text[]): Text | undefined {
  const [first] = texts
  for (const [at, text] of texts.entries()) text.next = texts[at + 1]
  if (first) first.last = texts.at(-1) ?? first
  return first
}

/** `isTelling`: true if all values around the step are read too. Default: true. Else only those inside a text of JSON. */
function markRead(step: Step | undefined, isTelling = true): void {
  const end = isTelling ? undefined : jsonAround(step)?.parent
  if (!isTelling && end === undefined) return
  for (let at = step; at !== end && at !== undefined && !at.hasRead; at = at.parent) at.hasRead = true
}

function jsonAround(step: Step | undefined): Text | undefined {
  return step === undefined || step instanceof Text ? step : jsonAround(step.parent)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function parsed(text: string): unknown {
  try {
    return parseBounded(text)
  } catch {
    return undefined
  }
}

/** The text, or a hash of a long one: its length, and FNV-1a of about a thousand of its characters. */
function keyOf(text: string): string | number {
  if (text.length <= longestFact) return text
  const step = Math.ceil(text.length / 1024)
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += step) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0) + 2 ** 32 * (text.length % 2 ** 20)
}

const keyOfPlace = ({ record, pointer }: Place) => `${record}${pointer}`

/** `dropped`: the places of messages that have no content; each text in them is named by its own field. */
function unreadTexts(texts: readonly Text[], dropped: ReadonlySet<string>): UnreadText[] {
  const found = new Map<Step, UnreadText>()
  for (const text of texts) {
    if (text.isJson || isRead(text)) continue
    const message = dropped.size > 0 ? messageAround(text, dropped) : undefined
    const top = outermost(text, message)
    const known = found.get(top)
    const isMessage = text.isSpeech && isSaid(text)
    if (known) known.isMessage ||= isMessage
    else found.set(top, { ...placeOf(top), isMessage, dropped: message && keyOfPlace(placeOf(message).place) })
  }
  return [...found.values()]
}

function isRead(step: Step | undefined): boolean {
  return step !== undefined && ((step instanceof Text && step.isRead) || isRead(step.parent))
}

function messageAround(text: Step, dropped: ReadonlySet<string>): Step | undefined {
  let at = text.parent
  while (at !== undefined && !dropped.has(keyOfPlace(placeOf(at).place))) at = at.parent
  return at
}

/** The outermost field in the record, or in a message, in which no text was read; an element of a list only if it is the text itself. */
function outermost(text: Step, message: Step | undefined): Step {
  let top: Step = text
  for (let at: Step = text; at.parent?.parent !== undefined && at.parent !== message && !at.parent.hasRead; ) {
    at = at.parent
    if (typeof at.name === 'string') top = at
  }
  return top
}

/** True if the text is in an element of a list that names its speaker and in which no text was read. */
function isSaid(text: Step): boolean {
  let at: Step | undefined = text.parent
  for (let depth = 0; at !== undefined && !at.hasRead && depth < 4; depth++, at = at.parent) {
    if (at.hasSpeaker && typeof at.name === 'number') return true
  }
  return false
}

/** Matches ids and hashes. */
const generated = /^(?=.*\d)[\da-f-]{8,}$/i

function placeOf(step: Step): { field: string; place: Place } {
  let names: (string | number)[] = []
  let field: string | undefined
  let at = step
  for (; at.parent !== undefined; at = at.parent) {
    // The place of a text of JSON is that of the whole.
    if (at instanceof Text && at.isJson) names = []
    if (typeof at.name === 'string' && at.name !== '' && !generated.test(at.name)) field ??= at.name
    if (at.name !== '') names.unshift(at.name)
  }
  return { field: field ?? (step.parent?.parent ? 'list' : 'line'), place: within(recordOf(at).place, ...names) }
}

function recordOf(step: Step): RecordStep {
  let at = step
  while (at.parent !== undefined) at = at.parent
  return at as RecordStep
}
