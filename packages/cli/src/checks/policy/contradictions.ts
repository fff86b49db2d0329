import type { Rules } from './policy.js'

type SignalRules = Pick<Rules, 'forbidden' | 'allowed' | 'required'>

/** A signal that has to fire and may not: it is forbidden, or not among those that are allowed. */
export interface Contradiction {
  signal: string
  by: 'forbidden' | 'allowed'
}

/** The signals that nobody can have right. */
export const contradictionsIn = ({ forbidden, allowed, required }: SignalRules): Contradiction[] =>
  [...new Set(required)].flatMap((signal) => [
    ...(forbidden.includes(signal) ? [{ signal, by: 'forbidden' as const }] : []),
    ...(allowed?.includes(signal) === false ? [{ signal, by: 'allowed' as const }] : []),
  ])

/** The same with one override in force; only those in which it has a part. */
export const contradictionsWith = (
  rules: SignalRules,
  override: { [Key in keyof SignalRules]?: SignalRules[Key] | undefined },
): Contradiction[] =>
  contradictionsIn({
    forbidden: override.forbidden ?? rules.forbidden,
    allowed: override.allowed ?? rules.allowed,
    required: override.required ?? rules.required,
  }).filter(({ by }) => override.required !== undefined || override[by] !== undefined)
