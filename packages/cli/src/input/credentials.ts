import { createContext, Script } from 'node:vm'
import { count, pointerOf } from '@svc/text'
import { type Redactable, type RedactKind, type RedactRules, redact } from '@svc/transcripts'
import type { BodyViolation } from './conversations.js'
import { InputProblem } from './input-problem.js'

/** The kinds of `--redact`. `secrets`: credentials, which are refused otherwise. */
export const redactKinds = ['emails', 'phones', 'cards', 'ibans', 'ssns', 'secrets'] as const
export type RedactName = (typeof redactKinds)[number]

export interface GuardFlags {
  allowSecrets?: boolean
  redact?: readonly RedactName[]
  redactPattern?: readonly { name: string; pattern: RegExp }[]
}

/**
 * Redact and scan a request body before it is sent. `own`: the keys in use, which are credentials in any form. `patternMs`:
 * the time for the user's patterns. `hits`: remaining credentials. `redacted`: counts by the name of the placeholder.
 *
 * @throws {InputProblem} for a user's pattern that does not end
 */
export function guard<T extends Redactable>(
  body: T,
  flags: GuardFlags,
  ownKeys: readonly string[] = [],
  patternMs = defaultPatternMs,
): { body: T; hits: FoundCredential[]; redacted: Record<string, number> } {
  const { value, counts } = hide(body, flags, ownKeys, patternMs)
  return { body: value, hits: flags.allowSecrets ? [] : scanBody(value, ownKeys), redacted: counts }
}

/** Redact a value, and leave the credentials that remain. */
export const redacted = <T extends Redactable>(value: T, flags: GuardFlags, ownKeys: readonly string[]) =>
  hide(value, flags, ownKeys, defaultPatternMs)

const defaultPatternMs = 5_000

function hide<T extends Redactable>(body: T, flags: GuardFlags, ownKeys: readonly string[], patternMs: number) {
  const { redact: kinds = [], redactPattern = [] } = flags
  if (kinds.length === 0 && redactPattern.length === 0) return { value: body, counts: {} }
  const secrets = {
    name: 'secret',
    pattern: (text: string) => scanText(text, ownKeys).map(({ start, end }) => [start, end] as const),
  }
  const rules: RedactRules = {
    kinds: kinds.filter((kind): kind is RedactKind => kind !== 'secrets'),
    patterns: [...redactPattern, ...(kinds.includes('secrets') ? [secrets] : [])],
  }
  return redactPattern.length > 0 ? bounded(() => redact(body, rules), patternMs) : redact(body, rules)
}

/** Runs in a vm with a time-out, because only that can stop a regular expression. */
function bounded<T>(work: () => T, timeout: number): T {
  let done: { value: T } | undefined
  const run = () => {
    done = { value: work() }
  }
  try {
    new Script('run()').runInContext(createContext({ run }), { timeout })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
  }
  if (done) return done.value
  throw new InputProblem('slow_pattern', `--redact-pattern took longer than ${timeout / 1_000} s for one transcript.`, {
    hint: 'a nested repetition such as (a+)+ may never end: rewrite the pattern without it',
  })
}

export const asViolations = (hits: readonly FoundCredential[]): BodyViolation[] =>
  hits.map(({ rule, pointer, masked }) => ({
    pointer,
    message: `looks like a credential: ${rule} ${masked}`,
    code: 'credential',
  }))

export const secretsHint =
  '--redact=all hides credentials and personal data, --redact=secrets credentials only; --allow-secrets sends them unchanged'

export function refuseSecrets(lines: readonly string[]): void {
  if (lines.length === 0) return
  throw new InputProblem('credentials_found', `The input has ${count(lines.length, 'credential')}; nothing was sent.`, {
    details: lines,
    hint: secretsHint,
  })
}

/** The configured keys, except short ones, which may be ordinary words. */
export const ownKeys = ({
  annotationApiKey,
  workspaceApiKey,
}: { [Name in 'annotationApiKey' | 'workspaceApiKey']?: { value: string } | undefined }): string[] =>
  [...new Set([annotationApiKey, workspaceApiKey].flatMap((key) => key?.value ?? []))].filter(
    ({ length }) => length >= 16,
  )

export function addCounts(sum: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, n] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + n
}

export function redactionLine(counts: Record<string, number>): string | undefined {
  const each = Object.entries(counts).map(([name, n]) => count(n, name))
  return each.length > 0 ? `redacted: ${each.join(', ')}` : undefined
}

interface FoundCredential {
  rule: string
  /** JSON pointer into the body, as in `/turns/3/content`. */
  pointer: string
  masked: string
}

export function scanBody(body: unknown, ownKeys: readonly string[] = []): FoundCredential[] {
  const hits: FoundCredential[] = []
  const steps: (string | number)[] = []
  const scan = (text: string) => {
    for (const { rule, masked } of scanText(text, ownKeys)) hits.push({ rule, pointer: pointerOf(steps), masked })
  }
  const walk = (value: unknown, name: string): void => {
    if (typeof value === 'string') return scan(mayName.test(name) ? `${name}=${value}` : value)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        steps.push(index)
        walk(value[index], name)
        steps.pop()
      }
      return
    }
    for (const key of Object.keys(value)) {
      const before = hits.length
      scan(key)
      const masked = hits[before]?.masked
      // The pointer is printed, so a name that is a credential is masked in it.
      steps.push(masked ?? key)
      walk((value as Record<string, unknown>)[key], masked === undefined ? key : '')
      steps.pop()
    }
  }
  walk(body, '')
  return hits
}

const mayName = /key|token|authoriz/i

interface Hit {
  rule: string
  /** In UTF-16 code units; `end` is exclusive. */
  start: number
  end: number
  /** Its known prefix, and at most its last four characters. */
  masked: string
}

/** Find credentials in a text, in order, without overlaps. `ownKeys`: values that are always credentials. */
export function scanText(text: string, ownKeys: readonly string[] = []): Hit[] {
  const markedHits = marked.test(text)
    ? [...privateKeys(text), ...connectionPasswords(text), ...rules.flatMap((rule) => [...matchesOf(rule, text)])]
    : []
  let end = 0
  return [...ownKeyHits(text, ownKeys), ...markedHits]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter((hit) => {
      const free = hit.start >= end
      if (free) end = hit.end
      return free
    })
}

function* matchesOf({ id, pattern, isNamed }: Rule, text: string): Generator<Hit> {
  for (const { 0: match, 1: prefix = '', index } of text.matchAll(pattern)) {
    if (looksMadeUp(match.slice(prefix.length))) continue
    const start = isNamed ? index + prefix.length : index
    yield hit(id, start, index + match.length, text, isNamed ? '' : prefix)
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

/** The passwords of addresses such as `postgres://user:password@host/db`. */
function* connectionPasswords(text: string): Generator<Hit> {
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const [authority = ''] = /^[^\s/'"<>]{0,300}/.exec(text.slice(at + 3, at + 303)) ?? []
    const [colon, sign] = [authority.indexOf(':'), authority.lastIndexOf('@')]
    const password = authority.slice(colon + 1, sign)
    if (colon < 0 || sign < colon || password.length < 3 || !/[a-z]/i.test(text[at - 1] ?? '')) continue
    const start = at + 4 + colon
    if (!looksMadeUp(password)) yield hit('connection-string', start, start + password.length, text, '')
  }
}

function* ownKeyHits(text: string, ownKeys: readonly string[]): Generator<Hit> {
  for (const key of ownKeys) {
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
  return new Set(value.slice(0, 64)).size < 6 || /example|placeholder|x{6}|your[-_]/i.test(value) || isName.test(value)
}

/** A variable, a call or a word in the place of a secret, as in `$TOKEN`, `<password>` or `process.env.KEY`. */
const isName = /^(?:[$<{(%*[]|process\b|os\b|env\b|getenv|import|password$|changeme$|postgres$|redacted)/i

/** A kind of credential. */
interface Rule {
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
  { id: 'sendgrid-key', pattern: /(?<![A-Za-z0-9])(SG\.)[\w-]{16,32}\.[\w-]{32,64}/g },
  { id: 'discord-token', pattern: /(?<![\w.-])([MNO])[\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,45}(?![\w-])/g },
  { id: 'discord-webhook', pattern: /(discord(?:app)?\.com\/api\/webhooks\/)\d{16,20}\/[\w-]{60,90}/g },
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
  {
    id: 'aws-secret-key',
    pattern: /(secret access key[^\w+/]{1,8})[a-z0-9+/]{40}(?![\w~+/-])/gi,
    isNamed: true,
  },
  {
    // The key stands behind its id.
    id: 'aws-secret-key',
    pattern: /((?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}[^A-Za-z0-9+/]{1,20})[A-Za-z0-9+/]{40}(?![\w~+/-])/g,
    isNamed: true,
  },
  {
    id: 'assigned-secret',
    pattern:
      /((?<![\w$])(?:[A-Z\d]{1,30}_){0,6}(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|(?:ACCESS|PRIVATE|SECRET|ENCRYPTION|SIGNING)_KEY)(?:_[A-Z\d]{1,20}){0,2} ?= ?["']?)(?=[\w!#$%&*+./:?@^~=|-]{0,199}\d)[\w!#$%&*+./:?@^~=|-]{7,199}[\w!#$%&*+/^~=-]/g,
    isNamed: true,
  },
  {
    id: 'assigned-secret',
    pattern:
      /((?<![\w$])(?:[a-z\d]{1,30}_){0,4}(?:password|passwd|secret|api_?key|secret_?key) ?= ?["']?)(?=[\w!#$%*+./:?@^~|-]{0,199}\d)(?=[\w!#$%*+./:?@^~|-]{0,199}[A-Za-z])[\w!#$%*+./:?@^~|-]{7,199}[\w!#$%*+/^~-]/g,
    isNamed: true,
  },
]

/** A text without any of these has no match of a rule, and most texts have none. */
const marked =
  /sk-|AKIA|ASIA|AIza|ya29|GOCSPX|Key=|Q~|gh[pousr]_|_pat_|glpat-|xox|xapp-|slack\.com|_live_|_test_|whsec_|npm_|hf_|eyJ|private key|bearer|authorization|token|secret|SG\.|[MNO][\w-]{22,27}\.|discord|:\/\/|passw|passphrase|_key|apikey/i
