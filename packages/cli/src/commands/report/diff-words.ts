import type { CaseDiff, Move, RateDiff, ReportDiff, ReportSide } from '../../checks/merge-and-diff/report-diff.js'
import { rateText } from '../../checks/verdict-line.js'
import { labelOfCase, type Show } from '../../reports/words.js'

export const titles: Record<Move, string> = {
  worse: 'worse',
  both: 'worse and better',
  unjudged: 'no longer judged',
  judged: 'judged now',
  added: 'added',
  other: 'otherwise changed',
  gone: 'gone',
  better: 'better',
}

/** As in `strong → poor`; where only the result is another, that. */
export function stepIn({ before, after }: CaseDiff, show: Show): string {
  const outcome = (side: typeof before) => (side?.outcome == null ? 'no outcome' : show(side.outcome))
  if (!before || !after) return outcome(before ?? after)
  if (before.outcome !== after.outcome) return `${outcome(before)} → ${outcome(after)}`
  return before.result === after.result ? outcome(after) : `${outcome(after)}, ${before.result} → ${after.result}`
}

/** Its file, and where it stood before where that was another. */
export function whereIn({ before, after }: CaseDiff, show: Show): string {
  const [was, is] = [before && labelOfCase(before), after && labelOfCase(after)]
  return was && is && was !== is ? `${show(is)}, was ${show(was)}` : show(is ?? was ?? '')
}

/** That attempts differed, before or now. */
export function flakyIn({ before, after }: CaseDiff): string | undefined {
  const [was, is] = [before?.flaky === true, after?.flaky === true]
  if (!was && !is) return undefined
  return was && is ? 'flaky' : is ? 'flaky now' : after ? 'no longer flaky' : 'flaky'
}

/** What changed in the numbers of all transcripts, by what it is about. */
export function* numbersIn({ before, after, rates }: ReportDiff, show: Show): Generator<[what: string, text: string]> {
  const judged = ({ judged, total }: ReportSide) => `${judged} of ${total}`
  if (judged(before) !== judged(after)) yield ['judged', `${judged(before)} → ${judged(after)}`]
  for (const what of ['outcomes', 'signals'] as const) {
    const changed = changedCounts(before[what], after[what]).map(([name, was, is]) => `${show(name)} ${was} → ${is}`)
    if (changed.length > 0) yield [what, changed.join(', ')]
  }
  if (before.flaky !== after.flaky) yield ['flaky', `${before.flaky} → ${after.flaky}`]
  for (const rate of rates) yield ['rate', rateStep(rate, show)]
}

function changedCounts(
  before: Record<string, number>,
  after: Record<string, number>,
): [name: string, was: number, is: number][] {
  const of = (counts: Record<string, number>, name: string) => (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name): [string, number, number] => [name, of(before, name), of(after, name)])
    .filter(([, was, is]) => was !== is)
}

function rateStep({ of, before, after }: RateDiff, show: Show): string {
  const text = (side: RateDiff['before']) =>
    side ? show(rateText({ of, before: null, common: null, ...side })) : 'none'
  return `${text(before)} → ${text(after)}`
}
