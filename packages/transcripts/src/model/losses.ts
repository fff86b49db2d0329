import type { Loss } from './turn.js'

/** The reasons for losses that several formats share. */
export const reasons = {
  noField: 'the upload schema has no field for it',
  required: 'required by the upload schema',
  needsContent: 'the upload schema requires content',
  placeholder: 'replaced by a text placeholder; uploads contain text only',
  shortMetadata: 'metadata keeps short values only',
  unreadable: 'it cannot be read',
  notInFile: 'the file does not contain it',
  notConversation: 'it is not part of the conversation',
  repeated: 'it repeats earlier content',
  othersRead: 'the messages beside it are read instead',
  firstKept: 'only the first one is kept',
  thinking: 'kept only with the option thinking',
  branches: 'kept only with the option branches',
  subagents: 'kept only with the option subagents',
} as const

/** The name of a loss by its type in the file, such as `event of type "plan_update"`. */
export function ofType(noun: string, type: string): string {
  return `${noun} of type "${type.slice(0, longest)}"`
}

/** The length at which a field's name is cut in a loss. */
const longest = 40

/** The names of the fields that are read or hold no content (`*` for any name), also of nested objects. */
export type KnownFields = ReadonlySet<string> | FieldTree

/** Known fields with the known fields of the objects in them; undefined if the whole field is known. */
export type FieldTree = ReadonlyMap<string, KnownFields | undefined>

/** For a field that is read only if it is a text. */
export const textOnly: KnownFields = new Set()

/** Known fields by name, separated by blanks; `objects` adds fields with nested known fields. */
export function fieldsOf(names: string, objects: Readonly<Record<string, KnownFields>> = {}): FieldTree {
  const known = new Map<string, KnownFields | undefined>(Object.entries(objects))
  for (const name of names.split(/\s+/)) if (name !== '' && !known.has(name)) known.set(name, undefined)
  return known
}

/** Counts losses, one entry for each `code` and `what`, with the first reason given. */
export class Losses {
  readonly #kinds = new Map<string, Loss>()

  /** `claimed`: the number of losses. A file may claim one that is no whole number; that counts once. */
  add(code: Loss['code'], what: string, why: string, claimed = 1): void {
    const key = `${code} ${what}`
    const count = Number.isSafeInteger(claimed) ? claimed : 1
    const known = this.#kinds.get(key)
    if (known) known.count += count
    else this.#kinds.set(key, { code, what, why, count })
  }

  drop(what: string, why: string = reasons.noField, count = 1): void {
    this.add('dropped', what, why, count)
  }

  /** Count the unknown fields of an object that are not empty. */
  addFields(fields: Record<string, unknown>, known: KnownFields, where = ''): void {
    for (const key in fields) {
      if (!known.has(key)) this.addField(key, fields[key], where)
      else if (known instanceof Map && known.get(key) !== undefined) {
        this.addTexts({ [key]: fields[key] }, known, where)
      }
    }
  }

  /** Count a field that nobody reads if it holds text. */
  addText(key: string, value: unknown, where = ''): void {
    if (holdsText(value)) this.addField(key, value, where)
  }

  /** Count the unknown fields of an object, or of each object of a list, that hold text. */
  addTexts(value: unknown, known: KnownFields | undefined, where = '', depth = 0): void {
    if (known === undefined || typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      // Deeper lists of lists are no list of objects.
      if (depth < maxDepth) for (const each of value) this.addTexts(each, known, where, depth + 1)
      else if (holdsText(value)) this.addField('list', value, where)
      return
    }
    const fields = value as Record<string, unknown>
    const nested = known instanceof Map ? known : undefined
    for (const key in fields) {
      const each = fields[key]
      if (typeof each === 'string' ? each === '' : typeof each !== 'object' || each === null) continue
      const name = known.has(key) || !known.has('*') ? key : '*'
      const inner = nested?.get(name)
      // A text is not one of the objects that are read here.
      const isRead =
        known.has(name) && (inner === textOnly ? typeof each === 'string' : inner === undefined || !isText(each))
      if (!isRead && holdsText(each)) this.addField(key, each, where)
      else if (inner !== undefined && inner !== textOnly) this.addTexts(each, inner, name === '*' ? where : `${key} `)
    }
  }

  /** Count the unknown fields that hold a text of more than one word; ids and flags are not content. */
  addSentences(fields: Record<string, unknown>, known: ReadonlySet<string>, where: string): void {
    for (const key in fields) if (!known.has(key) && holdsWords(fields[key])) this.addField(key, fields[key], where)
  }

  /** Count the fields of one meaning whose value differs from the first one present. */
  addOthers(fields: Record<string, unknown>, names: readonly string[], where = ''): void {
    let first: string | undefined
    for (const name of names) {
      const value = fields[name]
      if (value === undefined || isEmpty(value)) continue
      const text = JSON.stringify(value)
      first ??= text
      if (text !== first) this.addField(name, value, where)
    }
  }

  /** Count a text that holds more than the texts that are read. */
  addRest(key: string, text: unknown, readTexts: readonly unknown[], where = ''): void {
    if (typeof text !== 'string') return this.addText(key, text, where)
    let unread = text
    for (const each of readTexts) if (typeof each === 'string') unread = unread.replace(each.trim(), () => '')
    if (unread.trim() !== '') this.addField(key, text, where)
  }

  addField(key: string, value: unknown, where = ''): void {
    if (!isEmpty(value)) this.drop(`${where}field "${key.slice(0, longest)}"`)
  }

  addAll(losses: readonly Loss[]): void {
    for (const { code, what, why, count } of losses) this.add(code, what, why, count)
  }

  get size(): number {
    return this.#kinds.size
  }

  /** In the order in which they were first counted. */
  list(): Loss[] {
    return [...this.#kinds.values()]
  }
}

/** The losses that `addTexts` would count, for a reader that counts later. */
export function unreadIn(value: unknown, known: KnownFields | undefined, where = ''): string[] {
  const losses = new Losses()
  losses.addTexts(value, known, where)
  return losses.size === 0 ? [] : losses.list().map(({ what }) => what)
}

const maxDepth = 8

function isText(value: unknown, depth = 0): boolean {
  if (!Array.isArray(value)) return typeof value === 'string' && value !== ''
  return depth === maxDepth || value.some((each) => isText(each, depth + 1))
}

/** True if a value holds a text. A value nested deeper than 8 levels counts as text. */
export function holdsText(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' && value !== ''
  if (depth === maxDepth) return true
  for (const each of Object.values(value)) if (holdsText(each, depth + 1)) return true
  return false
}

/** True if a value holds a text of more than one word, at most 4 levels deep. */
function holdsWords(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return /\S\s+\S/.test(value)
  if (typeof value !== 'object' || value === null || depth === 4) return false
  return Object.values(value).some((each) => holdsWords(each, depth + 1))
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Losses as one line: `dropped 3 image part: replaced by a text placeholder…, …`; empty when nothing was lost. */
export function describeLosses(losses: readonly Loss[]): string {
  return losses.map(({ code, what, why, count }) => `${code} ${count} ${what}: ${why}`).join(', ')
}
