import { count, escapeHtml } from '@svc/text'
import {
  agreementText,
  asIs,
  type CheckReport,
  casesBlock,
  caseTitle,
  circumstanceEntries,
  costText,
  coverageText,
  type EmbeddedTurn,
  embedded,
  errorLines,
  evidenceText,
  gapTextWithHint,
  hitTexts,
  type LabelFigures,
  labelLines,
  noteLines,
  placeOf,
  type ReportCase,
  type ReportTurn,
  rateText,
  reasonText,
  reportBlock,
  resultLabels,
  sliceCounts,
  sliceText,
  turnsBlock,
  worstCasesFirst,
} from '../report/index.js'
import { comparisonTables } from './comparison.js'
import { type App, block, page, scriptPolicy, table } from './page.js'

/**
 * The report as a self-contained page. The cases stand before the script and the turns after it, so that a long page
 * works while it loads.
 */
export function* html(report: CheckReport, app: App): Generator<string> {
  yield* page(
    app,
    { title: titleOf(report), command: 'svc check', policy: scriptPolicy(app) },
    bodyOf(report, app.script),
  )
}

function* bodyOf(report: CheckReport, script: string): Generator<string> {
  const { cases, ...rest } = report
  yield `${verdictOf(report)}\n`
  if (report.reference?.comparison) yield* comparisonTables(report.reference.comparison)
  if (report.labels) yield* labelTable(report.labels)
  yield `<main id="content">
<noscript>
`
  yield* summaryOf(report)
  yield `</noscript>
</main>
${block(reportBlock, embedded(rest))}${opening(casesBlock)}[`
  for (const [index, { turns: _, ...each }] of cases.entries()) yield `${index > 0 ? ',\n' : ''}${embedded(each)}`
  yield `]${closing}<script>${script}</script>\n`
  for (const [index, { turns }] of cases.entries()) {
    if (turns) yield block(turnsBlock(index), embedded(turns.map(shortTurn)))
  }
}

const opening = (id: string): string => `<script type="application/json" id="${id}">`
const closing = '</script>\n'

const shortTurn = ({ role, content, line, column }: ReportTurn): EmbeddedTurn => [role, content, line, column]

const titleOf = ({ verdict, annotator }: CheckReport): string => `${verdict}: ${escapeHtml(annotator || 'svc check')}`

/** Stands outside of the app, so that a page without scripts shows it too. */
function verdictOf(report: CheckReport): string {
  const { verdict, line, annotator, versions, exit, error, service, ended_at, commit } = report
  const why = error ? errorLines(error, escapeHtml).map((each) => `<p class="soft">${each}</p>\n`) : []
  const [word = '', ...rest] = line.split(':')
  const covered = coverageText(report)
  const version = versions.map((each) => `${each.annotator_version}, taxonomy ${each.taxonomy_version}`).join('; ')
  const facts = [
    ...(error || covered ? [] : [`Judged by ${escapeHtml(annotator)}${version && ` ${escapeHtml(version)}`}`]),
    ...(service === null ? [] : [escapeHtml(service)]),
    ...(ended_at ? [escapeHtml(ended_at.replace(/^([\d-]+)T([\d:]{5}).*Z$/, '$1 $2 UTC'))] : []),
    ...(commit ? [`commit ${escapeHtml(commit.slice(0, 12))}`] : []),
    `exit code ${exit}`,
  ]
  return `<header class="top verdict-${verdict.replace(' ', '-')}">
<h1><span class="word">${escapeHtml(word)}${rest.length > 0 ? ':' : ''}</span>${escapeHtml(rest.join(':'))}</h1>
${why.join('')}${covered ? `<p class="soft">${escapeHtml(covered)}</p>\n` : ''}<p class="soft">${facts.join(', ')}</p>
<div id="tools"></div>
</header>`
}

/** Stands outside of the app, as the comparison does. */
function* labelTable(labels: LabelFigures): Generator<string> {
  const rows = labelLines(labels, escapeHtml).map((line) => `<tr><td>${line}</td></tr>\n`)
  yield* table({ title: 'Labels', names: [escapeHtml(labels.from)] }, rows)
}

function* summaryOf(report: CheckReport): Generator<string> {
  yield '<p class="plain">Without a script this page shows what failed or was not judged; transcripts are shown with one.</p>\n'
  yield* badTable(report)
  const { results, outcomes, signals, rates, requests, cost, baseline } = report
  yield `<ul class="plain">
<li>Results: ${counts(results)}</li>
<li>Outcomes: ${counts(outcomes)}</li>
<li>Signals: ${counts(signals)}</li>
<li>Requests: ${requests.sent} sent, ${requests.cached} from the cache, ${requests.same} for the same text${cost ? `; ${escapeHtml(costText(cost))}` : ''}</li>
${baseline ? `<li>Against the baseline ${escapeHtml(baseline.path)}: ${counts(baseline.counts)}; ${baseline.missing.length} not found</li>\n` : ''}`
  for (const rate of rates) {
    const named = hitTexts(rate, report.cases, escapeHtml)
    yield `<li>Rate ${rate.verdict.replace('_', ' ')}: ${escapeHtml(rateText(rate))}${named.length > 0 ? `: ${named.join('; ')}` : ''}</li>\n`
  }
  if (report.self_agreement) yield `<li>${agreementText(report.self_agreement)}</li>\n`
  for (const slice of report.slices ?? []) yield `<li>${escapeHtml(sliceText(slice))}: ${sliceCounts(slice)}</li>\n`
  for (const note of noteLines(report, escapeHtml)) yield `<li>Note: ${note}</li>\n`
  for (const [name, value] of circumstanceEntries(report)) yield `<li>${name}: ${escapeHtml(value)}</li>\n`
  yield '</ul>\n'
}

function* badTable(report: CheckReport): Generator<string> {
  const bad = (['failed', 'not judged'] as const).flatMap((result) => worstCasesFirst(report, result))
  if (bad.length === 0) return
  yield `<div class="wide" tabindex="0"><table>
<caption>${count(bad.length, 'transcript')} that failed or could not be judged</caption>
<thead><tr><th scope="col">Result</th><th scope="col">Outcome</th><th scope="col">Transcript</th><th scope="col">Place</th><th scope="col">Why</th></tr></thead>
<tbody>
`
  for (const each of bad) yield rowOf(each)
  yield '</tbody>\n</table></div>\n'
}

const counts = (named: Record<string, number>): string =>
  Object.entries(named)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${escapeHtml(name)}`)
    .join(', ') || 'none'

function rowOf(each: ReportCase): string {
  const { result, outcome, before, reasons, gap, signals } = each
  const moved = before !== null && before !== outcome ? `${escapeHtml(before)} → ` : ''
  const why = [
    ...reasons.map((reason) => reasonText(reason, escapeHtml)),
    ...(gap ? [escapeHtml(gapTextWithHint(gap))] : []),
    ...signals.map((signal) => escapeHtml(`${placeOf(each, signal)} ${signal.key}: ${evidenceText(signal, asIs)}`)),
  ]
  const cells = [resultLabels[result].word, moved + escapeHtml(outcome ?? 'none'), escapeHtml(caseTitle(each))]
  return `<tr><td>${cells.join('</td><td>')}</td><td><code>${escapeHtml(placeOf(each, each))}</code></td><td>${why.join('<br>')}</td></tr>\n`
}
