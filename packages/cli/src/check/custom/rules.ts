import { fileURLToPath } from 'node:url'
import type { Annotation } from '@svc/client'
import type { CheckedTranscript, CheckRule } from './checks.js'

/** The functions of a policy by name. */
export type CustomRules = ReadonlyMap<string, CheckRule>

interface CustomFinding {
  rule: string
  message: string
  evidence: string
  turn: number | null
}

/** The findings of all rules of a policy in a transcript. */
export interface CustomResult {
  findings: readonly CustomFinding[]
  /** The reason why a rule could not judge; undefined if all could. */
  failure?: string
}

export const nothingFound: CustomResult = { findings: [] }

/** Runs every rule over copies of the transcript and its annotation; a rule that fails stops none of the others. */
export function runRules(rules: CustomRules, transcript: CheckedTranscript, annotation: Annotation): CustomResult {
  const failures: string[] = []
  const findings = [...rules].flatMap(([rule, run]): CustomFinding[] => {
    if (Object.hasOwn(annotation.signals, rule)) {
      failures.push(`${rule}: the annotator has a signal with the name of this rule; rename the rule`)
      return []
    }
    try {
      return found(run(structuredClone({ annotation, transcript }))).map((each) => ({ rule, ...each }))
    } catch (error) {
      failures.push(`${rule}: ${stackOf(error)}`)
      return []
    }
  })
  return { findings, ...(failures.length > 0 && { failure: failures.join('\n') }) }
}

function found(given: unknown): Omit<CustomFinding, 'rule'>[] {
  if (given instanceof Promise) {
    // Its failure would end the process.
    given.catch(() => {})
    throw new TypeError('returned a promise; rules are synchronous')
  }
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
