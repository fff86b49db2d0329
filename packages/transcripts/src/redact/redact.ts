import type { AnnotationMessage, Upload } from '../output/index.js'
import type { Transcript } from '../transcript.js'
import { type Finder, type Kind, kinds, type RedactKind, rangeOf } from './finders.js'

/** Something of one's own to hide. */
export interface RedactPattern {
  /** The name in its placeholders, as in `[order-1]`: a letter, then letters, digits, `_` and `-`. */
  name: string
  /** Searched for in each text on its own, all through it; or what searches. */
  pattern: RegExp | Finder
}

/** The kinds and patterns to hide. */
export interface RedactRules {
  /** Default: all of them. */
  kinds?: readonly RedactKind[] | undefined
  /** Replaced before the kinds are, in their order. */
  patterns?: readonly RedactPattern[] | undefined
}

/** The result of `redact`. */
export interface Redacted<T> {
  /** A copy. What has nothing to hide is the given value itself. */
  value: T
  /** The number of texts that were replaced, by the name of the placeholder: `{ email: 3, card: 1 }`. */
  counts: Record<string, number>
}

/** The argument of `redact`: a transcript, an upload body, or the body of an annotation request. */
export type Redactable = Transcript | Upload | { transcript: readonly AnnotationMessage[] }

/** Ids of files and users name people as well as contents do. */
const ownTexts = new Set(['name', 'externalId', 'externalUserId', 'metadata', 'turns', 'transcript'])
const turnTexts = new Set(['content', 'toolCalls', 'toolResults', 'metadata'])

/**
 * Replaces e-mail addresses, phone numbers, payment cards, IBANs and what own patterns match by placeholders such as
 * `[email-1]`: the same value gets the same number within a transcript. Looks into names, ids of the conversation and
 * its user, contents, names, arguments and results of tools, and metadata, names of fields and numbers included. Placeholders that stand
 * there already stay, so that a second time changes nothing. Throws a RangeError for a pattern whose name is none.
 *
 * @example
 * const { value, counts } = redact(transcript, { kinds: ['emails', 'cards'] })
 */
export function redact<T extends Redactable>(given: T, rules: RedactRules = {}): Redacted<T> {
  const all = kindsOf(rules)
  const redaction: Redaction = { kinds: all, placeholder: placeholderOf(all), numbers: new Map(), counts: {} }
  const isText = (step: string, depth: number) => (depth === 0 ? ownTexts : turnTexts).has(step)
  countGiven(given, redaction)
  const value = mapFields(given, (name, field) => {
    if (!isText(name, 0)) return field
    if (name !== 'turns' && name !== 'transcript') return mapTexts(field, redaction)
    const turns = field as readonly object[]
    return mapItems(turns, (turn) => mapFields(turn, (of, each) => (isText(of, 1) ? mapTexts(each, redaction) : each)))
  })
  return { value, counts: redaction.counts }
}

interface Redaction {
  kinds: readonly Kind[]
  /** A placeholder of one of the kinds. */
  placeholder: RegExp
  /** By label: the number of each value, and the last one given out. */
  numbers: Map<string, { of: Map<string, number>; last: number }>
  counts: Record<string, number>
}

function kindsOf({ kinds: wanted = Object.keys(kinds) as RedactKind[], patterns = [] }: RedactRules): Kind[] {
  const own = patterns.map(({ name, pattern }): Kind => {
    if (!/^[A-Za-z][\w-]*$/.test(name))
      throw new RangeError(`redact: not a name of a pattern: ${JSON.stringify(name)}.`)
    return { label: name, find: typeof pattern === 'function' ? pattern : finderOf(pattern), same: (value) => value }
  })
  return [
    ...own,
    ...(Object.keys(kinds) as RedactKind[]).filter((kind) => wanted.includes(kind)).map((kind) => kinds[kind]),
  ]
}

function finderOf(pattern: RegExp): Finder {
  const search = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`)
  return (text) => [...text.matchAll(search)].filter(([found]) => found !== '').map(rangeOf)
}

const placeholderOf = (all: readonly Kind[]): RegExp =>
  new RegExp(
    `\\[(${[...new Set([...Object.values(kinds), ...all].map(({ label }) => label))].join('|')})-(\\d{1,15})\\]`,
    'g',
  )

/** New numbers come after those of placeholders that are there already, which stand for values nobody knows. */
function countGiven(given: unknown, { placeholder, numbers }: Redaction): void {
  mapTexts(given, undefined, (text) => {
    for (const [, label = '', number] of text.includes('[') ? text.matchAll(placeholder) : []) {
      const known = numbers.get(label) ?? { of: new Map(), last: 0 }
      numbers.set(label, { ...known, last: Math.max(known.last, Number(number)) })
    }
    return text
  })
}

function redactText(given: string, redaction: Redaction): string {
  let text = given
  // What a placeholder has come between may look otherwise to what was looked for before.
  for (let round = 0, before = ''; before !== text && round < mostRounds; round++) {
    before = text
    for (const kind of redaction.kinds) text = hide(text, kind, redaction)
  }
  return text
}

/** A text takes two or three; one that is made to take more must not take for ever. */
const mostRounds = 50

/** Between placeholders, which are nobody's value. */
function hide(text: string, kind: Kind, redaction: Redaction): string {
  if (!text.includes('[')) return hideIn(text, kind, redaction)
  let hidden = ''
  let from = 0
  for (const match of text.matchAll(redaction.placeholder)) {
    hidden += hideIn(text.slice(from, match.index), kind, redaction) + match[0]
    from = match.index + match[0].length
  }
  return hidden + hideIn(text.slice(from), kind, redaction)
}

function hideIn(text: string, { find, label, same }: Kind, { numbers, counts }: Redaction): string {
  const ranges = find(text)
  if (ranges.length === 0) return text
  const known = numbers.get(label) ?? { of: new Map<string, number>(), last: 0 }
  numbers.set(label, known)
  let hidden = ''
  let from = 0
  for (const [start, end] of ranges) {
    const value = same(text.slice(start, end))
    const number = known.of.get(value) ?? ++known.last
    known.of.set(value, number)
    counts[label] = (counts[label] ?? 0) + 1
    hidden += `${text.slice(from, start)}[${label}-${number}]`
    from = end
  }
  return hidden + text.slice(from)
}

/** A JSON value with its texts replaced, names of fields included; itself where nothing is. */
function mapTexts(
  value: unknown,
  redaction: Redaction | undefined,
  of = (text: string) => redactText(text, redaction as Redaction),
): unknown {
  if (typeof value === 'string') return of(value)
  if (typeof value === 'number') {
    const text = String(value)
    const hidden = of(text)
    return hidden === text ? value : hidden
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) return mapItems(value, (each) => mapTexts(each, redaction, of))
  return mapFields(value, (_, field) => mapTexts(field, redaction, of), of)
}

function mapItems<T>(items: readonly T[], of: (item: T) => T): readonly T[] {
  const mapped = items.map(of)
  return mapped.some((each, index) => each !== items[index]) ? mapped : items
}

function mapFields<T extends object>(
  given: T,
  of: (name: string, field: unknown) => unknown,
  named = (name: string) => name,
): T {
  const before = Object.entries(given)
  const after = before.map(([name, field]): [string, unknown] => [named(name), of(name, field)])
  const same = after.every(([name, field], index) => name === before[index]?.[0] && field === before[index]?.[1])
  return same ? given : (Object.fromEntries(after) as T)
}
