import { ledgerFolder, readOnlyView } from '@svc/bulk'
import { invalidInput, refuseSharedIdentity, violationLines } from '@svc/input'
import { count } from '@svc/text'
import type { Command } from 'commander'
import { writeLines } from '../../errors/index.js'
import { type ExitCode, exit } from '../../exit.js'
import { refuseUnwritableFile, Spool } from '../../io/index.js'
import { jsonLine, printJsonLine, printRows, startProgress } from '../../output/index.js'
import { tsv, writeWarning } from '../../terminal/index.js'
import { type Action, examples, type SetAction } from '../action.js'
import { bytes, duration, shard, upTo } from '../arguments.js'
import { withGuard, withIdentity, withReading, withSessions } from '../flags.js'
import { createJob, isStream, type Job, type UploadFlags } from './job.js'
import {
  appearanceOf,
  bodiesOf,
  type Invalid,
  isDuplicate,
  isOurs,
  type PlanOptions,
  planUpload,
  type Ready,
  type UploadPlan,
} from './plan.js'
import { countOf, linesOf, type Rejected, rejectsOf, writeRejects } from './rejects.js'
import { changedLine, mostRows, plannedJson, reportChanged } from './result.js'
import { send } from './send.js'

export const upload: Action<[string[]], UploadFlags> = async (context, [paths], flags) => {
  const job = await createJob(context, paths, flags)
  if (flags.dryRun) return preview(job)
  if (isStream(paths)) return uploadStream(job)
  const plan = await planOf(job)
  const left = await reportPlan(job, plan)
  const [first] = plan.items
  return send(job, {
    items: bodiesOf(plan.items, job.again),
    total: plan.items.length,
    keys: new Set(plan.items.map(({ item }) => item.identity.key)),
    // The shape of what is printed hangs on what was named, and not on how much there is in it.
    alone: plan.items.length === 1 && left === 0 && first?.item.source.isFound === false && !job.shard,
    rest: () => ({ invalid: left, other_shards: plan.elsewhere }),
  })
}

/** Read everything, with a progress if it takes long. */
async function planOf({ context, flags, shard, conversations, readReport, shape }: Job, more: PlanOptions = {}) {
  const progress = await startProgress(context, 'reading', { afterMs: 500 })
  readReport.onRead = (done) => progress.update(() => ({ done }))
  const options = { shard, keepsInvalid: flags.rejects !== undefined, dedupe: flags.dedupe === true, ...more }
  return planUpload(conversations, shape, options).finally(progress.stop)
}

/** Report the problems of a plan, or refuse it. Returns the number of skipped transcripts. */
async function reportPlan(job: Job, plan: UploadPlan): Promise<number> {
  const { context, flags } = job
  const left = await skipInvalid(job, plan)
  refuseSharedIdentity(plan.planned + plan.invalid.length + plan.elsewhere, flags)
  job.reportNotes()
  reportDuplicates(job, plan.duplicates)
  for (const warning of await violationLines(plan.warnings)) writeWarning(context.io, warning)
  return left
}

function reportDuplicates({ context, flags }: Job, n: number): void {
  if (n === 0) return
  const what = `${count(n, 'transcript')} with the content of an earlier one of this run`
  context.say(flags.dedupe ? `${what} skipped` : `note: ${what}; --dedupe skips them`)
}

/** Refuse everything if a transcript is invalid, unless invalid ones are skipped. Returns their number. */
async function skipInvalid({ context, flags, readReport }: Job, { invalid }: UploadPlan): Promise<number> {
  const rejected = { unreadable: readReport.problems, invalid }
  const rejects = await rejectsOf(rejected)
  if (rejects.length > 0 && !flags.continueOnInvalid) throw invalidInput(linesOf(rejects), 'sent', readReport.hint)
  // Also where there are none: those of an earlier run are no longer true.
  if (flags.rejects !== undefined && !flags.dryRun) await writeRejects(context, flags.rejects, rejects)
  const left = countOf(rejected)
  if (left > 0) writeLines(context.io, `${count(left, 'transcript')} left out.`, linesOf(rejects), readReport.hint)
  return left
}

/** Prints what would be sent, once all of it is known to be valid. */
async function preview(job: Job): Promise<ExitCode> {
  const { context, target, shard, flags } = job
  const folder = ledgerFolder(context.io.env, flags.ledger)
  const { resolve, checkpoint } = context.io
  const { stateOf, changedFrom } = await readOnlyView(folder && resolve(folder), target, checkpoint)
  const { stdout } = context.io
  const printed = new Spool(context.io)
  let stored = 0
  let skipped = 0
  let isAlone = shard === undefined
  const changed: string[] = []
  const rows: string[][] = []
  try {
    const plan = await planOf(job, {
      async preview(item) {
        const known = flags.again ? undefined : stateOf(item.identity, appearanceOf(item))
        const id = known?.state === 'done' ? known.id : undefined
        const from = id === undefined ? changedFrom(item.identity, item.externalId) : undefined
        const isSkipped = from !== undefined && flags.skipChanged === true
        const result = id !== undefined ? 'already_uploaded' : isSkipped ? 'skipped_changed' : 'planned'
        if (item.number > 0 || item.source.isFound) isAlone = false
        if (id !== undefined) stored++
        if (isSkipped) skipped++
        if (from !== undefined) changed.push(changedLine(item, from))
        const row = [item.origin.name, String(item.turns), item.origin.path]
        if (context.flags.json)
          await printed.write(jsonLine(context, plannedJson(item, { result, id, changedFrom: from })))
        else if (result === 'planned' && stdout.isTTY) {
          if (flags.showAll || rows.length < mostRows) rows.push(row)
        } else if (result === 'planned') await printed.write(tsv([row]))
      },
    })
    const invalid = await reportPlan(job, plan)
    await printed.printTo(stdout)
    if (stdout.isTTY && !context.flags.json)
      await printRows(context, [{ title: 'NAME', least: 24 }, 'TURNS', { title: 'FROM', least: 16 }], rows)
    const where = `${target.project}${shard ? ` by shard ${shard.index + 1}/${shard.of}` : ''}`
    const already = stored > 0 ? `, ${stored} already stored` : ''
    const left = skipped > 0 ? `, ${skipped} changed since they were stored, skipped` : ''
    const grown = changed.length > skipped ? `, ${changed.length - skipped} of them changed since they were stored` : ''
    reportChanged(context, changed)
    const planned = plan.planned - stored - skipped
    if (stdout.isTTY && !context.flags.json && rows.length < planned)
      context.say(`${count(planned - rows.length, 'more transcript')}; --show-all prints a row for each`)
    if (context.flags.json && (!isAlone || invalid > 0)) {
      const sum = { planned, already_uploaded: stored, skipped_changed: skipped, changed: changed.length, invalid }
      const schema = 'svc/upload-plan@1'
      printJsonLine(context, { schema, project: target.project, ...sum, other_shards: plan.elsewhere })
    }
    context.say(
      `${count(planned, 'transcript')} would be uploaded to ${where}${grown}${already}${left}; nothing was sent`,
    )
  } finally {
    await printed.close()
  }
  context.io.signal.throwIfAborted()
  return exit.ok
}

/** The items of a stream that are not sent. */
interface Found {
  invalid: Invalid[]
  elsewhere: number
  duplicates: number
  /** True if the run was to stop before the end of the stream. */
  isCut: boolean
}

/**
 * Uploads standard input as it comes: each transcript is checked and sent, and none is after the first that is wrong,
 * unless invalid ones are skipped.
 */
export async function uploadStream(job: Job): Promise<ExitCode> {
  const { context, flags, readReport } = job
  const found: Found = { invalid: [], elsewhere: 0, duplicates: 0, isCut: false }
  // Before anything is sent it is known whether they can be written, and those of an earlier run are gone.
  if (flags.rejects !== undefined) {
    await refuseUnwritableFile(context.io, 'the rejects', flags.rejects)
    await writeRejects(context, flags.rejects, [])
  }
  const { items, isAlone, isEmpty } = await firstTwo(readyOf(job, found))
  const rejected = () => ({ unreadable: readReport.problems, invalid: found.invalid })
  const wrong = () => countOf(rejected())
  if (isEmpty && wrong() > 0) {
    const rejects = await rejectsOf(rejected())
    if (flags.rejects !== undefined) await writeRejects(context, flags.rejects, rejects)
    throw invalidInput(linesOf(rejects), 'sent', readReport.hint)
  }
  refuseSharedIdentity(isAlone && !job.shard ? 1 : 2, flags)
  const code = await send(job, {
    items,
    total: undefined,
    keys: undefined,
    alone: isAlone && wrong() === 0 && !job.shard,
    isCut: () => found.isCut,
    rest: () => ({
      invalid: wrong(),
      other_shards: found.elsewhere,
      ...(wrong() > 0 && !flags.continueOnInvalid && { not_sent: null }),
    }),
  })
  job.reportNotes()
  reportDuplicates(job, found.duplicates)
  if (wrong() > 0) await reportRejects(job, rejected())
  return wrong() > 0 && code === exit.ok ? exit.someFailed : code
}

/** Reported first: if the file cannot be written, nothing else names the rejects. */
async function reportRejects({ context, flags, readReport }: Job, rejected: Rejected): Promise<void> {
  const rejects = await rejectsOf(rejected)
  const left = `${count(countOf(rejected), 'transcript')} left out.`
  const what = flags.continueOnInvalid ? left : 'Nothing was sent after the first problem.'
  writeLines(context.io, what, linesOf(rejects), readReport.hint)
  if (flags.rejects === undefined) return
  await writeRejects(context, flags.rejects, rejects).catch((error: unknown) => {
    writeLines(context.io, (error as Error).message, [], undefined)
  })
}

async function* readyOf({ context, flags, conversations, shape, shard }: Job, found: Found) {
  try {
    for await (const conversation of conversations) {
      const { item, json, violations, warnings } = shape(conversation)
      for (const line of await violationLines(warnings)) writeWarning(context.io, line)
      if (violations.length > 0) {
        found.invalid.push({ item, violations, ...(flags.rejects !== undefined && { json }) })
        if (!flags.continueOnInvalid) return
      } else if (!isOurs(item, shard)) found.elsewhere++
      else if (isDuplicate(item) && ++found.duplicates && flags.dedupe) continue
      else yield { item, json }
    }
  } catch (error) {
    // When the run is to stop, the stream ends.
    if (!context.io.stop.aborted) throw error
    found.isCut = true
  }
}

/** Looks two items ahead, because a single item is reported differently. */
async function firstTwo(items: AsyncGenerator<Ready, void, undefined>) {
  const [first, second] = [await items.next(), await items.next()]
  async function* all() {
    try {
      if (!first.done) yield first.value
      if (!second.done) yield second.value
      yield* items
    } finally {
      await items.return()
    }
  }
  return { items: all(), isEmpty: first.done === true, isAlone: second.done === true }
}

export function uploadCommand(command: Command, setAction: SetAction): void {
  withGuard(
    withIdentity(
      withSessions(withReading(command)).option('--project <id>', 'project to upload to (default: SVC_PROJECT)'),
    ),
  )
    .option('-j, --concurrency <n>', 'number of concurrent uploads', upTo(64), 4)
    .option('--max-in-flight <size>', 'total size of concurrent uploads', bytes, 32_000_000)
    .option('--continue-on-invalid', 'upload the valid transcripts and skip the others')
    .option('--rejects <file>', 'write skipped transcripts and their problems to this file (JSON lines)')
    .option('--retry-rejects', 'upload the corrected lines of a file of --rejects')
    .option('--ledger <dir>', 'directory of the ledgers (default: uploads in the state directory)')
    .option('--again', 'also upload transcripts that the ledger has as stored')
    .option('--dedupe', 'skip transcripts with the same content as an earlier one of this run')
    .option('--skip-changed', 'skip transcripts whose external id is stored with other content')
    .option('--no-stamp', 'do not add the stamp that finds an upload after a lost response')
    .option('--settle <time>', 'how long the list of the service may lag behind an upload (default: 15s)', duration)
    .option('--shard <i/n>', 'upload only shard i of n', shard)
    .option('--show-all', `on a terminal, also print more than ${mostRows} rows`)
    .option('-n, --dry-run', 'check everything and print the plan without uploading')
    .addHelpText(
      'after',
      examples(
        'svc upload transcript.json --project hp-…',
        'svc upload conversations/ --no-process --metadata team=support',
        'svc upload conversations.jsonl --continue-on-invalid --rejects rejects.jsonl',
        'svc upload conversations/ --shard 1/4',
        'cat conversations.jsonl | svc upload - --json',
        'svc upload --source claude-code --from-date 7d --cwd .',
      ),
    )
  setAction(command, upload)
}
