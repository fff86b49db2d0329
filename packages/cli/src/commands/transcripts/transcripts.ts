import { untimedNote } from '@svc/checks'
import { cut, escapeLine } from '@svc/text'
import type { Command } from 'commander'
import type { Context } from '../../context.js'
import { cell, documentOf, printJson, printRecord, tsv } from '../../output/index.js'
import { explainMissingProject, requireProject } from '../../project.js'
import { type FilterFlags, filtersOf } from '../../stored.js'
import { type Action, examples, type SetAction } from '../action.js'
import { upTo } from '../arguments.js'
import { type PageFlags, withFilters, withPaging } from '../flags.js'
import { showList } from '../paging.js'
import { pull } from './pull.js'
import { readTranscript } from './read.js'
import { briefly, maxValue, type ShownTurn, viewOf } from './view.js'

interface ListFlags extends PageFlags, FilterFlags {}

export const listTranscripts: Action<[], ListFlags> = async (context, _, flags) => {
  const project = await requireProject(context, flags.project)
  const client = await context.client()
  const { transcripts } = client
  const filters = filtersOf(flags, context.now())
  const code = await showList(context, flags, {
    schema: 'svc/transcripts@1',
    page: (paging) => transcripts.list(project, { ...filters, ...paging }, context.call()),
    noun: 'transcript',
    columns: [
      'ID',
      { title: 'NAME', least: 24 },
      { title: 'TURNS', drop: 1 },
      { title: 'STATUS', drop: 3 },
      { title: 'CREATED', drop: 2, isTime: true },
    ],
    row: ({ id, name, turn_count, processing_status, created_at }) =>
      [id, name, turn_count, processing_status, created_at].map(cell),
    explain: (error) => explainMissingProject(context, error, project),
  })
  const note = await untimedNote(client, project, filters, { call: () => context.call() })
  if (note !== undefined) context.say(`note: ${note}`)
  return code
}

export const getTranscript: Action<[string], object> = async (context, [transcriptId]) => {
  const transcript = await (await context.client()).transcripts.get(transcriptId, context.call())
  if (context.flags.json) printJson(context, documentOf('svc/transcript@1', transcript))
  else {
    const { turns, notice } = viewOf(transcript)
    printRecord(context, transcript, ['turns'], maxValue)
    printTurns(context, turns)
    if (notice) context.say(`note: ${notice}`)
  }
}

/** Turns with their 1-indexed numbers, as signals name them, and below each its other fields. */
function printTurns({ io, style }: Context, turns: readonly ShownTurn[]): void {
  const width = String(turns.length).length
  const room = io.stdout.isTTY ? Math.max(20, io.stdout.columns - width - 15) : Infinity
  for (const [i, { role, content, more }] of turns.entries()) {
    const text = cut(escapeLine(content), room)
    if (io.stdout.isTTY)
      io.stdout.write(`${String(i + 1).padStart(width)}  ${style.out('cyan', escapeLine(role).padEnd(11))}  ${text}\n`)
    else io.stdout.write(`turn\t${i + 1}\t${escapeLine(role)}\t${text}\n`)
    for (const [name, value] of more)
      io.stdout.write(
        io.stdout.isTTY
          ? `${' '.repeat(width)}  ${style.out('dim', escapeLine(name))} ${escapeLine(briefly(value))}\n`
          : tsv([[`turn.${name}`, String(i + 1), value]]),
      )
  }
}

export function transcriptsCommand(transcripts: Command, setAction: SetAction): void {
  const list = withFilters(
    withPaging(transcripts.command('list').description('List the transcripts of a project')),
  ).addHelpText(
    'after',
    examples(
      'svc transcripts list --q refund',
      'svc transcripts list --from-date 2026-01-01 --all --json',
      'svc transcripts list --max-items 250',
    ),
  )
  setAction(list, listTranscripts)

  const toFolder = withFilters(
    transcripts
      .command('pull')
      .description('Write stored transcripts to the files of a folder, which svc upload and svc check read')
      .requiredOption('--to <dir>', 'a new folder, or that of an earlier pull'),
  )
    .option('-j, --concurrency <n>', 'number of concurrent requests', upTo(64), 4)
    .addHelpText(
      'after',
      examples(
        'svc transcripts pull --to stored',
        'svc transcripts pull --to week --from-date 7d --model-name model-a',
      ),
    )
  setAction(toFolder, pull)

  const get = transcripts
    .command('get <transcriptId>')
    .description('Print all fields of one transcript, and each turn on one line')
    .addHelpText('after', examples('svc transcripts get tr_…', 'svc transcripts get tr_… --json'))
  setAction(get, getTranscript)

  const read = transcripts
    .command('read <transcriptId>')
    .description('Read one transcript: the whole text in a pager, annotations below their turns')
    .option('--web', 'open it as a page in the browser that BROWSER names, or else that of the system')
    .addHelpText('after', examples('svc transcripts read tr_…', 'svc transcripts read tr_… --web'))
  setAction(read, readTranscript)
}
