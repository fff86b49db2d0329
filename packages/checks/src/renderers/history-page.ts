import { count, escapeHtml, percent } from '@svc/text'
import type { History, HistoryRun } from '../compare/index.js'
import { asIs, hitText, money, numberText, sumOf } from '../report/index.js'
import { type App, page, table } from './page.js'

export const historyPage = (history: History, app: App): Iterable<string> =>
  page(
    app,
    { title: `History of ${count(history.runs.length, 'run')}`, command: 'svc report history' },
    bodyOf(history),
  )

function* bodyOf({ runs, began }: History): Generator<string> {
  yield `<main id="content">\n<h1>${count(runs.length, 'run')}</h1>\n`
  yield '<section class="overview" aria-label="Charts">\n'
  const shareOf = ({ results, judged }: HistoryRun) => (judged === 0 ? undefined : results.failed / judged)
  yield chart('Failed, of those judged', runs, shareOf, percent)
  yield chart('Judged, of all', runs, ({ judged, total }) => (total === 0 ? undefined : judged / total), percent)
  for (const outcome of new Set(runs.flatMap(({ outcomes }) => Object.keys(outcomes)))) {
    const countOf = ({ outcomes }: HistoryRun) => (Object.hasOwn(outcomes, outcome) ? (outcomes[outcome] ?? 0) : 0)
    yield chart(`Outcome ${outcome}`, runs, countOf, String)
  }
  for (const name of new Set(runs.flatMap(({ rates }) => rates.map((rate) => rate.name)))) {
    const rateOf = ({ rates }: HistoryRun) => rates.find((rate) => rate.name === name)
    const max = runs.map((run) => rateOf(run)?.max).findLast((limit) => limit !== undefined)
    yield chart(`Rate: ${name}`, runs, (run) => rateOf(run)?.share ?? undefined, percent, max)
  }
  yield chart('Tokens', runs, ({ usage }) => sumOf(usage.tokens_in, usage.tokens_out) ?? undefined, String)
  const latencyOf = ({ usage, requests }: HistoryRun) =>
    requests === 0 || usage.latency_ms === null ? undefined : usage.latency_ms / requests
  yield chart('Latency of a request', runs, latencyOf, (ms) => `${Math.round(ms)} ms`)
  const currency = runs.findLast(({ cost }) => cost)?.cost?.currency
  if (currency !== undefined)
    yield chart(
      'Cost',
      runs,
      ({ cost }) => cost?.spent ?? undefined,
      (amount) => money(currency, amount),
    )
  yield '</section>\n'
  yield* beganTable(began)
  yield* table({ title: 'Runs', names: runNames }, runs.map(runRow))
  yield '</main>\n'
}

const [width, height, edge] = [320, 90, 8]

/** A line over the runs, with the limit as a dashed line. A run without the figure leaves a gap. */
function chart(
  title: string,
  runs: readonly HistoryRun[],
  figureOf: (run: HistoryRun) => number | undefined,
  text: (value: number) => string,
  limit?: number,
): string {
  const values = runs.map(figureOf)
  const known = values.filter((value) => value !== undefined)
  const top = Math.max(...known, limit ?? 0)
  const x = (at: number) => edge + (width - 2 * edge) * (runs.length < 2 ? 0.5 : at / (runs.length - 1))
  const y = (value: number) => height - edge - (top === 0 ? 0 : (height - 2 * edge) * (value / top))
  const last = known.at(-1)
  let path = ''
  const points = values.map((value, at) => {
    if (value === undefined) return ''
    path += `${at > 0 && values[at - 1] !== undefined ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
    const label = `${escapeHtml(runs[at]?.file ?? '')}: ${escapeHtml(text(value))}`
    return `<circle cx="${x(at).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3" fill="var(--accent)"><title>${label}</title></circle>`
  })
  const line = limit === undefined ? '' : limitLine(y(limit))
  const latest = last === undefined ? 'no data' : `last ${text(last)}`
  const summary = `${latest}${known.length > 0 ? `, at most ${text(Math.max(...known))}` : ''}${limit === undefined ? '' : `; limit ${text(limit)}`}`
  return `<section class="panel"><h3>${escapeHtml(title)}</h3>
<svg role="img" aria-label="${escapeHtml(`${title}: ${summary}`)}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
${line}<path d="${path}" fill="none" stroke="var(--accent)" stroke-width="2"/>${points.join('')}
</svg>
<p class="soft">${escapeHtml(summary)}</p></section>
`
}

const limitLine = (y: number): string =>
  `<line x1="${edge}" x2="${width - edge}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}" stroke="var(--critical)" stroke-dasharray="4 3"/>\n`

function* beganTable(began: History['began']): Generator<string> {
  const title = `Findings of the last run: ${began.length}`
  if (began.length === 0) return yield `<h2>${title}</h2>\n<p>No transcript breaks a rule.</p>\n`
  const rows = began.map((each) => row([hitText(each, asIs), each.finding, each.since, `${each.runs}`]))
  yield* table({ title, names: ['Transcript', 'Finding', 'Since', 'Runs in a row'] }, rows)
}

const runNames = ['Run', 'Verdict', 'Judged', 'Failed', 'Tokens in', 'Tokens out', 'In one line']

function runRow({ file, verdict, judged, total, results, usage, line }: HistoryRun): string {
  const tokens = [numberText(usage.tokens_in), numberText(usage.tokens_out)]
  return row([file, verdict, `${judged} of ${total}`, `${results.failed} of ${judged}`, ...tokens, line])
}

const row = (cells: readonly string[]): string => `<tr><td>${cells.map(escapeHtml).join('</td><td>')}</td></tr>\n`
