import { fileURLToPath } from 'node:url'
import type { Annotation } from '@svc/client'
import { CheckError } from '../check-error.js'
import { nodeFiles } from '../environment.js'
import type { CheckedTranscript, CheckRule } from './checks.js'

/** The functions of a policy by name. */
export type CustomRules = ReadonlyMap<string, CheckRule>

interface CustomFinding {
  rule: string
  message: string
  evidence: string
  turn: number | null
}

export interface CustomResult {
  findings: readonly CustomFinding[]
  /** The reason why a rule could not judge; undefined if all could. */
  failure?: string
}

export const nothingFound: CustomResult = { findings: [] }

/** Runs every rule over copies of the transcript and its annotation; a rule that fails stops none of the others. */
export async function runRules(
  rules: CustomRules,
  transcript: CheckedTranscript,
  annotation: Annotation,
): Promise<CustomResult> {
  const failures: string[] = []
  const findings: CustomFinding[] = []
  for (const [rule, run] of rules) {
    if (Object.hasOwn(annotation.signals, rule)) {
      failures.push(`${rule}: the annotator has a signal with the name of this rule; rename the rule`)
      continue
    }
    try {
      const given: unknown = await run(structuredClone({ annotation, transcript }))
      findings.push(...found(given).map((each) => ({ rule, ...each })))
    } catch (error) {
      failures.push(`${rule}: ${stackOf(error)}`)
    }
  }
  return { findings, ...(failures.length > 0 && { failure: failures.join('\n') }) }
}

/** Refuses a promise of a rule in a policy file: nothing would end one that never settles. */
const synchronous =
  (run: CheckRule): CheckRule =>
  (checked) => {
    const given: unknown = run(checked)
    if (!(given instanceof Promise)) return given as ReturnType<CheckRule>
    // Its failure would end the process.
    given.catch(() => {})
    throw new TypeError('returned a promise; rules are synchronous')
  }

function found(given: unknown): Omit<CustomFinding, 'rule'>[] {
  if (given === undefined || given === null) return []
  return (Array.isArray(given) ? given : [given]).map(findingOf)
}

function findingOf(given: unknown): Omit<CustomFinding, 'rule'> {
  const { message, evidence = '', turn = null } = typeof given === 'string' ? { message: given } : fieldsOf(given)
  if (typeof message !== 'string' || message === '') throw new TypeError('returned a finding without a message')
  if (typeof evidence !== 'string') throw new TypeError('returned a finding whose evidence is not a text')
  if (turn !== null && !(Number.isInteger(turn) && Number(turn) >= 1))
    throw new TypeError('returned a finding whose turn is not a whole number from 1')
  return { message, evidence, turn: turn as number | null }
}

function fieldsOf(given: unknown): Record<string, unknown> {
  if (typeof given === 'object' && given !== null) return given as Record<string, unknown>
  throw new TypeError(`returned ${String(given)}; expected a finding, a list of findings, a text or nothing`)
}

const here = fileURLToPath(import.meta.url)
const mostFrames = 5

/** An error with its stack, as far as that is of the policy. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)}`
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const ours = frames.findIndex((frame) => frame.includes(here))
  const shown = frames.slice(0, Math.min(mostFrames, ours < 0 ? mostFrames : ours)).map((frame) => frame.trim())
  return [`${error.name}: ${error.message}`, ...shown].join('\n')
}

const hint = 'correct the file, name another one with --policy, or leave it out with --no-policy'

/**
 * Run the policy in code at an absolute path: what a JSON file could hold, and its functions.
 *
 * @throws {CheckError} if it throws, or does not export a policy
 */
export async function runCodePolicy(path: string, name: string): Promise<{ json: unknown; rules: CustomRules }> {
  const { createJiti } = await import('jiti/static')
  // The package of the command may not be installed beside the policy, as with npx.
  const alias = { '@svc/cli/checks': ownModule(), '@svc/checks': ownModule() }
  const jiti = createJiti(path, { alias, fsCache: false, moduleCache: false, tryNative: false })
  const exported = await jiti.import(path, { default: true }).catch((cause: unknown) => {
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new CheckError('invalid_policy', `${name}: the policy could not be run.`, { cause, details: [text], hint })
  })
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) {
    throw new CheckError('invalid_policy', `${name}: the policy exports no object.`, {
      hint: 'export it, as in `export default defineChecks({ failOn: "poor" })`',
    })
  }
  const { rules = {}, ...json } = exported as { rules?: unknown }
  const functions = rulesOf(rules, name)
  return { json, rules: new Map([...functions].map(([rule, run]) => [rule, synchronous(run)])) }
}

export function rulesOf(given: unknown, name: string): CustomRules {
  const wrong = (details: string[]) =>
    new CheckError('invalid_policy', `${name}: the policy cannot be used.`, { details, hint })
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrong(['/rules expected an object of functions by name'])
  const entries = Object.entries(given)
  const bad = entries.filter(([rule, run]) => rule.trim() === '' || typeof run !== 'function')
  if (bad.length > 0) throw wrong(bad.map(([rule]) => `/rules/${rule} expected a function`))
  return new Map(entries)
}

/** `@svc/cli/checks` of this package, built or in its source. */
function ownModule(): string {
  const built = fileURLToPath(new URL('./checks.js', import.meta.url))
  return nodeFiles.isThere(built) ? built : fileURLToPath(new URL('./checks.ts', import.meta.url))
}
