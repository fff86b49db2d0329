import type { ReportSignal } from '../../checks/report.js'
import { inert } from '../../text.js'
import { placeOf } from '../words.js'
import { button, decoration, el } from './element.js'
import type { EmbeddedCase } from './embedded.js'
import { placeText } from './place.js'

/** The turn that a finding names, from 0; undefined where it names none of so many. */
export const turnAt = ({ turn }: Pick<ReportSignal, 'turn'>, turns: number): number | undefined =>
  turn !== null && Number.isInteger(turn) && turn >= 1 && turn <= turns ? turn - 1 : undefined

/** Every finding with its evidence; also those that stand at no turn. */
export function findingsOf(
  each: EmbeddedCase,
  turns: number | undefined,
  goTo: (finding: number) => void,
): HTMLElement {
  const rows = each.signals.map((signal, index) =>
    el(
      'li',
      { class: 'finding', id: `finding-${index}`, tabindex: -1 },
      el(
        'div',
        { class: 'finding-head' },
        el('span', { class: 'key' }, decoration('⚑'), inert(signal.key)),
        turnText(signal, turns, () => goTo(index)),
        signal.line !== null && placeText(placeOf(each, signal)),
      ),
      signal.evidence === ''
        ? el('p', { class: 'soft' }, 'No evidence was given.')
        : el('blockquote', { dir: 'auto' }, signal.evidence),
    ),
  )
  return el(
    'section',
    { class: 'findings', 'aria-labelledby': 'findings-title' },
    el('h3', { id: 'findings-title' }, 'Findings'),
    rows.length > 0 ? el('ol', {}, ...rows) : el('p', { class: 'soft' }, 'No signal fired.'),
  )
}

function turnText(signal: ReportSignal, turns: number | undefined, go: () => void): HTMLElement {
  if (signal.turn === null) return el('span', { class: 'soft' }, 'names no turn')
  if (turns === undefined) return el('span', { class: 'soft' }, `turn ${signal.turn}`)
  if (turnAt(signal, turns) === undefined) {
    return el('span', { class: 'warning' }, `turn ${signal.turn} is none of the ${turns} that were sent`)
  }
  return button({ class: 'link' }, go, `turn ${signal.turn}`)
}
