import { createContext, Script } from 'node:vm'
import { type Redactable, type RedactKind, type RedactRules, redact } from '@svc/transcripts'
import type { Resolved } from '../config/index.js'
import { CliError, exit } from '../exit.js'
import { count } from '../terminal/index.js'
import { scanText } from './scan.js'

/** The kinds of `--redact`. `secrets`: credentials, which are refused otherwise. */
export const redactKinds = ['emails', 'phones', 'cards', 'ibans', 'secrets'] as const
export type RedactName = (typeof redactKinds)[number]

export interface GuardFlags {
  allowSecrets?: boolean
  redact?: readonly RedactName[]
  redactPattern?: readonly { name: string; pattern: RegExp }[]
}

interface Guarded<T> {
  body: T
  /** Remaining credentials; none with `allowSecrets`. */
  hits: Found[]
  /** Counts of redacted texts, by the name of their placeholder. */
  redacted: Record<string, number>
}

/**
 * Redact and scan a request body before it is sent. `own`: the keys in use, which are credentials in any form.
 *
 * @throws {CliError} for a user's pattern that does not end
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

/** Runs in a vm with a time-out, because only that can stop a regular expression. */
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
  throw new CliError(exit.usage, `--redact-pattern took longer than ${longestMs / 1_000} s for one transcript.`, {
    hint: 'a nested repetition such as (a+)+ may never end: rewrite the pattern without it',
  })
}

const longestMs = 5_000

export const asViolations = (hits: readonly Found[]): { pointer: string; message: string }[] =>
  hits.map(({ rule, pointer, masked }) => ({ pointer, message: `looks like a credential: ${rule} ${masked}` }))

export const secretsHint =
  '--redact=all hides credentials and personal data, --redact=secrets credentials only; --allow-secrets sends them unchanged'

export function refuseSecrets(lines: readonly string[]): void {
  if (lines.length === 0) return
  throw new CliError(exit.input, `The input has ${count(lines.length, 'credential')}; nothing was sent.`, {
    details: [...lines],
    hint: secretsHint,
  })
}

/** The configured keys, except short ones, which may be ordinary words. */
export const ownKeys = ({
  annotationApiKey,
  workspaceApiKey,
}: Pick<Resolved, 'annotationApiKey' | 'workspaceApiKey'>): string[] =>
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

interface Found {
  rule: string
  /** JSON pointer into the body, as in `/turns/3/content`. */
  pointer: string
  masked: string
}

/** Find credentials in all texts of a body, names of fields included. */
export function scanBody(body: unknown, own: readonly string[] = []): Found[] {
  const found: Found[] = []
  const steps: (string | number)[] = []
  const scan = (text: string) => {
    for (const { rule, masked } of scanText(text, own)) found.push({ rule, pointer: pointerOf(steps), masked })
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
      const before = found.length
      scan(key)
      const masked = found[before]?.masked
      // The pointer is printed, so a name that is a credential is masked in it.
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

/** Names of fields whose value may be a credential. */
const mayName = /key|token|authoriz/i
