import { InvalidArgumentError } from 'commander'
import { diffReports, type ReportDiff, readReport, refuseIncomparable } from '../../check/compare/index.js'
import type { Context } from '../../context.js'
import { describe, errorDocument, exitCodeFor } from '../../errors/index.js'
import { type ExitCode, exit } from '../../exit.js'
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
import { inertJson, inertMarkdown } from '../../terminal/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { diffPage, notComparedPage } from './diff-page.js'
import { diffMarkdown, diffText } from './diff-text.js'
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
