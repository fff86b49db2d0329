import { eachLongWord, shortest } from './long-words.js'
import { marked, namedRules, reach, rules } from './rules.js'

/** A credential in a text: where, of which kind, and a form of it that may be shown. Never the value. */
export interface Hit {
  rule: string
  /** In UTF-16 code units, without `end` itself. */
  start: number
  end: number
  /** Its well-known prefix and its last four characters at most. */
  masked: string
}

/** The credentials in a text, in its order, none over another; `own` are values that are some whatever they look like. */
export function scanText(text: string, own: readonly string[] = []): Hit[] {
  if (text.length < shortest && own.length === 0) return []
  const hits: Hit[] = []
  if (own.length > 0) hits.push(...ownKeys(text, own))
  if (text.includes('PRIVATE KEY')) hits.push(...privateKeys(text))
  eachLongWord(text, (start, end) => {
    const word = text.slice(start, end)
    const known = marked.test(word) ? ofKnownForm(text, word, start) : []
    if (known.length > 0) hits.push(...known)
    else if (mayBeNamed(text, start, word)) hits.push(...named(text, word, start))
  })
  if (hits.length < 2) return hits
  let end = 0
  return hits
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((hit) => {
      const free = hit.start >= end
      if (free) end = hit.end
      return free
    })
}

function ofKnownForm(text: string, word: string, start: number): Hit[] {
  const hits: Hit[] = []
  for (const { id, pattern } of rules) {
    for (const match of word.matchAll(pattern)) {
      const [found, prefix = ''] = match
      if (looksMadeUp(found.slice(prefix.length))) continue
      const from = start + match.index
      hits.push(hit(id, from, from + found.length, text, prefix))
    }
  }
  return hits
}

/** Cheaper than a look at the words before: in `name=value` both are one word, else it is a last letter that tells. */
function mayBeNamed(text: string, start: number, word: string): boolean {
  if (word.includes('=')) return true
  let at = start - 1
  while (at >= 0 && at > start - 9 && !isLetter(text.charCodeAt(at))) at--
  return at >= 0 && at < start - 1 && 'rcntyRCNTY'.includes(text.charAt(at))
}

const isLetter = (code: number) => (code > 96 && code < 123) || (code > 64 && code < 91)

function named(text: string, word: string, start: number): Hit[] {
  let end = word.length
  while (end > 0 && '=.'.includes(word.charAt(end - 1))) end--
  const name = word.lastIndexOf('=', end - 1) + 1
  const value = word.slice(name, end)
  const from = start + name
  const before = text.slice(Math.max(0, from - reach), from)
  const rule = namedRules.find((each) => each.before.test(before) && each.value.test(value))
  return rule && !looksMadeUp(value) ? [hit(rule.id, from, start + end, text, '')] : []
}

/** Up to its footer; where that is missing, the key was cut off, and everything after its header may be of it. */
function* privateKeys(text: string): Generator<Hit> {
  const header = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
  for (let match = header.exec(text); match; match = header.exec(text)) {
    const from = header.lastIndex
    let isKey = false
    // A header alone, as in a text about keys, is none.
    eachLongWord(text.slice(from, from + 500), () => {
      isKey = true
    })
    if (!isKey) continue
    const footer = text.indexOf('-----END ', from)
    const end = footer < 0 ? text.length : Math.max(text.indexOf('-----', footer + 9) + 5, footer + 9)
    yield { rule: 'private-key', start: match.index, end, masked: `${match[0]}…` }
    header.lastIndex = end
  }
}

function* ownKeys(text: string, own: readonly string[]): Generator<Hit> {
  for (const key of own) {
    for (let at = text.indexOf(key); key && at >= 0; at = text.indexOf(key, at + key.length)) {
      yield hit('own-key', at, at + key.length, text, '')
    }
  }
}

const hit = (rule: string, start: number, end: number, text: string, prefix: string): Hit => {
  // Four characters are told only where many more are not.
  const told = end - start - prefix.length >= 12 ? text.slice(end - 4, end) : ''
  return { rule, start, end, masked: `${prefix}…${told}` }
}

/** `xxxxxxxx`, `YOUR-KEY-HERE` and the keys of manuals, which end in EXAMPLE. */
function looksMadeUp(value: string): boolean {
  return new Set(value.slice(0, 64)).size < 6 || /example|placeholder|x{6}|your[-_]/i.test(value)
}
