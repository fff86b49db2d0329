import { parseJsonText } from '../../conversation/index.js'
import { isObject, type JsonObject } from '../../json/index.js'
import { holdsText, type Losses, type Place, type Placed, within } from '../../model/index.js'
import { histories, isEnvelope, isSetting, messagesIn, type Side, usualFields } from './logged-messages.js'

/**
 * The messages in the input or output of a run. A value without messages is one message, whatever its fields are called:
 * a text is the message, an object with one text is that text, and any other value is its JSON. Texts beside the one that
 * is read are counted as losses. A message that may be an id or a setting is a guess (`isGuess`). A list that looks like
 * messages of an unknown shape is a loss, never one message.
 *
 * @param isAnswer true for the output of a model, whose JSON is its answer and stays as it is
 */
export function messagesOfRun(
  value: unknown,
  side: Side,
  place: Place,
  losses: Losses | undefined,
  isAnswer: boolean,
): Placed[] {
  return messagesOf({ value, place, key: '' }, { side, losses, isAnswer }, 0)
}

interface Field {
  /** Empty for an argument without a name. */
  key: string
  value: unknown
  place: Place
}

interface Context {
  side: Side
  losses: Losses | undefined
  isAnswer: boolean
}

const deepest = 8

function messagesOf({ value: raw, place }: Field, context: Context, depth: number): Placed[] {
  const { side, losses } = context
  const messages = messagesIn(raw, side, place, losses)
  if (messages.length > 0) return messages
  const value = parseJsonText(raw)
  if (isNothing(value)) return []
  const fields = contentFields(value, typeof raw === 'string', place)
  const earlier = side === 'user' ? fields.find(isHistory) : undefined
  if (earlier !== undefined && isObject(value)) {
    const { [earlier.key]: history, ...others } = value
    const rest = typeof raw === 'string' ? JSON.stringify(others) : others
    const latest = messagesOf({ key: '', value: rest, place }, context, depth + 1)
    return [...messagesIn(history, side, earlier.place, losses), ...latest]
  }
  const only = depth < deepest ? contentIn(fields, side) : undefined
  const isData = context.isAnswer && (typeof raw === 'string' || fields.length > 1 || isWord(only?.value))
  if (only !== undefined && !isData) {
    const found = messagesOf(only, context, depth + 1)
    return isWord(only.value) ? found.map(asGuess) : found
  }
  if (fields.length === 0 && (isEnvelope(value) || holdsSettings(value))) return []
  if (holdsDialogue(value)) {
    losses?.dropValue(raw, 'list of messages of an unknown shape', 'not recognised; it holds text')
    return []
  }
  losses?.noteAll(raw)
  return [asGuess({ value: { role: side, content: jsonOf(raw, value) }, place })]
}

/** True for the messages before the one that is asked now. */
function isHistory({ key, value, place }: Field): boolean {
  return histories.includes(key) && Array.isArray(parseJsonText(value)) && messagesIn(value, 'user', place).length > 0
}

const asGuess = (message: Placed): Placed => ({ ...message, isGuess: true })

/** The JSON of a value, as it stands in the file if that is a text. */
function jsonOf(raw: unknown, value: unknown): string {
  if (typeof raw === 'string' && /^\s*[[{]/.test(raw)) return raw.trim()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** True for a value without texts, numbers and flags. */
function isNothing(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null || value === ''
  return depth < deepest && Object.values(value).every((each) => isNothing(each, depth + 1))
}

/** True for an object without anything but settings. */
function holdsSettings(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([key, each]) => isSetting(key) || isNothing(each))
}

/** The fields with texts that may be the message: of an object, a list of one, or the arguments of a function. */
function contentFields(value: unknown, isText: boolean, place: Place): Field[] {
  const at = (...steps: (string | number)[]) => (isText ? place : within(place, ...steps))
  const named = (object: JsonObject, ...outer: string[]): Field[] =>
    Object.entries(object).map(([key, each]) => ({ key, value: each, place: at(...outer, key) }))
  const listed = (list: readonly unknown[], ...outer: string[]): Field[] =>
    list.map((each, index) => ({ key: '', value: each, place: at(...outer, index) }))
  if (Array.isArray(value)) return value.length === 1 ? listed(value).filter(isContent) : []
  if (!isObject(value)) return []
  const { args, kwargs, ...others } = value
  const isCall = Array.isArray(args) && isObject(kwargs)
  const fields = isCall ? [...listed(args, 'args'), ...named(kwargs, 'kwargs'), ...named(others)] : named(value)
  return fields.filter(isContent)
}

/** A setting holds ids and single words. */
function isContent({ key, value: raw }: Field): boolean {
  const value = parseJsonText(raw)
  return holdsText(value) && !(isSetting(key) && holdsWordsOnly(value))
}

function holdsWordsOnly(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'string' || isWord(value)
  return depth < deepest && Object.values(value).every((each) => holdsWordsOnly(each, depth + 1))
}

/** How Python prints an object, such as `<app.Bot object at 0x7f>`. */
const printed = /^\s*<[A-Za-z_][\w.]*(?:\s[^<>]*)?>\s*$/

/** The field that is the message: the one with messages, the only one, one with a usual name, or a sentence among ids. */
function contentIn(all: readonly Field[], side: Side): Field | undefined {
  const fields = all.filter(({ value }) => typeof value !== 'string' || !printed.test(value))
  const [first] = fields
  if (fields.length <= 1) return first
  const structured = fields.find(
    ({ value, place }) => typeof parseJsonText(value) === 'object' && messagesIn(value, side, place).length > 0,
  )
  const usual = usualFields(side).flatMap((name) => fields.find(({ key }) => key === name) ?? [])[0]
  const [content, ...others] = fields.filter(({ value }) => !isId(value))
  return structured ?? usual ?? (others.length === 0 && !isWord(content?.value) ? content : undefined)
}

/** True for one text without blanks, in a script that has them. */
function isWord(raw: unknown): boolean {
  const value = parseJsonText(raw)
  return typeof value === 'string' && /^[!-~]*$/.test(value.trim())
}

/** True for an id, an address or a locale, such as `user-7` or `en-US`, or for a value with only those. */
function isId(raw: unknown, depth = 0): boolean {
  const value = parseJsonText(raw)
  if (typeof value === 'string') return isWord(value) && /\d|\w[/:@.]\w|^[a-z]{2}[-_][A-Z]{2}$/.test(value)
  if (typeof value !== 'object' || value === null) return true
  return depth < deepest && Object.values(value).every((each) => each === '' || isId(each, depth + 1))
}

const speakers = ['role', 'author', 'sender', 'from', 'speaker']

/** True for a list of two objects or more with a speaker and a text, at any depth. */
function holdsDialogue(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth === deepest) return false
  if (Array.isArray(value) && value.filter(isUtterance).length > 1) return true
  return Object.values(value).some((each) => holdsDialogue(parseJsonText(each), depth + 1))
}

function isUtterance(value: unknown): boolean {
  return isObject(value) && speakers.some((key) => holdsText(value[key])) && Object.keys(value).some(isTextOf(value))
}

const isTextOf = (value: JsonObject) => (key: string) => !speakers.includes(key) && typeof value[key] === 'string'
