/** The kind of the texts of a field, by its name. A fact, such as a model or a folder, may be repeated. */
export type FieldKind = 'speech' | 'speaker' | 'id' | 'structure' | 'fact'

/** The length up to which a text is a fact, unless it is what somebody says. */
export const longestFact = 200

/** Fields in which programs put what somebody says. Equal texts in them are different messages. */
const speech: ReadonlySet<string> = new Set(
  (
    'content contents text texts message messages value values part parts body html markdown thinking reasoning thought ' +
    'thoughts output outputs result results response responses reply answer answers completion completions prompt ' +
    'question query input inputs utterance transcript comment'
  ).split(' '),
)

const speakers: ReadonlySet<string> = new Set('role author sender from speaker participant by'.split(' '))

export function kindOf(name: string): FieldKind {
  if (speech.has(name)) return 'speech'
  if (speakers.has(name)) return 'speaker'
  if (ids.test(name)) return 'id'
  return structural.test(name) ? 'structure' : 'fact'
}

const ids = /^(?:ids?|uuid)$|[_.](?:ids?|uuid)$|[a-z](?:Ids?|ID|Uuid)$/

/** Fields of types, states and times. */
const structural =
  /^(?:type|subtype|kind|object|status|state|method|signature|encrypted_content|service_tier|system_fingerprint|tool_choice|truncation|detail|created|updated|date|time|timestamp|version)$|_(?:type|at|time|timestamp|date|version|reason)$|[a-z](?:Type|At|Time|Timestamp|Date|Version|Nano|Reason)$/

/** A word, such as an id, or a time. */
export const word = /^(?:[^\s{["][\x21-\x7e]*|[\d:.,+TZ/ -]*)$/

/** True for the name of a field that is a text of a user and no name, such as the answer of a poll. */
export const isSentence = (name: string) => name.length > 16 && /\S\s+\S+\s+\S/.test(name)

/** True for bytes, as base64 or a data URL. */
export function isBytes(text: string): boolean {
  if (text.startsWith('data:')) return /^data:[\w/+.-]*;base64,/.test(text)
  return text.length > longestFact && /^[\w+/-]+={0,2}$/.test(text)
}

const maxDepth = 8

/** True if a value holds a text. A value nested deeper than 8 levels counts as text. */
export function holdsText(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' && value !== ''
  if (depth === maxDepth) return true
  for (const each of Object.values(value)) if (holdsText(each, depth + 1)) return true
  return false
}
