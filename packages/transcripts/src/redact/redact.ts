import type { AnnotationRequest, TranscriptUpload } from '@svc/client'
import { getOrInsert } from '../json/index.js'
import type { Transcript } from '../transcript.js'
import { type Finder, type Kind, kinds, type RedactKind, rangeOf } from './finders.js'

/** A custom pattern to redact. */
export interface RedactPattern {
  /** The name in its placeholders, as in `[order-1]`: a letter, then letters, digits, `_` and `-`. */
  name: string
  /** A pattern, of which every match in a text is redacted, or a function that finds the ranges. */
  pattern: RegExp | Finder
}

/** The kinds and patterns to redact. */
export interface RedactRules {
  /** Default: all of them. */
  kinds?: readonly RedactKind[] | undefined
  /** Applied in their order, before the kinds. */
  patterns?: readonly RedactPattern[] | undefined
}

/** The result of `redact`. */
export interface Redacted<T> {
  /** A copy; the given value itself if nothing was redacted. */
  value: T
  /** The number of replacements by the name of the placeholder: `{ email: 3, card: 1 }`. */
  counts: Record<string, number>
}

/** The argument of `redact`: a transcript, an upload body, or the body of an annotation request. */
export type Redactable = Transcript | TranscriptUpload | Pick<AnnotationRequest, 'transcript'>

const transcriptTexts = new Set(['name', 'externalId', 'externalUserId', 'metadata', 'turns', 'transcript'])
const turnTexts = new Set(['content', 'toolCalls', 'toolResults', 'metadata'])

/**
 * Replace e-mail addresses, phone numbers, payment cards, IBANs, social security numbers and matches of custom patterns with placeholders such as
 * `[email-1]`. Equal values in a transcript get the same number. Searches names, ids, contents, tool calls, tool results
 * and metadata, including field names and numbers. Existing placeholders stay, so a second call changes nothing.
 *
 * @throws {RangeError} when the name of a pattern is invalid
 *
 * @example
 * const { value, counts } = redact(transcript, { kinds: ['emails', 'cards'] })
 */
export function redact<T extends Redactable>(given: T, rules: RedactRules = {}): Redacted<T> {
  const all = kindsOf(rules)
  const redaction: Redaction = { kinds: all, placeholder: placeholderOf(all), numbers: new Map(), counts: {} }
  countExisting(given, redaction)
  const redactValue = (value: unknown) => mapTexts(value, (text) => redactText(text, redaction))
  const value = mapFields(given, (name, field) => {
    if (!transcriptTexts.has(name)) return field
    if (name !== 'turns' && name !== 'transcript') return redactValue(field)
    const turns = field as readonly object[]
    return mapItems(turns, (turn) => mapFields(turn, (of, each) => (turnTexts.has(of) ? redactValue(each) : each)))
  })
  return { value, counts: redaction.counts }
}

interface Redaction {
  kinds: readonly Kind[]
  /** Matches a placeholder of any kind. */
  placeholder: RegExp
  /** By label: the number of each value, and the last number in use. */
  numbers: Map<string, { of: Map<string, number>; last: number }>
  counts: Record<string, number>
}

function kindsOf({ kinds: wanted = Object.keys(kinds) as RedactKind[], patterns = [] }: RedactRules): Kind[] {
  const custom = patterns.map(({ name, pattern }): Kind => {
    if (!/^[A-Za-z][\w-]*$/.test(name)) throw new RangeError(`redact: invalid pattern name ${JSON.stringify(name)}.`)
    return { label: name, find: typeof pattern === 'function' ? pattern : finderOf(pattern), normalize: String }
  })
  const builtIn = Object.entries(kinds).filter(([kind]) => wanted.includes(kind as RedactKind))
  return [...custom, ...builtIn.map(([, kind]) => kind)]
}

function finderOf(pattern: RegExp): Finder {
  const search = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`)
  return (text) => [...text.matchAll(search)].filter(([found]) => found !== '').map(rangeOf)
}

function placeholderOf(all: readonly Kind[]): RegExp {
  const labels = new Set([...Object.values(kinds), ...all].map(({ label }) => label))
  return new RegExp(`\\[(${[...labels].join('|')})-(\\d{1,15})\\]`, 'g')
}

/** New numbers follow those of existing placeholders, whose values are unknown. */
function countExisting(given: unknown, { placeholder, numbers }: Redaction): void {
  mapTexts(given, (text) => {
    for (const [, label = '', number] of text.includes('[') ? text.matchAll(placeholder) : []) {
      const known = getOrInsert(numbers, label, () => ({ of: new Map(), last: 0 }))
      known.last = Math.max(known.last, Number(number))
    }
    return text
  })
}

function redactText(given: string, redaction: Redaction): string {
  let text = given
  // A new placeholder may separate a match of an earlier kind from the text beside it.
  for (let round = 0, before = ''; before !== text && round < maxRounds; round++) {
    before = text
    for (const kind of redaction.kinds) text = replaceOutsidePlaceholders(text, kind, redaction)
  }
  return text
}

/** Most texts need two or three rounds; a crafted text must not take forever. */
const maxRounds = 50

function replaceOutsidePlaceholders(text: string, kind: Kind, redaction: Redaction): string {
  let redacted = ''
  let from = 0
  for (const match of text.matchAll(redaction.placeholder)) {
    redacted += replaceIn(text.slice(from, match.index), kind, redaction) + match[0]
    from = match.index + match[0].length
  }
  return redacted + replaceIn(text.slice(from), kind, redaction)
}

function replaceIn(text: string, { find, label, normalize }: Kind, { numbers, counts }: Redaction): string {
  const ranges = find(text)
  if (ranges.length === 0) return text
  const known = getOrInsert(numbers, label, () => ({ of: new Map(), last: 0 }))
  let redacted = ''
  let from = 0
  for (const [start, end] of ranges) {
    const value = normalize(text.slice(start, end))
    const number = known.of.get(value) ?? ++known.last
    known.of.set(value, number)
    counts[label] = (counts[label] ?? 0) + 1
    redacted += `${text.slice(from, start)}[${label}-${number}]`
    from = end
  }
  return redacted + text.slice(from)
}

/** Map the texts, numbers and field names of a JSON value; returns the same value if nothing changes. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (typeof value === 'number') {
    const mapped = map(String(value))
    return mapped === String(value) ? value : mapped
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) return mapItems(value, (each) => mapTexts(each, map))
  return mapFields(value, (_, field) => mapTexts(field, map), map)
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
