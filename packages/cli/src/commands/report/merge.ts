import type { CheckReport } from '@svc/checks'
import { endedReport, mergeReports, type NamedReport, readReport } from '@svc/checks'
import { escapeLine } from '@svc/text'
import type { Context } from '../../context.js'
import { describe, exitCodeFor } from '../../errors.js'
import {
  type Delivery,
  deliver,
  deliverError,
  isReport,
  placesOf,
  refuseShared,
  refuseUnwritable,
  type Target,
} from '../../reports.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { upTo } from '../arguments.js'
import { withReports } from '../flags.js'
import { readPlaces, reportFiles } from './files.js'

export function mergeCommand(report: Command, setAction: SetAction): void {
  const command = withReports(
    report.command('merge <path...>').description('Merge the reports of a sharded or repeated check into one'),
  )
    .option('--expect <n>', 'the number of shards: refuse the reports unless each shard is there once', upTo(99_999))
    .option('--against <report>', 'compare the merge with this JSON report, as its shards were to be')
    .addHelpText(
      'after',
      `
A directory stands for the .json files in it. A transcript is known by its content, whatever its
file is called; in two reports it counts once, with the worse of two judgements.

Reports of shards (svc check --shard i/n) pass only if all shards are there; rates and the share
that must be judged are decided here.

Exit codes: those of svc check, for all transcripts together; 101 also for reports that are not
comparable or contradict themselves, and for a shard that is missing or, with --expect, there twice.
${examples('svc report merge reports/ --report json=all.json', 'svc report merge part-1.json part-2.json --json', 'svc report merge shards/ --expect 4')}`,
    )
  setAction(command, mergeReportFiles)
}

interface MergeFlags extends Delivery {
  expect?: number
  against?: string
}

const mergeReportFiles: Action<[string[]], MergeFlags> = async (context, [paths], flags) => {
  const targets = flags.report ?? []
  const inputs = [...paths, ...(flags.against === undefined ? [] : [flags.against])]
  await refuseShared(context, targets, readPlaces(inputs))
  let report: CheckReport
  try {
    await refuseUnwritable(context, targets)
    report = await merged(context, paths, targets, flags)
  } catch (error) {
    const named = new Set(inputs.map((path) => context.io.resolve(path)))
    const mayReplace = (file: string) => !named.has(context.io.resolve(file)) && isReport(context.io, file)
    await deliverError(
      context,
      endedReport({ ...describe(error), exit: exitCodeFor(error) }, { paths, clock: context.io.clock }),
      targets,
      mayReplace,
    )
    throw error
  }
  for (const note of report.notes) context.say(`note: ${escapeLine(note)}`)
  if (report.baseline?.stale) context.say(`note: the baseline is out of date: ${report.baseline.stale}`)
  return deliver(context, report, flags)
}

async function merged(
  { io }: Context,
  paths: readonly string[],
  targets: readonly Target[],
  { expect, against }: MergeFlags,
): Promise<CheckReport> {
  const written = placesOf(targets).map(({ path }) => path)
  const [first, ...others] = await reportFiles(io, paths, written)
  const named = async (from: string): Promise<NamedReport> => ({ from, report: await readReport(io, from) })
  const parts: [NamedReport, ...NamedReport[]] = [await named(first)]
  for (const path of others) parts.push(await named(path))
  return mergeReports(parts, { expect, against: against === undefined ? undefined : await named(against) })
}
