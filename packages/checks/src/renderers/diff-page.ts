import { cut, escapeHtml, grouped } from '@svc/text'
import type { CaseDiff, ReportDiff, ReportSide } from '../compare/index.js'
import { caseTitle, type Escape, evidenceText, gapText, placeOf, reasonText } from '../report/index.js'
import { changedFigures, flakyIn, titles, whereIn } from './diff-text.js'
import { type App, page, table } from './page.js'

const command = 'svc report diff'

/** The comparison as a page, with the earlier run on the left and the later one on the right. */
export const diffPage = (diff: ReportDiff, app: App): Iterable<string> =>
  page(app, { title: show(diff.line), command }, bodyOf(diff))

/** The page in place of a comparison that was refused. */
export function notComparedPage(lines: readonly string[], app: App): Iterable<string> {
  const rest = lines.map((line) => `<p class="soft">${show(line)}</p>\n`)
  return page(app, { title: 'not compared', command }, [
    header('not judged', 'not compared', ''),
    `<main id="content">\n${rest.join('')}</main>\n`,
  ])
}

/** Long texts are in the reports themselves. */
const show: Escape = (text) => escapeHtml(cut(text, 500))

function header(kind: string, word: string, rest: string): string {
  return `<header class="top verdict-${kind.replace(' ', '-')}">
<h1><span class="word">${show(word)}</span>${show(rest)}</h1>
</header>
`
}

function* bodyOf(diff: ReportDiff): Generator<string> {
  const [word = '', ...rest] = diff.line.split(':')
  const kind = diff.worse ? 'failed' : diff.comparable ? 'passed' : 'not judged'
  yield header(kind, word, `:${rest.join(':')}`)
  yield '<main id="content">\n'
  for (const [change, cases] of grouped(diff.cases, (each) => each.change)) {
    const title = titles[change].replace(/^./, (first) => first.toUpperCase())
    yield* sides(`${title}: ${cases.length}`, 'Transcript', cases.map(caseRow))
  }
  if (diff.cases.length === 0) yield '<p>No transcript changed.</p>\n'
  yield* sides('Runs', '', runRows(diff))
  yield '</main>\n'
}

const sides = (title: string, first: string, rows: Iterable<string>): Iterable<string> =>
  table({ title, names: [first, 'Before', 'After'], kind: 'sides' }, rows)

/** Cells are HTML. */
const row = (name: string, before: string, after: string): string =>
  `<tr><th scope="row">${name}</th><td>${before}</td><td>${after}</td></tr>\n`

function* runRows(diff: ReportDiff): Generator<string> {
  const { before, after, differences, comparable } = diff
  const judge = ({ annotator, versions }: ReportSide) =>
    [annotator, ...versions.map((each) => `${each.annotator_version}, taxonomy ${each.taxonomy_version}`)].join(' ')
  yield row('in one line', show(before.line), show(after.line))
  yield row('judged by', show(judge(before)), show(judge(after)))
  yield row('judged', `${before.judged} of ${before.total}`, `${after.judged} of ${after.total}`)
  for (const { what, before, after } of differences)
    yield row(`${show(what)}${comparable ? '' : ' (not comparable)'}`, show(before), show(after))
  for (const { what, name, was, is } of changedFigures(diff))
    if (what !== 'judged') yield row(show(name === undefined ? what : `${what}: ${name}`), show(was), show(is))
}

function caseRow(each: CaseDiff): string {
  const { before, after, reasons, signals } = each
  const [flaky, side] = [flakyIn(each), after ?? before]
  const where = `<span class="soft">${show(whereIn(each, (text) => text))}${flaky ? `; ${flaky}` : ''}</span>`
  return row(
    `${side ? show(caseTitle(side)) : ''}<br>${where}`,
    sideCell(before, reasons.ceased, signals.ceased),
    sideCell(after, reasons.began, signals.began),
  )
}

/** The outcome of one side, and the findings that the other side does not have. */
function sideCell(
  side: CaseDiff['before'],
  reasons: CaseDiff['reasons']['began'],
  signals: CaseDiff['signals']['began'],
): string {
  if (!side) return '<span class="soft">not in this report</span>'
  const lines = [
    ...reasons.filter(({ rule }) => rule !== 'outcome').map((reason) => reasonText(reason, show)),
    ...signals.map((signal) => {
      const place = show(placeOf(side, signal))
      return `${show(signal.key)} <span class="soft">${place}</span><br>${evidenceText(signal, show)}`
    }),
    ...(side.gap ? [gapText(side.gap, show)] : []),
  ]
  const outcome = side.outcome === null ? 'no outcome' : `<b>${show(side.outcome)}</b>`
  const list = lines.map((line) => `<li>${line}</li>`).join('')
  return `${outcome}, ${side.result}${list && `<ul>${list}</ul>`}`
}
