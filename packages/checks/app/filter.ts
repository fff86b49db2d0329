import { type EmbeddedCase, type EmbeddedTurn, embedded } from '../src/report/embedded.js'
import { badness, sumOf } from '../src/report/wording.js'
import { type Change, type Result, results } from '../src/terms.js'
import { type Grouping, isMember, type Member } from './groups.js'

export const orders = ['worst first', 'as in the input', 'slowest first', 'most tokens first'] as const
export type Order = (typeof orders)[number]

/** The fields of a filter that can select everything but their value. */
export const negatable = ['result', 'outcome', 'signal', 'change', 'flaky'] as const
export type Negatable = (typeof negatable)[number]

/** An empty text selects everything. */
export interface Filter {
  text: string
  result: Result | ''
  outcome: string
  signal: string
  change: Change | ''
  flaky: boolean
  /** Why it is not judged. */
  gap: string
  /** The fields whose value must not match. */
  not: readonly Negatable[]
  /** The only group to show. */
  member: Member | undefined
  order: Order
  group: Grouping | ''
}

export const noFilter: Filter = {
  text: '',
  result: '',
  outcome: '',
  signal: '',
  change: '',
  flaky: false,
  gap: '',
  not: [],
  member: undefined,
  order: 'worst first',
  group: '',
}

export const shownAll = ({ order, group }: Filter): Filter => ({ ...noFilter, order, group })

export const isAll = (filter: Filter): boolean => JSON.stringify(shownAll(filter)) === JSON.stringify(filter)

type RawTurns = (index: number) => string | undefined

export function chosen(cases: readonly EmbeddedCase[], filter: Filter, rawTurns: RawTurns): number[] {
  const terms = termsOf(filter.text)
  const kept = [...cases.keys()].filter((index) => {
    const each = cases[index]
    return (
      each !== undefined &&
      matchesFields(each, filter) &&
      terms.every((term) => matchesTerm(each, term, () => rawTurns(index)))
    )
  })
  return sorted(kept, cases, filter.order)
}

/** Every term must match. */
export const termsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

function matchesFields(each: EmbeddedCase, filter: Filter): boolean {
  const { result, outcome, signal, change, flaky, gap, member, not } = filter
  const matches: Record<Negatable, boolean> = {
    result: each.result === result,
    outcome: each.outcome === outcome,
    signal: each.signals.some(({ key }) => key === signal),
    change: each.change === change,
    flaky: each.flaky === flaky,
  }
  return (
    negatable.every((name) => !filter[name] || matches[name] !== not.includes(name)) &&
    (gap === '' || each.gap?.why === gap) &&
    (member === undefined || isMember(each, member))
  )
}

/** A change of a field, which selects all but its value if it is negated. */
export const changeOf = <Name extends Negatable>(
  { not }: Pick<Filter, 'not'>,
  name: Name,
  value: Filter[Name],
  isNot: boolean,
): Partial<Filter> => ({
  [name]: value,
  not: negatable.filter((each) => (each === name ? isNot && Boolean(value) : not.includes(each))),
})

/** The value after the next press of a button: only this, then all but this, then everything. */
export function pressed<Name extends 'result' | 'flaky'>(
  filter: Filter,
  name: Name,
  value: Filter[Name],
): Partial<Filter> {
  if (filter[name] !== value) return changeOf(filter, name, value, false)
  return filter.not.includes(name) ? changeOf(filter, name, noFilter[name], false) : changeOf(filter, name, value, true)
}

const matchesTerm = (each: EmbeddedCase, term: string, rawTurns: () => string | undefined): boolean =>
  searchedText(each).includes(term) || turnsHold(rawTurns() ?? '[]', term)

const texts = new WeakMap<EmbeddedCase, string>()

function searchedText(each: EmbeddedCase): string {
  const cached = texts.get(each)
  if (cached !== undefined) return cached
  const { name, path, result, outcome, summary, outcome_notes, gap, signals } = each
  const parts = [name, path, result, outcome, outcome_notes, gap?.why, gap?.detail, summary?.title, summary?.summary]
  const more = [summary?.quality_concerns, summary?.user_intent, summary?.domain, ...(summary?.keywords ?? [])]
  const signalTexts = signals.flatMap(({ key, evidence, message = '' }) => [key, evidence, message])
  const text = [...parts, ...more, ...signalTexts].join('\n').toLowerCase()
  texts.set(each, text)
  return text
}

/** Searches the JSON first, which spares parsing most turns. */
export function turnsHold(raw: string, term: string): boolean {
  const written = embedded(term).slice(1, -1).toLowerCase()
  if (!raw.toLowerCase().includes(written)) return false
  const turns: EmbeddedTurn[] = JSON.parse(raw)
  return turns.some(([, content]) => content.toLowerCase().includes(term))
}

function sorted(kept: number[], cases: readonly EmbeddedCase[], order: Order): number[] {
  const by = (key: (each: EmbeddedCase) => number) => {
    const keys = cases.map(key)
    return kept.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0))
  }
  if (order === 'worst first') return by(({ result, outcome }) => 100 * results.indexOf(result) + badness(outcome))
  if (order === 'slowest first') return by(({ usage }) => -(usage?.latency_ms ?? -1))
  if (order === 'most tokens first')
    return by(({ usage }) => -(sumOf(usage?.tokens_in ?? null, usage?.tokens_out ?? null) ?? -1))
  return kept
}
