import { fileURLToPath } from 'node:url'
import type { Annotation } from '@svc/client'
import { CheckError } from '../check-error.js'
import type { CheckedTranscript, CheckRule } from './checks.js'
import { Ended } from './limits.js'
import { RuleError } from './thread.js'

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
      findings.push(...findingsOf(given).map((each) => ({ rule, ...each })))
    } catch (error) {
      // The code of the policy failed as a whole.
      if (error instanceof CheckError && error.code === 'policy_failed') throw error
      failures.push(`${rule}: ${stackOf(error)}`)
    }
  }
  return { findings, ...(failures.length > 0 && { failure: failures.join('\n') }) }
}

const mostFindings = 1_000
const mostCharacters = 1 << 23

function findingsOf(given: unknown): Omit<CustomFinding, 'rule'>[] {
  if (given === undefined || given === null) return []
  const all: unknown[] = Array.isArray(given) ? given : [given]
  if (all.length > mostFindings) throw new TypeError(`returned more than ${mostFindings} findings`)
  // Not by its iterator, which may be another one.
  const findings = Array.from({ length: all.length }, (_, at) => findingOf(all[at]))
  const size = findings.reduce((sum, { message, evidence }) => sum + message.length + evidence.length, 0)
  if (size > mostCharacters) throw new TypeError(`returned more than ${mostCharacters} characters`)
  return findings
}

function findingOf(given: unknown): Omit<CustomFinding, 'rule'> {
  const { message, evidence = '', turn = null } = typeof given === 'string' ? { message: given } : findingFields(given)
  if (typeof message !== 'string' || message === '') throw new TypeError('returned a finding without a message')
  if (typeof evidence !== 'string') throw new TypeError('returned a finding whose evidence is not a text')
  if (turn !== null && !(Number.isInteger(turn) && Number(turn) >= 1))
    throw new TypeError('returned a finding whose turn is not a whole number from 1')
  return { message, evidence, turn: turn as number | null }
}

function findingFields(given: unknown): Record<string, unknown> {
  if (typeof given === 'object' && given !== null) return given as Record<string, unknown>
  throw new TypeError(`returned ${String(given)}; expected a finding, a list of findings, a text or nothing`)
}

const here = fileURLToPath(new URL('.', import.meta.url))
const mostFrames = 5

/** An error with its stack, as far as that is of the policy. */
function stackOf(error: unknown): string {
  if (error instanceof RuleError) return [error.message, ...error.frames].join('\n')
  if (error instanceof Ended) return error.message
  if (!(error instanceof Error)) return `threw ${String(error)}`
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const ours = frames.findIndex((frame) => frame.includes(here))
  const shown = frames.slice(0, Math.min(mostFrames, ours < 0 ? mostFrames : ours)).map((frame) => frame.trim())
  return [`${error.name}: ${error.message}`, ...shown].join('\n')
}
