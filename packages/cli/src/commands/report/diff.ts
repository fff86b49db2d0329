import { caseLabel, type Escape, gapText, placeOf, reasonText } from '@svc/report-viewer'
import { InvalidArgumentError } from 'commander'
import {
  type CaseDiff,
  diffReports,
  type Move,
  type RateDiff,
  type ReportDiff,
  type ReportSide,
  readReport,
  refuseIncomparable,
} from '../../check/compare/index.js'
import { rateText } from '../../check/index.js'
import type { Context } from '../../context.js'
import { describe, errorDocument, exitCodeFor } from '../../errors/index.js'
import { type ExitCode, exit } from '../../exit.js'
import { grouped } from '../../grouped.js'
import { refuseStdinTwice } from '../../input/index.js'
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
import { count, cut, inert, inertJson, inertMarkdown, type Style } from '../../terminal/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
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
${examples('svc report diff before.json after.json', 'svc report diff before.json after.json --report md=diff.md')}`,
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
  }
  const named = inputs.map((path) => io.resolve(path))
  const files: { id: DiffTarget['id']; file: string }[] = []
  for (const each of targets.filter(goesToFile))
    if (!named.includes(io.resolve(each.file)) && (await isReport(io, each.file))) files.push(each)
  exitAfter(io, await writeReports(io, files, (id) => [textOf[id]]), exitCodeFor(error))
  const owner = targets.find(ownsStdout)
  if (owner) io.stdout.write(textOf[owner.id])
}

const show = (text: string): string => inertMarkdown(cut(text, 200))

/** The changes as Markdown: verdicts, numbers, and transcripts, worst first. */
function* diffMarkdown(diff: ReportDiff): Generator<string> {
  yield `## ${diff.worse ? 'Worse' : 'Not worse'} than before\n\n${show(diff.line)}\n\n`
  yield `- before: ${show(diff.before.line)}\n- after: ${show(diff.after.line)}\n`
  for (const { what, before, after } of diff.unlike)
    yield `- ${diff.comparable ? '' : 'not comparable: '}${show(what)} ${show(before)} → ${show(after)}\n`
  for (const [what, text] of numbersIn(diff, show)) yield `- ${what}: ${text}\n`
  for (const [move, cases] of grouped(diff.cases, (each) => each.move)) {
    yield `\n### ${titles[move].replace(/^./, (first) => first.toUpperCase())} (${cases.length})\n\n`
    for (const each of cases) yield caseItem(each)
  }
}

function caseItem(each: CaseDiff): string {
  const { move, before, after, reasons, signals } = each
  const side = after ?? before
  if (!side) return ''
  const flaky = flakyIn(each)
  const head = `- **${show(side.name)}**: ${stepIn(each, show)} (${whereIn(each, show)})${flaky ? `, ${flaky}` : ''}\n`
  const gap = after?.gap ? [gapText(after.gap, show)] : []
  if (move === 'unjudged' || move === 'gone') return `${head}${gap.map((line) => `  - ${line}\n`).join('')}`
  const isOfSignal = ({ rule }: { rule: string }) => rule !== 'outcome'
  const lines = [
    ...gap,
    ...reasons.began.filter(isOfSignal).map((reason) => reasonText(reason, show)),
    ...reasons.ceased.filter(isOfSignal).map((reason) => `no longer: ${reasonText(reason, show)}`),
    ...signals.began.map(
      (signal) => `began: ${show(signal.key)} at ${show(placeOf(side, signal))}: ${show(signal.evidence)}`,
    ),
    ...signals.ceased.map(({ key }) => `ceased: ${show(key)}`),
  ]
  return `${head}${lines.map((line) => `  - ${line}\n`).join('')}`
}

const colors: Record<Move, Parameters<Style>[0]> = {
  ...{ worse: 'red', both: 'red', unjudged: 'yellow', judged: 'cyan' },
  ...{ added: 'cyan', other: 'yellow', gone: 'dim', better: 'green' },
}

/** The changes for a terminal: transcripts, worst first, then the numbers and one line. */
function* diffText(diff: ReportDiff, style: Style): Generator<string> {
  for (const [move, cases] of grouped(diff.cases, (each) => each.move)) {
    yield `${style('bold', `${titles[move]}: ${count(cases.length, 'transcript')}`)}\n`
    for (const each of cases) yield `${caseLines(each, style).join('\n')}\n`
    yield '\n'
  }
  const numbers = [...numbersIn(diff, inert)]
  for (const [what, text] of numbers) yield `${what.padEnd(8)}  ${text}\n`
  if (numbers.length > 0) yield '\n'
  for (const { what, before, after } of diff.unlike)
    yield `${style('yellow', inert(what))}  ${cut(inert(before), 80)} → ${cut(inert(after), 80)}\n`
  yield `before    ${inert(diff.before.line)}\n`
  yield `after     ${inert(diff.after.line)}\n`
  yield `${style(diff.worse ? 'red' : diff.comparable ? 'green' : 'yellow', diff.line)}\n`
}

function caseLines(each: CaseDiff, style: Style): string[] {
  const { move, before, after, reasons, signals } = each
  const side = after ?? before
  const flaky = flakyIn(each)
  const head = `${style(colors[move], stepIn(each, inert))}  ${style('bold', cut(inert(side?.name ?? ''), 80))}`
  const lines = [`  ${head}  ${style('dim', whereIn(each, inert))}${flaky ? `  (${flaky})` : ''}`]
  if (after?.gap) lines.push(`    ${gapText(after.gap, inert)}`)
  if (!side || move === 'unjudged' || move === 'gone') return lines
  for (const reason of reasons.began)
    if (reason.rule !== 'outcome') lines.push(`    ${style('red', reasonText(reason, inert))}`)
  for (const reason of reasons.ceased)
    if (reason.rule !== 'outcome') lines.push(`    no longer: ${style('dim', reasonText(reason, inert))}`)
  for (const signal of signals.began) {
    const where = style('dim', inert(placeOf(side, signal)))
    lines.push(`    + ${where}  ${style('yellow', inert(signal.key))}  “${cut(inert(signal.evidence), 120)}”`)
  }
  for (const { key } of signals.ceased) lines.push(`    - ${style('dim', inert(key))}`)
  return lines
}

const titles: Record<Move, string> = {
  worse: 'worse',
  both: 'worse and better',
  unjudged: 'no longer judged',
  judged: 'judged now',
  added: 'added',
  other: 'otherwise changed',
  gone: 'gone',
  better: 'better',
}

/** As in `strong → poor`; where only the result is another, that. */
function stepIn({ before, after }: CaseDiff, show: Escape): string {
  const outcome = (side: typeof before) => (side?.outcome == null ? 'no outcome' : show(side.outcome))
  if (!before || !after) return outcome(before ?? after)
  if (before.outcome !== after.outcome) return `${outcome(before)} → ${outcome(after)}`
  return before.result === after.result ? outcome(after) : `${outcome(after)}, ${before.result} → ${after.result}`
}

/** Its file, and where it stood before where that was another. */
function whereIn({ before, after }: CaseDiff, show: Escape): string {
  const [was, is] = [before && caseLabel(before), after && caseLabel(after)]
  return was && is && was !== is ? `${show(is)}, was ${show(was)}` : show(is ?? was ?? '')
}

/** That attempts differed, before or now. */
function flakyIn({ before, after }: CaseDiff): string | undefined {
  const [was, is] = [before?.flaky === true, after?.flaky === true]
  if (!was && !is) return undefined
  return was && is ? 'flaky' : is ? 'flaky now' : after ? 'no longer flaky' : 'flaky'
}

/** The changes in the numbers of all transcripts, by subject. */
function* numbersIn({ before, after, rates }: ReportDiff, show: Escape): Generator<[what: string, text: string]> {
  const judged = ({ judged, total }: ReportSide) => `${judged} of ${total}`
  if (judged(before) !== judged(after)) yield ['judged', `${judged(before)} → ${judged(after)}`]
  for (const what of ['outcomes', 'signals'] as const) {
    const changed = changedCounts(before[what], after[what]).map(([name, was, is]) => `${show(name)} ${was} → ${is}`)
    if (changed.length > 0) yield [what, changed.join(', ')]
  }
  if (before.flaky !== after.flaky) yield ['flaky', `${before.flaky} → ${after.flaky}`]
  for (const rate of rates) yield ['rate', rateStep(rate, show)]
}

function changedCounts(
  before: Record<string, number>,
  after: Record<string, number>,
): [name: string, was: number, is: number][] {
  const of = (counts: Record<string, number>, name: string) => (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name): [string, number, number] => [name, of(before, name), of(after, name)])
    .filter(([, was, is]) => was !== is)
}

function rateStep({ before, after, ...limit }: RateDiff, show: Escape): string {
  const text = (side: RateDiff['before']) =>
    side ? show(rateText({ ...limit, before: null, common: null, ...side })) : 'none'
  return `${text(before)} → ${text(after)}`
}
