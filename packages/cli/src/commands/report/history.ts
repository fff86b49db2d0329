import { caseLabel, money } from '@svc/report-viewer'
import { InvalidArgumentError } from 'commander'
import { type History, historyOf, type NamedReport, readReport } from '../../check/compare/index.js'
import type { Context } from '../../context.js'
import { exit } from '../../exit.js'
import { printJson, printRows } from '../../output/index.js'
import {
  exitAfter,
  fileTargetOf,
  goesToFile,
  ownsStdout,
  placesOf,
  refuseShared,
  refuseUnwritable,
  writeReports,
} from '../../reports/index.js'
import { count, inert, inertJson, percent } from '../../terminal/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { readPlaces, reportFiles } from './files.js'
import { historyPage } from './history-page.js'

const formats = ['json', 'html'] as const
interface HistoryTarget {
  id: (typeof formats)[number]
  file: string | undefined
}

export function historyCommand(report: Command, setAction: SetAction): void {
  const command = report
    .command('history <path...>')
    .description('Show the figures of many runs, and the run in which each finding began')
    .option(
      '--report <format=file>',
      `write the history as ${formats.join(' or ')} to a file or - (stdout); repeatable`,
      target,
    )
    .addHelpText(
      'after',
      `
A directory stands for the .json files in it. The runs are in the order of the command line;
the files of a directory are in the order of their names, such as 2026-11-25.json.
${examples('svc report history reports/', 'svc report history before.json after.json --report html=history.html')}`,
    )
  setAction(command, showHistory)
}

function target(text: string, before: readonly HistoryTarget[] = []): readonly HistoryTarget[] {
  const parsed = fileTargetOf(text, formats)
  if (parsed) return [...before, parsed]
  throw new InvalidArgumentError(`Expected FORMAT=FILE; formats: ${formats.join(', ')}.`)
}

const rendererOf: Record<HistoryTarget['id'], (history: History) => Iterable<string>> = {
  json: (history) => [`${inertJson(history, 2)}\n`],
  html: historyPage,
}

const showHistory: Action<[string[]], { report?: readonly HistoryTarget[] }> = async (context, [paths], flags) => {
  const { io } = context
  const targets = flags.report ?? []
  await refuseShared(context, targets, readPlaces(paths))
  await refuseUnwritable(context, targets)
  const files = await reportFiles(
    io,
    paths,
    placesOf(targets).map(({ path }) => path),
  )
  const reports: NamedReport[] = []
  for (const from of files) reports.push({ from, report: await readReport(io, from, { mayHaveEnded: true }) })
  const history = historyOf(reports)
  const failure = await writeReports(io, targets.filter(goesToFile), (id) => rendererOf[id](history))
  const owner = targets.find(ownsStdout)
  if (context.flags.json) printJson(context, history)
  else if (owner) for (const part of rendererOf[owner.id](history)) io.stdout.write(part)
  else await print(context, history)
  return exitAfter(io, failure, exit.ok)
}

async function print(context: Context, { runs, began }: History): Promise<void> {
  const rows = runs.map(({ file, verdict, judged, total, results, usage, cost }) => [
    ...[file, verdict, `${judged} of ${total}`, String(results.failed)],
    judged === 0 ? '' : percent(results.failed / judged),
    String(usage.tokens_in + usage.tokens_out),
    cost ? money(cost.currency, cost.spent) : '',
  ])
  const columns = [
    { title: 'RUN', least: 16 },
    'VERDICT',
    ...['JUDGED', 'FAILED', 'SHARE', 'TOKENS', 'COST'].map((title, at) => ({ title, drop: 5 - at })),
  ]
  await printRows(context, columns, rows)
  if (!context.io.stdout.isTTY) return
  for (const each of began) {
    const since = each.runs > 1 ? `in ${count(each.runs, 'run')}, since` : 'new in'
    context.io.stdout.write(`\n${inert(caseLabel(each))}: ${inert(each.finding)}\n  ${since} ${inert(each.since)}\n`)
  }
}
