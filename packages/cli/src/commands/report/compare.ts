import {
  type Comparison,
  type ComparisonForm,
  compareReports,
  comparisonForms,
  readLabels,
  readReport,
  renderComparison,
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
import { someOf } from '../arguments.js'
import { formTargets } from '../flags.js'
import { readPlaces } from './files.js'

export function compareCommand(report: Command, setAction: SetAction): void {
  const command = report
    .command('compare <old> <new>')
    .description('Say why the verdict changed: other transcripts, another judge, other rules, or noise')
    .option(
      '--report <format=file>',
      `write the comparison as ${comparisonForms.join(' or ')} to a file or - (stdout); repeatable`,
      formTargets(comparisonForms),
    )
    .option('--show-all', 'print every change, however many there are')
    .option(
      '--count <causes>',
      `the causes that decide, together: some of ${counted.join(',')} (default: content)`,
      someOf(counted),
    )
    .option('--labels <file>', 'show the labels of people in this file beside the verdicts of both')
    .option('--exit-code', 'exit with 100 if NEW is worse, with 101 or 75 if that cannot be told')
    .addHelpText(
      'after',
      `
The rules of NEW judge both reports. Transcripts that fail more often count as worse if an exact
sign test at 5 % says so; transcripts of one cluster count as one.
${examples('svc report compare main.json branch.json', 'svc report compare main.json branch.json --exit-code', 'svc report compare old.json new.json --count content,judge --show-all')}`,
    )
  setAction(command, compareReportFiles)
}

const counted = ['content', 'judge'] as const

interface CompareFlags {
  report?: readonly FileTarget<ComparisonForm>[]
  showAll?: boolean
  count?: readonly (typeof counted)[number][]
  exitCode?: boolean
  labels?: string
}

const compareReportFiles: Action<[old: string, now: string], CompareFlags> = async (context, paths, flags) => {
  const { io, style } = context
  const [old, now] = paths
  const targets = flags.report ?? []
  const inputs = [...paths, ...(flags.labels === undefined ? [] : [flags.labels])]
  await refuseShared(context, targets, readPlaces(inputs))
  let comparison: Comparison
  try {
    await refuseUnwritable(context, targets)
    refuseStdinTwice(paths)
    const [before, after] = [await readReport(io, old), await readReport(io, now)]
    const labels = flags.labels === undefined ? undefined : await readLabels(flags.labels, io)
    const options = { count: flags.count, labels }
    comparison = compareReports({ from: old, report: before }, { from: now, report: after }, options)
  } catch (error) {
    await deliverRefusal(context, error, targets, inputs)
    throw error
  }
  const { showAll = false, exitCode } = flags
  const show = async () => {
    for (const part of await renderComparison(comparison, 'terminal', { style: style.out, showAll }))
      io.stdout.write(part)
  }
  const partsOf = (form: ComparisonForm) => renderComparison(comparison, form)
  return deliverDocument(
    context,
    comparison,
    targets,
    partsOf,
    show,
    exitCode ? (comparison.exit as ExitCode) : exit.ok,
  )
}

/** Replace an earlier comparison by the reason why the reports could not be compared. */
async function deliverRefusal(
  { io }: Context,
  error: unknown,
  targets: readonly FileTarget<ComparisonForm>[],
  inputs: readonly string[],
): Promise<void> {
  const { message, details } = describe(error)
  const code = exitCodeFor(error)
  const partsOf = (form: ComparisonForm) => renderNotCompared([message, ...details], errorDocument(error, code), form)
  const named = inputs.map((path) => io.resolve(path))
  const files: { id: ComparisonForm; file: string }[] = []
  for (const each of targets.filter(goesToFile))
    if (!named.includes(io.resolve(each.file)) && (await isReport(io, each.file))) files.push(each)
  exitAfter(io, await writeReports(io, files, partsOf), code)
  const owner = targets.find(ownsStdout)
  if (owner) for (const part of await partsOf(owner.id)) io.stdout.write(part)
}
