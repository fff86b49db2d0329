import { cut, grouped, inertHtml } from '@svc/text'
import type { CaseDiff, ReportDiff, ReportSide } from '../compare/index.js'
import { type Escape, evidenceText, gapText, placeOf, reasonText } from '../report/index.js'
import { changedFigures, flakyIn, titles, whereIn } from './diff-text.js'
import { type App, page } from './page.js'

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
const show: Escape = (text) => inertHtml(cut(text, 500))

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
  for (const [move, cases] of grouped(diff.cases, (each) => each.move)) {
    const title = titles[move].replace(/^./, (first) => first.toUpperCase())
    yield* table(`${title}: ${cases.length}`, ['Transcript', 'Before', 'After'], cases.map(caseRow))
  }
  if (diff.cases.length === 0) yield '<p>No transcript changed.</p>\n'
  yield* table('Runs', ['', 'Before', 'After'], runRows(diff))
  yield '</main>\n'
}

/** Cells are HTML. */
function* table(
  title: string,
  head: readonly string[],
  rows: Iterable<readonly [name: string, before: string, after: string]>,
): Generator<string> {
  const titles = head.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${name}</th>`))
  yield `<h2>${title}</h2>\n<div class="wide"><table class="sides">\n<thead><tr>${titles.join('')}</tr></thead>\n<tbody>\n`
  for (const [name, before, after] of rows)
    yield `<tr><th scope="row">${name}</th><td>${before}</td><td>${after}</td></tr>\n`
  yield '</tbody>\n</table></div>\n'
}

function* runRows(diff: ReportDiff): Generator<[name: string, before: string, after: string]> {
  const { before, after, unlike, comparable } = diff
  const judge = ({ annotator, versions }: ReportSide) =>
    [annotator, ...versions.map((each) => `${each.annotator_version}, taxonomy ${each.taxonomy_version}`)].join(' ')
  yield ['in one line', show(before.line), show(after.line)]
  yield ['judged by', show(judge(before)), show(judge(after))]
  yield ['judged', `${before.judged} of ${before.total}`, `${after.judged} of ${after.total}`]
  for (const { what, before, after } of unlike)
    yield [`${show(what)}${comparable ? '' : ' (not comparable)'}`, show(before), show(after)]
  for (const { what, name, was, is } of changedFigures(diff))
    if (what !== 'judged') yield [show(name === undefined ? what : `${what}: ${name}`), show(was), show(is)]
}

function caseRow(each: CaseDiff): [name: string, before: string, after: string] {
  const { before, after, reasons, signals } = each
  const flaky = flakyIn(each)
  const name = [
    show((after ?? before)?.name ?? ''),
    `<span class="soft">${show(whereIn(each, (text) => text))}${flaky ? `; ${flaky}` : ''}</span>`,
  ]
  return [
    name.join('<br>'),
    sideCell(before, reasons.ceased, signals.ceased),
    sideCell(after, reasons.began, signals.began),
  ]
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
