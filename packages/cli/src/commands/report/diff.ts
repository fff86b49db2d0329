import type { DiffForm } from '@svc/checks'
import {
  diffForms,
  diffReports,
  type ReportDiff,
  readReport,
  refuseIncomparable,
  renderDiff,
  renderNotCompared,
} from '@svc/checks'
import type { Context } from '../../context.js'
import { describe, errorDocument, exitCodeFor } from '../../errors.js'
import { type ExitCode, exit } from '../../exit.js'
import { refuseStdinTwice } from '../../input/index.js'
import {
  deliverDocument,
  exitAfter,
  type FileTarget,
  goesToFile,
  isReport,
  ownsStdout,
  refuseShared,
  refuseUnwritable,
  writeReports,
} from '../../reports.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { formTargets } from '../flags.js'
import { readPlaces } from './files.js'

export function diffCommand(report: Command, setAction: SetAction): void {
  const command = report
    .command('diff <before-file> <after-file>')
    .description('Compare two reports; the largest regressions come first')
    .option(
      '--report <format=file>',
      `write the comparison as ${diffForms.join(' or ')} to a file or - (stdout); repeatable`,
      formTargets(diffForms),
    )
    .option('--exit-code', 'exit with 100 if a transcript got worse, with 101 or 75 if judgements were lost')
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

interface DiffFlags {
  report?: readonly FileTarget<DiffForm>[]
  exitCode?: boolean
  anyway?: boolean
}

const diffReportFiles: Action<[before: string, after: string], DiffFlags> = async (context, paths, flags) => {
  const { io, style } = context
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
  const show = async () => {
    for (const part of await renderDiff(diff, 'terminal', style.out)) io.stdout.write(part)
  }
  const partsOf = (form: DiffForm) => renderDiff(diff, form)
  return deliverDocument(context, diff, targets, partsOf, show, flags.exitCode ? (diff.exit as ExitCode) : exit.ok)
}

/** Replace earlier differences by the reason why the reports could not be compared. */
async function deliverDiffError(
  { io }: Context,
  error: unknown,
  targets: readonly FileTarget<DiffForm>[],
  inputs: readonly string[],
): Promise<void> {
  const { message, details } = describe(error)
  const code = exitCodeFor(error)
  const partsOf = (form: DiffForm) => renderNotCompared([message, ...details], errorDocument(error, code), form)
  const named = inputs.map((path) => io.resolve(path))
  const files: { id: DiffForm; file: string }[] = []
  for (const each of targets.filter(goesToFile))
    if (!named.includes(io.resolve(each.file)) && (await isReport(io, each.file))) files.push(each)
  exitAfter(io, await writeReports(io, files, partsOf), code)
  const owner = targets.find(ownsStdout)
  if (owner) for (const part of await partsOf(owner.id)) io.stdout.write(part)
}
