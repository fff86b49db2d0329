import { createContext, Script } from 'node:vm'
import { type Redactable, type RedactKind, type RedactRules, redact } from '@svc/transcripts'
import type { Resolved } from '../config/index.js'
import { CliError, exit } from '../exit.js'
import { count } from '../terminal/index.js'
import { scanText } from './scan.js'

/** What `--redact` can hide; `secrets` are the credentials that would be refused. */
export const redactKinds = ['emails', 'phones', 'cards', 'ibans', 'secrets'] as const
export type RedactName = (typeof redactKinds)[number]

/** The flags of everything that sends what people said. */
export interface GuardFlags {
  allowSecrets?: boolean
  redact?: readonly RedactName[]
  redactPattern?: readonly { name: string; pattern: RegExp }[]
}

/** A body as it may be sent, what forbids that, and what was hidden in it. */
interface Guarded<T> {
  body: T
  /** Credentials that are left; none where they are allowed. */
  hits: Found[]
  /** How many texts were hidden, by the name of their placeholder. Never values. */
  redacted: Record<string, number>
}

/**
 * Looks at the body of an upload or an annotation request before it leaves. `own` are keys in use, which are credentials
 * in any form. Throws a CliError for a pattern of the user's that comes to no end.
 */
export function guard<T extends Redactable>(body: T, flags: GuardFlags, own: readonly string[] = []): Guarded<T> {
  const { value, counts } = hide(body, flags, own)
  return { body: value, hits: flags.allowSecrets ? [] : scanBody(value, own), redacted: counts }
}

function hide<T extends Redactable>(body: T, flags: GuardFlags, own: readonly string[]) {
  const { redact: kinds = [], redactPattern = [] } = flags
  if (kinds.length === 0 && redactPattern.length === 0) return { value: body, counts: {} }
  const secrets = {
    name: 'secret',
    pattern: (text: string) => scanText(text, own).map(({ start, end }) => [start, end] as const),
  }
  const rules: RedactRules = {
    kinds: kinds.filter((kind): kind is RedactKind => kind !== 'secrets'),
    patterns: [...redactPattern, ...(kinds.includes('secrets') ? [secrets] : [])],
  }
  return redactPattern.length > 0 ? bounded(() => redact(body, rules)) : redact(body, rules)
}

/** A regular expression can take for ever, and nothing but an interpreter of its own can stop one. */
function bounded<T>(work: () => T): T {
  let done: { value: T } | undefined
  const run = () => {
    done = { value: work() }
  }
  try {
    new Script('run()').runInContext(createContext({ run }), { timeout: longestMs })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
  }
  if (done) return done.value
  throw new CliError(exit.usage, `--redact-pattern was not through with one transcript after ${longestMs / 1_000} s.`, {
    hint: 'a repetition inside a repetition, as in (a+)+, can take for ever; write the pattern without',
  })
}

const longestMs = 5_000

/** Credentials as violations of the body, for whoever knows where it comes from. */
export const asViolations = (hits: readonly Found[]): { pointer: string; message: string }[] =>
  hits.map(({ rule, pointer, masked }) => ({ pointer, message: `looks like a credential: ${rule} ${masked}` }))

/** What to do about `asViolations`. */
export const secretsHint =
  '--redact=all hides credentials and personal data, --redact=secrets credentials only; --allow-secrets sends them as they are'

/** Refuses to send anything where there are credentials; a line for each. */
export function refuseSecrets(lines: readonly string[]): void {
  if (lines.length === 0) return
  throw new CliError(exit.input, `The input has ${count(lines.length, 'credential')}; nothing was sent.`, {
    details: [...lines],
    hint: secretsHint,
  })
}

/** The keys in force that a text can give away; a short one, as of a test, is a word like any other. */
export const ownKeys = ({
  annotationApiKey,
  workspaceApiKey,
}: Pick<Resolved, 'annotationApiKey' | 'workspaceApiKey'>): string[] =>
  [...new Set([annotationApiKey, workspaceApiKey].flatMap((key) => key?.value ?? []))].filter(
    ({ length }) => length >= 16,
  )

/** Adds the counts of one body to those of others. */
export function addCounts(sum: Record<string, number>, counts: Record<string, number>): void {
  for (const [name, n] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + n
}

/** What was hidden, in one line; undefined when that is nothing. */
export function redactionLine(counts: Record<string, number>): string | undefined {
  const each = Object.entries(counts).map(([name, n]) => count(n, name))
  return each.length > 0 ? `redacted: ${each.join(', ')}` : undefined
}

/** A credential in a request body. Never the value. */
interface Found {
  rule: string
  /** JSON pointer into the body, as in `/turns/3/content`. */
  pointer: string
  masked: string
}

/** The credentials in all texts of a body, names of fields included. `own` are values that are some in any form. */
export function scanBody(body: unknown, own: readonly string[] = []): Found[] {
  const found: Found[] = []
  const steps: (string | number)[] = []
  const look = (text: string) => {
    for (const { rule, masked } of scanText(text, own)) found.push({ rule, pointer: pointerOf(steps), masked })
  }
  const walk = (value: unknown, name: string): void => {
    if (typeof value === 'string') return look(mayName.test(name) ? `${name}=${value}` : value)
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
      const before = found.length
      look(key)
      const masked = found[before]?.masked
      // A pointer is printed, and a name that is a credential would be a step of it.
      steps.push(masked ?? key)
      walk((value as Record<string, unknown>)[key], masked === undefined ? key : '')
      steps.pop()
    }
  }
  walk(body, '')
  return found
}

const pointerOf = (steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Names of fields that say of their value that it is a credential. */
const mayName = /key|token|authoriz/i
