import { type Level, type Policy, type Rules, scale } from '../report/index.js'

export const defaultPolicy: Policy = {
  failOn: 'poor',
  forbidden: [],
  allowed: undefined,
  required: [],
  indeterminate: 'unjudged',
  rates: [],
  confidence: undefined,
  minJudged: 1,
  overrides: [],
  maxTokens: undefined,
  maxFailures: undefined,
  deadlineMs: undefined,
}

/** False for an outcome that is not on the scale. */
export const isAtLeast = (outcome: string, level: Level): boolean =>
  (scale as readonly string[]).indexOf(outcome) >= scale.indexOf(level)

export const isOnScale = (outcome: string): outcome is Level => (scale as readonly string[]).includes(outcome)

type SignalRules = Pick<Rules, 'forbidden' | 'allowed' | 'required'>

/** A required signal that another rule excludes. */
export interface Contradiction {
  signal: string
  by: 'forbidden' | 'allowed'
}

export const contradictionsIn = ({ forbidden, allowed, required }: SignalRules): Contradiction[] =>
  [...new Set(required)].flatMap((signal) => [
    ...(forbidden.includes(signal) ? [{ signal, by: 'forbidden' as const }] : []),
    ...(allowed?.includes(signal) === false ? [{ signal, by: 'allowed' as const }] : []),
  ])

/** The contradictions that an override takes part in. */
export const contradictionsWith = (
  rules: SignalRules,
  override: { [Key in keyof SignalRules]?: SignalRules[Key] | undefined },
): Contradiction[] =>
  contradictionsIn({
    forbidden: override.forbidden ?? rules.forbidden,
    allowed: override.allowed ?? rules.allowed,
    required: override.required ?? rules.required,
  }).filter(({ by }) => override.required !== undefined || override[by] !== undefined)

/** `5%` or `0.05`, from 0 to 1; undefined for any other text. */
export function parseShare(text: string): number | undefined {
  const [, number, percent] = /^(\d+(?:\.\d+)?)\s*(%)?$/.exec(text) ?? []
  const value = Number(number) / (percent ? 100 : 1)
  return value >= 0 && value <= 1 ? value : undefined
}
