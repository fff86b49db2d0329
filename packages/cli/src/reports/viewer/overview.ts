import { type Change, results } from '../../checks/report.js'
import { inert } from '../../text.js'
import { notesIn } from '../words.js'
import { baselinePanel } from './baseline.js'
import { button, decoration, el } from './element.js'
import type { EmbeddedCase, EmbeddedReport } from './embedded.js'
import type { Filter } from './filter.js'
import { panel } from './panel.js'
import { histogram, meter, stack } from './plot.js'
import { lossesPanel, notesPanel, policyPanel } from './policy-panel.js'
import { ratesPanel } from './rates-panel.js'
import { amount, milliseconds, outcomeKind, outcomeSign, outcomes, resultKind, resultWords, share } from './words.js'

/** Shows only such transcripts. */
export type Narrow = (filter: Partial<Filter>) => void

/** What the transcripts come to as a whole. */
export function overview(report: EmbeddedReport, cases: readonly EmbeddedCase[], narrow: Narrow): HTMLElement {
  const notes = notesIn(report, inert)
  return el(
    'section',
    { id: 'overview', class: 'overview', 'aria-labelledby': 'overview-title', tabindex: -1 },
    el('h2', { id: 'overview-title', class: 'unseen' }, 'Overview'),
    resultsPanel(report, narrow),
    outcomesPanel(report, narrow),
    signalsPanel(report, narrow),
    report.baseline && baselinePanel(report.baseline, cases, (change: Change) => narrow({ change })),
    report.rates.length > 0 && ratesPanel(report.rates),
    notes.length > 0 && notesPanel(notes),
    requestsPanel(report),
    usagePanel(cases),
    policyPanel(report),
    report.losses.length + Object.keys(report.redacted).length > 0 && lossesPanel(report),
  )
}

/** A line that can be pressed: what it counts, and how much of the whole. */
function countRow(kind: string, sign: string, word: string, n: number, of: number, press: () => void): HTMLElement {
  return el(
    'li',
    {},
    button(
      { class: 'count', disabled: n === 0, title: `Show only these` },
      press,
      decoration(sign, `glyph ${kind}`),
      el('span', { class: 'word' }, word),
      meter(of === 0 ? 0 : n / of, kind),
      el('span', { class: 'number' }, amount(n)),
      el('span', { class: 'share' }, share(n, of)),
    ),
  )
}

function resultsPanel({ results: counts, total, flaky }: EmbeddedReport, narrow: Narrow): HTMLElement {
  const shown = results.filter((result) => counts[result] > 0 || result === 'failed' || result === 'passed')
  const rows = shown.map((result) => {
    const { word, sign } = resultWords[result]
    return countRow(resultKind(result), sign, word, counts[result], total, () => narrow({ result }))
  })
  if (flaky > 0) rows.push(countRow('flaky', '~', 'flaky', flaky, total, () => narrow({ flaky: true })))
  return panel('Results', el('ul', { class: 'counts' }, ...rows))
}

function outcomesPanel({ outcomes: counts }: EmbeddedReport, narrow: Narrow): HTMLElement {
  const others = Object.keys(counts).filter((outcome) => !outcomes.includes(outcome))
  const shown = [...outcomes, ...others].map((outcome) => ({
    outcome,
    kind: outcomeKind(outcome),
    n: Object.hasOwn(counts, outcome) ? (counts[outcome] ?? 0) : 0,
  }))
  const all = shown.reduce((sum, { n }) => sum + n, 0)
  const rows = shown.map(({ outcome, kind, n }) =>
    countRow(kind, outcomeSign(outcome), inert(outcome), n, all, () => narrow({ outcome })),
  )
  return panel('Outcomes', stack(shown), el('ul', { class: 'counts' }, ...rows))
}

const shownAtFirst = 10

function signalsPanel({ signals, total }: EmbeddedReport, narrow: Narrow): HTMLElement {
  const sorted = Object.entries(signals).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  if (sorted.length === 0) return panel('Signals', el('p', { class: 'soft' }, 'No signal fired.'))
  const rows = sorted.map(([signal, n]) => countRow('signal', '⚑', inert(signal), n, total, () => narrow({ signal })))
  const rest = rows.slice(shownAtFirst)
  const list = el('ul', { class: 'counts' }, ...rows.slice(0, shownAtFirst))
  if (rest.length === 0) return panel('Signals', list)
  const more = button(
    { class: 'link' },
    () => {
      list.append(...rest)
      rest[0]?.querySelector('button')?.focus()
      more.remove()
    },
    `${amount(rest.length)} more`,
  )
  return panel('Signals', list, more)
}

function requestsPanel({ requests, usage }: EmbeddedReport): HTMLElement {
  const fact = (value: string, what: string) => el('div', {}, el('dt', {}, what), el('dd', {}, value))
  return panel(
    'Requests',
    el(
      'dl',
      { class: 'figures' },
      fact(amount(requests.sent), 'sent'),
      fact(amount(requests.cached), 'from the cache'),
      fact(amount(requests.same), 'same text'),
      fact(amount(usage.tokens_in), 'tokens in'),
      fact(amount(usage.tokens_out), 'tokens out'),
    ),
  )
}

/** Each answer once, whether it was asked for now or before; two transcripts of the same text have one. */
function usagePanel(cases: readonly EmbeddedCase[]): HTMLElement {
  const usages = cases.flatMap(({ usage, answer }) => (usage && answer !== 'same' ? [usage] : []))
  const plots = [
    histogram(
      'Latency',
      usages.map(({ latency_ms }) => latency_ms),
      milliseconds,
    ),
    histogram(
      'Tokens in',
      usages.map(({ tokens_in }) => tokens_in),
      amount,
    ),
    histogram(
      'Tokens out',
      usages.map(({ tokens_out }) => tokens_out),
      amount,
    ),
  ]
  const cached = cases.some(({ answer }) => answer === 'cached')
  return panel(
    'Latency and tokens',
    ...plots,
    cached && el('p', { class: 'soft' }, 'Answers from the cache count with what they took when they were asked for.'),
  )
}
