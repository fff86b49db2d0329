import { count, escapeLine, grouped } from '@svc/text'
import type { EmbeddedCase, EmbeddedReport } from '../src/report/embedded.js'
import type { BaselineReport, RateReport } from '../src/report/report.js'
import {
  caseLabel,
  caseTitle,
  circumstanceEntries,
  hitText,
  levelText,
  money,
  moneyText,
  noteLines,
  numberText,
  rateSubject,
  resultLabels,
} from '../src/report/wording.js'
import { type Change, changes, results } from '../src/terms.js'
import {
  breakable,
  button,
  changeSigns,
  decoration,
  div,
  el,
  fact,
  facts,
  foldedPanel,
  list,
  outcomeText,
  panel,
  pathText,
  soft,
  span,
} from './element.js'
import type { Filter } from './filter.js'
import { commonFolder, type Group, type Grouping, groupings, groupsOf, memberText } from './groups.js'
import { histogram, limitBar, meter, stack } from './plot.js'
import { amount, milliseconds, outcomeKind, outcomeSign, outcomes, resultKind, share } from './words.js'

type Narrow = (filter: Partial<Filter>) => void

export function overview(report: EmbeddedReport, cases: readonly EmbeddedCase[], narrow: Narrow): HTMLElement {
  const notes = noteLines(report, escapeLine)
  return el(
    'section',
    { id: 'overview', class: 'overview', 'aria-labelledby': 'overview-title', tabindex: -1 },
    el('h2', { id: 'overview-title' }, 'Overview'),
    notes.length > 0 && panel('Notes', list(notes)),
    resultsPanel(report, narrow),
    report.results['not judged'] > 0 && gapsPanel(cases, narrow),
    report.rates.length > 0 && panel('Rates', el('ul', { class: 'rates' }, ...report.rates.map(rateRow))),
    report.baseline && baselinePanel(report.baseline, cases, (change: Change) => narrow({ change })),
    outcomesPanel(report, narrow),
    signalsPanel(report, narrow),
    ...groupings(report, cases).map((by) => groupsPanel(by, cases, narrow)),
    policyPanel(report),
    requestsPanel(report),
    usagePanel(cases),
    report.losses.length + Object.keys(report.redacted).length > 0 && lossesPanel(report),
  )
}

function countRow(
  kind: string,
  sign: string,
  word: string | HTMLElement,
  n: number,
  of: number,
  press: () => void,
): HTMLElement {
  return el(
    'li',
    {},
    button(
      { class: 'count', disabled: n === 0, title: `Show only these` },
      press,
      decoration(sign, `glyph ${kind}`),
      typeof word === 'string' ? el('span', { class: 'word' }, ...breakable(word)) : word,
      meter(of === 0 ? 0 : n / of, kind),
      span('number', el('b', {}, amount(n)), span('soft', ` of ${amount(of)}`)),
      span('share', share(n, of)),
    ),
  )
}

function resultsPanel({ results: counts, total, flaky }: EmbeddedReport, narrow: Narrow): HTMLElement {
  const shown = results.filter((result) => counts[result] > 0 || result === 'failed' || result === 'passed')
  const rows = shown.map((result) => {
    const { word, sign } = resultLabels[result]
    return countRow(resultKind(result), sign, word, counts[result], total, () => narrow({ result }))
  })
  if (flaky > 0) rows.push(countRow('flaky', '~', 'flaky', flaky, total, () => narrow({ flaky: true })))
  return panel('Results', el('ul', { class: 'counts' }, ...rows))
}

function gapsPanel(cases: readonly EmbeddedCase[], narrow: Narrow): HTMLElement {
  const gaps = cases.flatMap(({ gap }) => gap ?? [])
  const rows = [...grouped(gaps, ({ why }) => why)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([why, of]) => {
      const n = of.length
      const row = countRow('result-not-judged', '?', why, n, gaps.length, () => narrow({ gap: why }))
      const details = of.flatMap(({ detail }) => detail ?? [])
      const mayClose = of.filter(({ temporary }) => temporary).length
      const lines = [...grouped(details, (detail) => detail)]
        .sort(([, a], [, b]) => b.length - a.length)
        .map(([detail, { length }]) => `${amount(length)} × ${escapeLine(detail)}`)
      const more = lines.length - shownDetails
      row.append(
        list([...lines.slice(0, shownDetails), ...(more > 0 ? [`${amount(more)} other reasons`] : [])], 'soft details'),
      )
      if (mayClose > 0) row.append(soft(`Running again may close ${amount(mayClose)} of ${amount(n)}.`))
      return row
    })
  return panel('Not judged', el('ul', { class: 'counts' }, ...rows))
}

const shownDetails = 3

function outcomesPanel({ outcomes: counts }: EmbeddedReport, narrow: Narrow): HTMLElement {
  const others = Object.keys(counts).filter((outcome) => !outcomes.includes(outcome))
  const shown = [...outcomes, ...others].map((outcome) => ({
    outcome,
    kind: outcomeKind(outcome),
    n: Object.hasOwn(counts, outcome) ? (counts[outcome] ?? 0) : 0,
  }))
  const all = shown.reduce((sum, { n }) => sum + n, 0)
  if (all === 0) return panel('Outcomes', soft('No transcript has an outcome.'))
  const rows = shown.map(({ outcome, kind, n }) =>
    countRow(kind, outcomeSign(outcome), escapeLine(outcome), n, all, () => narrow({ outcome })),
  )
  return panel('Outcomes', stack(shown), el('ul', { class: 'counts' }, ...rows))
}

const shownAtFirst = 10

function signalsPanel({ signals, total }: EmbeddedReport, narrow: Narrow): HTMLElement {
  const sorted = Object.entries(signals).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  if (sorted.length === 0) return panel('Signals', soft('No signal fired.'))
  const rows = sorted.map(([signal, n]) =>
    countRow('signal', '⚑', escapeLine(signal), n, total, () => narrow({ signal })),
  )
  return panel('Signals', ...firstOf(rows))
}

/** A list of the first rows, and a button that adds the others. */
function firstOf(rows: readonly HTMLElement[]): HTMLElement[] {
  const rest = rows.slice(shownAtFirst)
  const list = el('ul', { class: 'counts' }, ...rows.slice(0, shownAtFirst))
  if (rest.length === 0) return [list]
  const more = button(
    { class: 'link' },
    () => {
      list.append(...rest)
      rest[0]?.querySelector('button')?.focus()
      more.remove()
    },
    `${amount(rest.length)} more`,
  )
  return [list, more]
}

/** The share of failed transcripts in each folder, or with each value of a tag. */
function groupsPanel(by: Grouping, cases: readonly EmbeddedCase[], narrow: Narrow): HTMLElement {
  const below = commonFolder(cases)
  const row = (group: Group) =>
    countRow('result-failed', '', pathText(memberText(group, below)), group.failed, group.total, () =>
      narrow({ member: { by, value: group.value } }),
    )
  const title = by === 'folder' ? 'Failed by folder' : `Failed by ${escapeLine(by)}`
  return panel(title, ...firstOf(groupsOf(cases, cases.keys(), by).map(row)))
}

function requestsPanel({ requests, usage, cost, total }: EmbeddedReport): HTMLElement {
  return foldedPanel(
    `Requests for ${count(total, 'transcript')}`,
    el(
      'dl',
      { class: 'figures' },
      fact('sent', amount(requests.sent)),
      fact('from the cache', amount(requests.cached)),
      fact('same text', amount(requests.same)),
      fact('tokens in', numberText(usage.tokens_in, amount)),
      fact('tokens out', numberText(usage.tokens_out, amount)),
      ...(cost ? [fact('spent', escapeLine(moneyText(cost.currency, cost.spent)))] : []),
      ...(cost ? [fact('saved', escapeLine(moneyText(cost.currency, cost.saved)))] : []),
    ),
  )
}

/** Counts each answer once, because equal transcripts share one. */
function usagePanel(cases: readonly EmbeddedCase[]): HTMLElement {
  const usages = cases.flatMap(({ usage, answer }) => (usage && answer !== 'same' ? [usage] : []))
  const valuesOf = (field: keyof (typeof usages)[number]) => usages.flatMap((usage) => usage[field] ?? [])
  const cached = cases.some(({ answer }) => answer === 'cached')
  return foldedPanel(
    `Latency and tokens of ${count(usages.length, 'answer')}`,
    histogram('Latency', valuesOf('latency_ms'), milliseconds),
    histogram('Tokens in', valuesOf('tokens_in'), amount),
    histogram('Tokens out', valuesOf('tokens_out'), amount),
    cached && soft('Answers from the cache count with what they took when they were asked for.'),
  )
}

const signs = { within_limit: '✓', exceeded: '✕', 'cannot tell': '?' }

function rateRow(rate: RateReport): HTMLElement {
  const { max, hits, n, verdict, before, culprits } = rate
  const kind = `rate-${verdict.replace(/[ _]/g, '-')}`
  return el(
    'li',
    {},
    el(
      'div',
      {},
      decoration(signs[verdict], `glyph ${kind}`),
      el('b', {}, escapeLine(rateSubject(rate))),
      ` ${verdict.replace('_', ' ')}`,
    ),
    limitBar(n === 0 ? 0 : hits / n, max, kind),
    div(
      'soft',
      `${amount(hits)} of ${amount(n)}, ${share(hits, n)}`,
      before !== null && `; ${share(before, 1)} in the baseline`,
    ),
    culprits.length > 0 &&
      el(
        'details',
        {},
        el('summary', {}, `${count(culprits.length, 'transcript')} counted`),
        list(culprits.map((each) => hitText(each, escapeLine))),
      ),
  )
}

function policyPanel(report: EmbeddedReport): HTMLElement {
  const { policy, versions, annotator } = report
  const { failOn, forbidden, allowed, required, indeterminate, minJudged, confidence, overrides } = policy
  const { maxTokens, maxCost, prices, maxFailures, deadlineMs } = policy
  const names = (signals: readonly string[]) => signals.map(escapeLine).join(', ')
  return foldedPanel(
    'How it was checked',
    facts(
      fact('annotator', escapeLine(annotator)),
      ...versions.map((each) =>
        fact('version', `${escapeLine(each.annotator_version)}, taxonomy ${escapeLine(each.taxonomy_version)}`),
      ),
      fact('fails on', failOn === 'none' ? 'no outcome' : levelText(failOn)),
      forbidden.length > 0 && fact('forbidden signals', names(forbidden)),
      allowed && fact('allowed signals', allowed.length > 0 ? names(allowed) : 'none'),
      required.length > 0 && fact('required signals', names(required)),
      policy.custom && fact('own rules', names(policy.custom.rules)),
      fact('indeterminate', indeterminate),
      fact('to be judged', share(minJudged, 1)),
      typeof confidence === 'number' && fact('confidence', String(confidence)),
      typeof maxTokens === 'number' && fact('at most', `${amount(maxTokens)} tokens`),
      typeof maxCost === 'number' && prices && fact('at most', money(prices.currency, maxCost)),
      typeof maxFailures === 'number' && fact('at most', `${amount(maxFailures)} failed transcripts`),
      typeof deadlineMs === 'number' && fact('within', milliseconds(deadlineMs)),
      overrides.length > 0 && fact('other rules', `${count(overrides.length, 'group')} of files`),
      ...circumstanceEntries(report).map(([name, value]) => fact(name.replaceAll('_', ' '), escapeLine(value))),
    ),
  )
}

const lossesPanel = ({ losses, redacted }: EmbeddedReport): HTMLElement =>
  foldedPanel(
    'Not sent as it stands in the files',
    facts(
      ...losses.map((loss) =>
        fact(loss.code, `${escapeLine(loss.what)} (${amount(loss.count)}): ${escapeLine(loss.why)}`),
      ),
      ...Object.entries(redacted).map(([what, n]) => fact('redacted', `${escapeLine(what)} (${amount(n)})`)),
    ),
  )

function baselinePanel(
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
      span('number', amount(counts[change])),
      span('word', change),
    ),
  )
  return panel(
    'Against the baseline',
    el('p', { class: 'place' }, el('code', {}, ...breakable(escapeLine(path))), updated && ' written'),
    stale !== null && el('p', { class: 'warning' }, decoration('! '), `Out of date: ${escapeLine(stale)}`),
    div('changes', ...tabs),
    movesOf(cases),
    edited > 0 && soft(`${count(edited, 'transcript')} with other content than in the baseline`),
    inside.length > 0 && missingOnes(inside),
  )
}

function movesOf(cases: readonly EmbeddedCase[]): HTMLElement | undefined {
  const moves = cases.flatMap(({ before, outcome }) =>
    before === null || outcome === null || before === outcome ? [] : [{ before, outcome }],
  )
  if (moves.length === 0) return undefined
  // Changes for the worse come first.
  const gain = ({ before, outcome }: { before: string; outcome: string }) =>
    outcomes.indexOf(before) - outcomes.indexOf(outcome)
  const rows = [...grouped(moves, (move) => JSON.stringify(move)).values()]
    .flatMap(([move, ...others]) => (move ? [{ ...move, n: 1 + others.length }] : []))
    .sort((a, b) => Math.sign(gain(a)) - Math.sign(gain(b)) || b.n - a.n)
  return el(
    'ul',
    { class: 'moves' },
    ...rows.map(({ before, outcome, n }) =>
      el('li', {}, span('number', amount(n)), outcomeText(before), decoration('→'), outcomeText(outcome)),
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
      el('bdi', {}, escapeLine(caseTitle(each))),
      ' ',
      el('bdi', { class: 'soft' }, escapeLine(caseLabel(each))),
    ),
  )
  return el(
    'details',
    { class: 'missing' },
    el('summary', {}, `${count(missing.length, 'transcript')} of the baseline not found`),
    el('ul', {}, ...rows),
  )
}
