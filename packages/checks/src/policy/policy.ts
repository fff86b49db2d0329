import { type Level, scale } from '../terms.js'
import type { Rules } from './in-force.js'

/** The place of an outcome on the scale, the best first; -1 if it is not on it. */
export const rankOf = (outcome: string): number => (scale as readonly string[]).indexOf(outcome)

/** False for an outcome that is not on the scale. */
export const isAtLeast = (outcome: string, level: Level): boolean => rankOf(outcome) >= rankOf(level)

/** True for an outcome on the scale from `strong` to `critical`; false for `indeterminate` and for an unlisted one. */
export const isOnScale = (outcome: string): outcome is Level => (scale as readonly string[]).includes(outcome)

type SignalRules = Pick<Rules, 'forbidden' | 'allowed' | 'required'>

/** A required signal that another rule excludes. */
export interface Contradiction {
  /** The key of the signal. */
  signal: string
  /** The rule that excludes it. */
  by: 'forbidden' | 'allowed'
}

/** The required signals that the same rules exclude. */
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
