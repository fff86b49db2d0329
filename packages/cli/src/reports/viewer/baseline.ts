import type { BaselineReport, Change } from '../../checks/report.js'
import { count, inert } from '../../text.js'
import { labelOfCase } from '../words.js'
import { button, decoration, el } from './element.js'
import type { EmbeddedCase } from './embedded.js'
import { panel } from './panel.js'
import { amount, changes, outcomeKind, outcomeSign, outcomes } from './words.js'

export const changeSigns: Record<Change, string> = { worse: '↓', new: '+', better: '↑', same: '=' }

/** What changed against the baseline, and what of it was not found. */
export function baselinePanel(
  { path, missing, counts, edited, stale, updated }: BaselineReport,
  cases: readonly EmbeddedCase[],
  show: (change: Change) => void,
): HTMLElement {
  const inside = missing.filter(({ outside }) => !outside)
  const tabs = changes.map((change) =>
    button(
      { class: `change change-${change}`, disabled: counts[change] === 0, title: 'Show only these' },
      () => show(change),
      decoration(changeSigns[change]),
      el('span', { class: 'number' }, amount(counts[change])),
      el('span', { class: 'word' }, change),
    ),
  )
  return panel(
    'Against the baseline',
    el('p', { class: 'place' }, el('code', {}, inert(path)), updated && ' written'),
    stale !== null && el('p', { class: 'warning' }, decoration('! '), `Out of date: ${inert(stale)}`),
    el('div', { class: 'changes' }, ...tabs),
    movesOf(cases),
    edited > 0 && el('p', { class: 'soft' }, `${count(edited, 'transcript')} with other content than in the baseline`),
    inside.length > 0 && missingOnes(inside),
  )
}

/** How often which outcome became which other one. */
function movesOf(cases: readonly EmbeddedCase[]): HTMLElement | undefined {
  const moves = new Map<string, { before: string; outcome: string; n: number }>()
  for (const { before, outcome } of cases) {
    if (before === null || outcome === null || before === outcome) continue
    const move = moves.get(JSON.stringify([before, outcome])) ?? { before, outcome, n: 0 }
    moves.set(JSON.stringify([before, outcome]), { ...move, n: move.n + 1 })
  }
  if (moves.size === 0) return undefined
  // What got worse comes first.
  const gain = ({ before, outcome }: { before: string; outcome: string }) =>
    outcomes.indexOf(before) - outcomes.indexOf(outcome)
  const rows = [...moves.values()].sort((a, b) => Math.sign(gain(a)) - Math.sign(gain(b)) || b.n - a.n)
  return el(
    'ul',
    { class: 'moves' },
    ...rows.map(({ before, outcome, n }) =>
      el(
        'li',
        {},
        el('span', { class: 'number' }, amount(n)),
        outcomeText(before),
        decoration('→'),
        outcomeText(outcome),
      ),
    ),
  )
}

function missingOnes(missing: BaselineReport['missing']): HTMLElement {
  const rows = missing.map((each) =>
    el(
      'li',
      {},
      outcomeText(each.outcome),
      ' ',
      el('bdi', {}, inert(each.name)),
      ' ',
      el('bdi', { class: 'soft' }, inert(labelOfCase(each))),
    ),
  )
  return el(
    'details',
    { class: 'missing' },
    el('summary', {}, `${count(missing.length, 'transcript')} of the baseline not found`),
    el('ul', {}, ...rows),
  )
}

/** An outcome in its colour, with its sign and its word. */
export const outcomeText = (outcome: string): HTMLElement =>
  el('span', { class: `outcome ${outcomeKind(outcome)}` }, decoration(outcomeSign(outcome)), inert(outcome))
