interface Hit {
  rule: string
  /** In UTF-16 code units; `end` is exclusive. */
  start: number
  end: number
  /** Its known prefix, and at most its last four characters. */
  masked: string
}

/** Find credentials in a text, in order, without overlaps. `own`: values that are always credentials. */
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

/** A cheap check before `named`: `name=value` is one word, else the name must end in one of a few letters. */
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

/** Without a footer the key was cut off, and the rest of the text counts as the key. */
function* privateKeys(text: string): Generator<Hit> {
  const header = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
  for (let match = header.exec(text); match; match = header.exec(text)) {
    const from = header.lastIndex
    let isKey = false
    // A header alone, as in a text about keys, is no key.
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
  // The last four characters are shown only if at least eight stay hidden.
  const shown = end - start - prefix.length >= 12 ? text.slice(end - 4, end) : ''
  return { rule, start, end, masked: `${prefix}…${shown}` }
}

/** Placeholders: `xxxxxxxx`, `YOUR-KEY-HERE`, keys that end in EXAMPLE. */
function looksMadeUp(value: string): boolean {
  return new Set(value.slice(0, 64)).size < 6 || /example|placeholder|x{6}|your[-_]/i.test(value)
}

/** A kind of credential with a known form. */
interface Rule {
  /** Its name in messages and JSON. */
  id: string
  /** Matched inside one long word; the first group is the prefix that may be shown. */
  pattern: RegExp
}

/** A kind of credential that is recognized by the words before it. */
interface NamedRule {
  id: string
  /** Matches the end of the text before the value. */
  before: RegExp
  value: RegExp
}

/** Each pattern takes linear time. */
export const rules: readonly Rule[] = [
  { id: 'service-key', pattern: /(?<![A-Za-z0-9])(sk-(?:service|legacy)-api03-)[\w-]{8,}/g },
  { id: 'anthropic-key', pattern: /(?<![A-Za-z0-9])(sk-ant-)[\w-]{20,}/g },
  {
    id: 'openai-key',
    pattern: /(?<![A-Za-z0-9])(sk-(?:proj-|svcacct-|admin-|or-v1-)(?=[\w-]{20})|sk-(?=[A-Za-z0-9]{32}))[\w-]+/g,
  },
  { id: 'aws-access-key-id', pattern: /(?<![A-Za-z0-9])(AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g },
  { id: 'google-key', pattern: /(?<![A-Za-z0-9])(AIza(?=[\w-]{35})|ya29\.(?=[\w-]{20})|GOCSPX-(?=[\w-]{20}))[\w-]+/g },
  { id: 'azure-key', pattern: /((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}/g },
  { id: 'azure-client-secret', pattern: /(?<![\w~.-])([\w~.-]{3}\dQ~)[\w~.-]{31,34}(?![\w~.-])/g },
  {
    id: 'github-token',
    pattern: /(?<![A-Za-z0-9])(gh[pousr]_(?=[A-Za-z0-9]{36})|github_pat_(?=\w{36}))\w+/g,
  },
  { id: 'gitlab-token', pattern: /(?<![A-Za-z0-9])(glpat-)[\w-]{20,}/g },
  { id: 'slack-token', pattern: /(?<![A-Za-z0-9])(xox[abeoprs]-|xapp-\d-)[A-Za-z0-9-]{14,}/g },
  { id: 'slack-webhook', pattern: /(hooks\.slack\.com\/services\/)T\w{6,}\/B\w{6,}\/\w{16,}/g },
  { id: 'stripe-key', pattern: /(?<![A-Za-z0-9])([rs]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}/g },
  { id: 'npm-token', pattern: /(?<![A-Za-z0-9])(npm_)[A-Za-z0-9]{36}/g },
  { id: 'hugging-face-token', pattern: /(?<![A-Za-z0-9])(hf_)[A-Za-z0-9]{34}/g },
  { id: 'jwt', pattern: /(?<![\w-])(eyJ)[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}/g },
]

/** Every match of a rule contains this; other words are skipped. */
const marked =
  /sk-|AKIA|ASIA|AIza|ya29|GOCSPX|AccessKey=|AccountKey=|Q~|gh[pousr]_|_pat_|glpat|xox|xapp|slack|_live_|_test_|whsec_|npm_|hf_|eyJ/

export const namedRules: readonly NamedRule[] = [
  {
    id: 'bearer-token',
    before:
      /(?:\b(?:bearer|authorization\W{1,6}(?:basic|token|apikey|jwt))\s{1,4}|(?:access|refresh|id)_?token\W{1,8})$/i,
    value: /^(?=[^\d]*\d)[\w.~+/-]{20,}$/,
  },
  {
    id: 'aws-secret-key',
    before: /(?:aws_?secret(?:_?access)?_?key|secret_?access_?key)\W{1,8}$/i,
    value: /^[A-Za-z0-9+/]{40}$/,
  },
]

/** Characters before a value in which a named rule searches. */
const reach = 40

/** The length of the shortest credential of a rule. */
const shortest = 20

/** Characters of credentials: letters, digits and `-._~+/=` (RFC 6750 and 4648). */
const inWord = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=') {
  inWord[character.charCodeAt(0)] = 1
}

/**
 * Call back for each run of at least `shortest` credential characters. Prose has almost none, so the search checks every
 * twentieth character first and skips ahead.
 */
function eachLongWord(text: string, found: (start: number, end: number) => void): void {
  let start = 0
  while (start + shortest <= text.length) {
    let at = start + shortest - 1
    while (at >= start && inWord[text.charCodeAt(at)] === 1) at--
    if (at >= start) {
      start = at + 1
      continue
    }
    let end = start + shortest
    while (end < text.length && inWord[text.charCodeAt(end)] === 1) end++
    found(start, end)
    start = end + 1
  }
}
