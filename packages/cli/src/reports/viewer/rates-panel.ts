import { levelText } from '../../checks/policy/policy.js'
import type { RateReport } from '../../checks/report.js'
import { count, inert } from '../../text.js'
import { culpritIn } from '../words.js'
import { decoration, el } from './element.js'
import { panel } from './panel.js'
import { meter } from './plot.js'
import { amount, share } from './words.js'

const signs = { kept: '✓', exceeded: '✕', 'cannot tell': '?' }

/** How each rate of the policy was kept. */
export const ratesPanel = (rates: readonly RateReport[]): HTMLElement =>
  panel('Rates', el('ul', { class: 'rates' }, ...rates.map(rateRow)))

function rateRow({ of, max, hits, n, verdict, before, culprits }: RateReport): HTMLElement {
  const what = 'signal' in of ? inert(of.signal) : levelText(of.outcome)
  const kind = `rate-${verdict.replaceAll(' ', '-')}`
  // The bound stands at two thirds, so that what exceeds it has room.
  const scale = max === 0 ? 1 : Math.min(1, max * 1.5)
  const part = n === 0 ? 0 : hits / n / scale
  return el(
    'li',
    {},
    el('div', {}, decoration(signs[verdict], `glyph ${kind}`), el('b', {}, what), ` ${verdict}`),
    meter(part, kind, max / scale),
    el(
      'div',
      { class: 'soft' },
      `${amount(hits)} of ${amount(n)}, ${share(hits, n)}; at most ${share(max, 1)}`,
      before !== null && `; ${share(before, 1)} in the baseline`,
    ),
    culprits.length > 0 &&
      el(
        'details',
        {},
        el('summary', {}, `${count(culprits.length, 'transcript')} counted`),
        el('ul', {}, ...culprits.map((each) => el('li', {}, culpritIn(each, inert)))),
      ),
  )
}
