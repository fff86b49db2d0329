import {
  type CaseDiff,
  diffReports,
  type Escape,
  evidenceText,
  gapText,
  placeOf,
  type ReportDiff,
  type ReportSide,
  readReport,
  reasonText,
  refuseIncomparable,
  staticPage,
} from '@svc/checks'
import { refuseStdinTwice } from '@svc/input'
import { cut, grouped, inertHtml, inertJson, inertMarkdown } from '@svc/text'
import { InvalidArgumentError } from 'commander'
import type { Context } from '../../context.js'
import { describe, errorDocument, exitCodeFor } from '../../errors/index.js'
import { type ExitCode, exit } from '../../exit.js'
import { printJson } from '../../output/index.js'
import {
  type DiffTarget,
  diffFormats,
  exitAfter,
  fileTargetOf,
  goesToFile,
  isReport,
  ownsStdout,
  refuseShared,
  refuseUnwritable,
  writeReports,
} from '../../reports/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { changedFigures, diffMarkdown, diffText, flakyIn, titles, whereIn } from './diff-text.js'
import { readPlaces } from './files.js'

export function diffCommand(report: Command, setAction: SetAction): void {
  const command = report
    .command('diff <before-file> <after-file>')
    .description('Compare two reports; the largest regressions come first')
    .option(
      '--report <format=file>',
      `write the comparison as ${diffFormats.join(' or ')} to a file or - (stdout); repeatable`,
      diffTarget,
    )
    .option('--exit-code', 'exit with 100 if a transcript got worse')
    .option('--anyway', 'compare reports that were made differently, and list the differences')
    .addHelpText(
      'after',
      `
Without --anyway, reports that differ in annotator, version, service, policy, options or attempts
are refused with exit code 101.
${examples('svc report diff before.json after.json', 'svc report diff before.json after.json --report html=diff.html')}`,
    )
  setAction(command, diffReportFiles)
}

/** Parse one `--report`, and add it to those before. */
function diffTarget(text: string, before: readonly DiffTarget[] = []): readonly DiffTarget[] {
  const parsed = fileTargetOf(text, diffFormats)
  if (parsed) return [...before, parsed]
  throw new InvalidArgumentError(`Expected FORMAT=FILE; formats: ${diffFormats.join(', ')}.`)
}

interface DiffFlags {
  report?: readonly DiffTarget[]
  exitCode?: boolean
  anyway?: boolean
}

const diffReportFiles: Action<[before: string, after: string], DiffFlags> = async (context, paths, flags) => {
  const { io } = context
  const [before, after] = paths
  const targets = flags.report ?? []
  await refuseShared(context, targets, readPlaces(paths))
  let diff: ReportDiff
  try {
    await refuseUnwritable(context, targets)
    refuseStdinTwice(paths)
    const [was, is] = [await readReport(io, before), await readReport(io, after)]
    if (!flags.anyway) refuseIncomparable({ from: before, report: was }, { from: after, report: is })
    diff = diffReports(was, is)
  } catch (error) {
    await deliverDiffError(context, error, targets, paths)
    throw error
  }
  return deliverDiff(context, diff, targets, flags.exitCode ? verdictOf(diff) : exit.ok)
}

const verdictOf = ({ comparable, worse }: ReportDiff) =>
  comparable ? (worse ? exit.gateFailed : exit.ok) : exit.notJudged

const rendererOf: Record<DiffTarget['id'], (diff: ReportDiff) => Iterable<string>> = {
  json: (diff) => [`${inertJson(diff, 2)}\n`],
  md: diffMarkdown,
  html: diffPage,
}

/**
 * Writes the difference to every file that is named, and shows it on stdout unless something else is there. Returns the
 * exit code: `code`, or 1 where that is 0 and a file could not be written.
 */
async function deliverDiff(
  context: Context,
  diff: ReportDiff,
  targets: readonly DiffTarget[],
  code: ExitCode,
): Promise<ExitCode> {
  const { io, flags, style } = context
  const failure = await writeReports(io, targets.filter(goesToFile), (id) => rendererOf[id](diff))
  const owner = targets.find(ownsStdout)
  if (flags.json) printJson(context, diff)
  else for (const part of owner ? rendererOf[owner.id](diff) : diffText(diff, style.out)) io.stdout.write(part)
  return exitAfter(io, failure, code)
}

/** Replace earlier differences by the reason why the reports could not be compared. */
async function deliverDiffError(
  { io }: Context,
  error: unknown,
  targets: readonly DiffTarget[],
  inputs: readonly string[],
): Promise<void> {
  const { message, details } = describe(error)
  const lines = [message, ...details].map((line) => `${inertMarkdown(line)}\n`)
  const textOf: Record<DiffTarget['id'], string> = {
    json: `${inertJson(errorDocument(error, exitCodeFor(error)), 2)}\n`,
    md: `## svc report diff: not compared\n\n${lines.join('\n')}`,
    html: [...notComparedPage([message, ...details])].join(''),
  }
  const named = inputs.map((path) => io.resolve(path))
  const files: { id: DiffTarget['id']; file: string }[] = []
  for (const each of targets.filter(goesToFile))
    if (!named.includes(io.resolve(each.file)) && (await isReport(io, each.file))) files.push(each)
  exitAfter(io, await writeReports(io, files, (id) => [textOf[id]]), exitCodeFor(error))
  const owner = targets.find(ownsStdout)
  if (owner) io.stdout.write(textOf[owner.id])
}

const command = 'svc report diff'

/** The comparison as a page, with the earlier run on the left and the later one on the right. */
function* diffPage(diff: ReportDiff): Generator<string> {
  yield* staticPage(show(diff.line), command, bodyOf(diff))
}

/** The page in place of a comparison that was refused. */
function* notComparedPage(lines: readonly string[]): Generator<string> {
  const rest = lines.map((line) => `<p class="soft">${show(line)}</p>\n`)
  yield* staticPage('not compared', command, [
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
