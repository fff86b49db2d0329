import {
  type History,
  type HistoryForm,
  historyForms,
  historyOf,
  hitText,
  moneyText,
  type NamedReport,
  numberText,
  readReport,
  renderHistory,
  sumOf,
} from '@svc/checks'
import { count, escapeLine, percent } from '@svc/text'
import type { Context } from '../../context.js'
import { printRows } from '../../output/index.js'
import { deliverDocument, type FileTarget, placesOf, refuseShared, refuseUnwritable } from '../../reports.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { formTargets } from '../flags.js'
import { readPlaces, reportFiles } from './files.js'

export function historyCommand(report: Command, setAction: SetAction): void {
  const command = report
    .command('history <path...>')
    .description('Show the figures of many runs, and the run in which each finding began')
    .option(
      '--report <format=file>',
      `write the history as ${historyForms.join(' or ')} to a file or - (stdout); repeatable`,
      formTargets(historyForms),
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

const showHistory: Action<[string[]], { report?: readonly FileTarget<HistoryForm>[] }> = async (
  context,
  [paths],
  { report: targets = [] },
) => {
  const { io } = context
  await refuseShared(context, targets, readPlaces(paths))
  await refuseUnwritable(context, targets)
  const written = placesOf(targets).map(({ path }) => path)
  const files = await reportFiles(io, paths, written)
  const reports: NamedReport[] = []
  for (const from of files) reports.push({ from, report: await readReport(io, from, { mayHaveEnded: true }) })
  const history = historyOf(reports)
  const partsOf = (form: HistoryForm) => renderHistory(history, form)
  return deliverDocument(context, history, targets, partsOf, () => print(context, history))
}

async function print(context: Context, { runs, began }: History): Promise<void> {
  const rows = runs.map(({ file, verdict, judged, total, results, usage, cost }) => [
    file,
    verdict,
    `${judged} of ${total}`,
    String(results.failed),
    judged === 0 ? '' : percent(results.failed / judged),
    numberText(sumOf(usage.tokens_in, usage.tokens_out)),
    cost ? moneyText(cost.currency, cost.spent) : '',
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
    context.io.stdout.write(
      `\n${hitText(each, escapeLine)}: ${escapeLine(each.finding)}\n  ${since} ${escapeLine(each.since)}\n`,
    )
  }
}
