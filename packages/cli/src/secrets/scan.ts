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
  const known =
    text.length < shortest ? [] : [...privateKeys(text), ...rules.flatMap((rule) => [...matchesOf(rule, text)])]
  let end = 0
  return [...ownKeys(text, own), ...known]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((hit) => {
      const free = hit.start >= end
      if (free) end = hit.end
      return free
    })
}

function* matchesOf({ id, pattern, isNamed }: Rule, text: string): Generator<Hit> {
  for (const { 0: found, 1: prefix = '', index } of text.matchAll(pattern)) {
    if (looksMadeUp(found.slice(prefix.length))) continue
    const start = isNamed ? index + prefix.length : index
    yield hit(id, start, index + found.length, text, isNamed ? '' : prefix)
  }
}

/** Without a footer the key was cut off, and the rest of the text counts as the key. */
function* privateKeys(text: string): Generator<Hit> {
  const header = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g
  for (let match = header.exec(text); match; match = header.exec(text)) {
    const from = header.lastIndex
    // A header alone, as in a text about keys, is no key.
    if (!/[\w.~+/=-]{20}/.test(text.slice(from, from + 500))) continue
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

/** A kind of credential. */
interface Rule {
  /** Its name in messages and JSON. */
  id: string
  /** The first group is the prefix that may be shown, or the words before a value that is recognized by them. */
  pattern: RegExp
  isNamed?: true
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
  {
    id: 'bearer-token',
    pattern:
      /(\b(?:bearer|authorization\W{1,6}(?:basic|token|apikey|jwt))\s{1,4}|(?:access|refresh|id)_?token\W{1,8})(?=[a-z.~+/_-]*\d)[\w.~+/-]{19,}[\w~+/-]/gi,
    isNamed: true,
  },
  {
    id: 'aws-secret-key',
    pattern: /((?:aws_?secret(?:_?access)?_?key|secret_?access_?key)\W{1,8})[a-z0-9+/]{40}(?![\w~+/-])/gi,
    isNamed: true,
  },
]

/** The length of the shortest credential of a rule. */
const shortest = 20
