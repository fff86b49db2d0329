import { type PlanOptions, planUploads } from '@svc/bulk'
import { readUploadStates } from '@svc/bulk/parts'
import { count } from '@svc/text'
import { type Command, Option } from 'commander'
import { withReadingSettings, withServiceSettings } from '../../config/index.js'
import type { Context } from '../../context.js'
import { exitCodeFor, reportError, writeLines } from '../../errors.js'
import { type ExitCode, exit } from '../../exit.js'
import {
  type Diagnostic,
  diagnosticLines,
  endedSessions,
  invalidInput,
  refuseSharedIdentity,
  violationLines,
} from '../../input/index.js'
import { refuseUnwritableFile, Spool } from '../../io/index.js'
import { jsonLine, printJsonLine, printRows, startProgress, tsv } from '../../output/index.js'
import { writeWarning } from '../../terminal.js'
import { type Action, examples, type SetAction, topicGroups } from '../action.js'
import { duration, shard, someOf, upTo } from '../arguments.js'
import { everyday, withGuard, withIdentity, withReading, withSessions } from '../flags.js'
import { ledgerOption } from '../ledger-folder.js'
import { hintFor, readInput, skipKinds, skips, type UploadFlags, type UploadInput } from './input.js'
import type { Invalid, Plan, Tag } from './item.js'
import { countOf, flawsOf, type Rejected, rejectsOf, writeRejects } from './rejects.js'
import { runUpload, stoppedAtProblem } from './run-upload.js'
import { changedLine, isAlike, mostRows, plannedJson, reportAlike, reportChanged } from './shown-result.js'

export const upload: Action<[string[]], UploadFlags> = async (context, [paths], given) => {
  const settings = await context.settings()
  const flags = withReadingSettings(context.io, withServiceSettings(given, settings), settings)
  return flags.follow ? follow(context, paths, flags) : uploadOnce(await readInput(context, paths, flags))
}

/** Upload sessions as they end, in rounds that each are a whole upload. A round that may succeed later is repeated. */
async function follow(context: Context, paths: readonly string[], flags: UploadFlags): Promise<ExitCode> {
  const { io, clock, say } = context
  const each = { ...flags, continueOnInvalid: true }
  for await (const { input, again } of endedSessions(io, paths, flags, { clock, say })) {
    const code = await readInput(context, [], each, input)
      .then(uploadOnce)
      .catch((error: unknown) => {
        reportError(io, error, exitCodeFor(error), { json: context.flags.json === true })
        return exitCodeFor(error)
      })
    if (code === exit.temporary || code === exit.unknownWrite) again()
    else if (code !== exit.ok && code !== exit.someFailed) return code
  }
  return exit.ok
}

async function uploadOnce(input: UploadInput): Promise<ExitCode> {
  const { flags } = input
  if (flags.dryRun) return preview(input)
  if (input.isStream) return uploadStream(input)
  const plan = await planOf(input)
  const invalid = await reportPlan(input, plan)
  const { other_shards } = plan
  // A conversation without one of its rows is not sent.
  const late = lateIn(input.readReport.problems)
  const wanted = plan.items.filter(({ item }) => !late.has(lateKey(item.path, item.externalId)))
  // A run that is stopped has skipped the duplicates: what is not sent are the others.
  const items = [...wanted.filter((each) => 'skipped' in each), ...wanted.filter((each) => !('skipped' in each))]
  const [first] = items
  return runUpload(input, {
    items: input.bodies(items),
    total: items.length,
    keys: new Set(items.flatMap((each) => ('skipped' in each ? [] : each.item.identity.key))),
    // The form of the output depends on what was named, and not on how much there is in it.
    isSingle: items.length === 1 && invalid === 0 && first?.item.tag.source.isFound === false && !input.shard,
    notTaken: () => ({ invalid, other_shards, skipped_files: input.readReport.filesWithout ?? 0 }),
  })
}

async function planOf(input: UploadInput, preview?: PlanOptions<Tag>['preview']): Promise<Plan> {
  const { context, flags, uploads } = input
  const progress = await startProgress(context, 'reading', { afterMs: 500 })
  async function* counted() {
    let done = 0
    for await (const upload of uploads) {
      done++
      progress.update(() => ({ done }))
      yield upload
    }
  }
  return planUploads(counted(), { keepsInvalid: flags.rejects !== undefined, preview }).finally(progress.stop)
}

/** Report the problems of a plan, or refuse it. Returns the number of skipped transcripts. */
async function reportPlan(input: UploadInput, plan: Plan): Promise<number> {
  const { context, flags } = input
  const invalid = await skipInvalid(input, plan)
  refuseSharedIdentity(plan.planned + plan.invalid.length + plan.other_shards, flags)
  input.reportNotes()
  for (const warning of await violationLines(plan.warnings)) writeWarning(context.io, warning)
  return invalid
}

/** Refuse everything if a transcript is invalid, unless invalid ones are skipped. Returns their number. */
async function skipInvalid(input: UploadInput, { invalid }: Plan): Promise<number> {
  const { context, flags, readReport } = input
  const rejected = { unreadable: readReport.problems, invalid }
  const rejects = await rejectsOf(rejected)
  const hint = hintFor(input, invalid)
  if (rejects.length > 0 && !flags.continueOnInvalid) {
    input.reportNotes()
    throw invalidInput(flawsOf(rejects), 'sent', hint, readReport.add)
  }
  // Also if there are none: those of an earlier run are no longer true.
  if (flags.rejects !== undefined) await writeRejects(context, { ...flags, rejects: flags.rejects }, rejects)
  const skipped = countOf(rejected)
  if (skipped > 0)
    writeLines(context.io, `${count(skipped, 'transcript')} left out.`, diagnosticLines(flawsOf(rejects)), hint)
  return skipped
}

async function preview(input: UploadInput): Promise<ExitCode> {
  const { context, target, shard, flags, folder } = input
  const { stdout, checkpoint, environment } = context.io
  const { stateOf, changedFrom } = await readUploadStates(folder, target, { ...environment, checkpoint, shard })
  const asRows = stdout.isTTY && !context.flags.json
  const printed = new Spool(context.io)
  const sum = { stored: 0, skipped: 0, repeated: 0, found: 0 }
  const changed: string[] = []
  const alike: string[] = []
  const rows: string[][] = []
  try {
    const plan = await planOf(input, async (item, skipped) => {
      if (skipped) {
        sum.repeated++
        if (context.flags.json) await printed.write(jsonLine(context, plannedJson(item, { result: skipped })))
        return
      }
      const entry = flags.again ? undefined : stateOf(item)
      const id = entry?.state === 'done' ? entry.id : undefined
      if (entry?.state === 'done' && isAlike(item, entry)) alike.push(item.label)
      const from = id === undefined ? changedFrom(item) : undefined
      const isSkipped = from !== undefined && skips(flags, 'changed')
      const result = id !== undefined ? 'already_uploaded' : isSkipped ? 'skipped_changed' : 'planned'
      if (item.index > 0 || item.tag.source.isFound) sum.found++
      if (id !== undefined) sum.stored++
      if (isSkipped) sum.skipped++
      if (from !== undefined) changed.push(changedLine(item, from))
      const row = [item.name, String(item.turns), item.path]
      if (context.flags.json)
        await printed.write(jsonLine(context, plannedJson(item, { result, id, changedFrom: from })))
      else if (result === 'planned' && asRows) {
        if (flags.showAll || rows.length < mostRows) rows.push(row)
      } else if (result === 'planned') await printed.write(tsv([row]))
    })
    const invalid = await reportPlan(input, plan)
    await printed.printTo(stdout)
    if (asRows) await printRows(context, [{ title: 'NAME', least: 24 }, 'TURNS', { title: 'FROM', least: 16 }], rows)
    reportChanged(context, changed)
    reportAlike(context, alike)
    const planned = plan.planned - sum.stored - sum.skipped
    if (asRows && rows.length < planned)
      context.say(`${count(planned - rows.length, 'more transcript')}; --show-all prints a row for each`)
    if (context.flags.json && (sum.found > 0 || shard !== undefined || invalid > 0)) {
      const { stored: already_uploaded, skipped: skipped_changed } = sum
      const skipped = { skipped_duplicate: sum.repeated, skipped_changed, changed: changed.length }
      const skipped_files = input.readReport.filesWithout ?? 0
      const counts = { planned, already_uploaded, ...skipped, invalid, skipped_files }
      const schema = 'svc/upload-plan@1'
      printJsonLine(context, { schema, project: target.project, ...counts, other_shards: plan.other_shards })
    }
    const where = `${target.project}${shard ? ` by shard ${shard.index + 1}/${shard.of}` : ''}`
    const grown = changed.length - sum.skipped
    const parts = [
      `${count(planned, 'transcript')} would be uploaded to ${where}`,
      ...(grown > 0 ? [`${grown} of them changed since they were stored`] : []),
      ...(sum.stored > 0 ? [`${sum.stored} already stored`] : []),
      ...(sum.skipped > 0 ? [`${sum.skipped} changed since they were stored, skipped`] : []),
      ...(plan.other_shards > 0 ? [`${plan.other_shards} for other shards`] : []),
    ]
    context.say(`${parts.join(', ')}; nothing was sent`)
  } finally {
    await printed.close()
  }
  context.io.signal.throwIfAborted()
  return exit.ok
}

/** Upload standard input as it comes. Stops at the first invalid transcript, unless invalid ones are skipped. */
async function uploadStream(input: UploadInput): Promise<ExitCode> {
  const { context, flags, readReport, shard } = input
  const skippedInvalid: Invalid[] = []
  // Checked before anything is sent; it also empties the rejects of an earlier run.
  if (flags.rejects !== undefined) {
    await refuseUnwritableFile(context.io, 'the rejects', flags.rejects)
    await writeRejects(context, { ...flags, rejects: flags.rejects }, [])
  }
  // A single item is reported differently.
  const { items, isAlone, isEmpty } = await lookAhead(itemsOf(input, skippedInvalid))
  const rejected = () => ({ unreadable: readReport.problems, invalid: skippedInvalid })
  const invalid = () => countOf(rejected())
  if (isEmpty && invalid() > 0) {
    const rejects = await rejectsOf(rejected())
    if (flags.rejects !== undefined) await writeRejects(context, { ...flags, rejects: flags.rejects }, rejects)
    throw invalidInput(flawsOf(rejects), 'sent', hintFor(input, skippedInvalid), readReport.add)
  }
  refuseSharedIdentity(isAlone && !shard ? 1 : 2, flags)
  async function* untilProblem() {
    yield* items
    if (invalid() > 0 && !flags.continueOnInvalid) throw stoppedAtProblem
  }
  const code = await runUpload(input, {
    items: untilProblem(),
    total: undefined,
    keys: undefined,
    isSingle: isAlone && invalid() === 0 && !shard,
    notTaken: () => ({ invalid: invalid(), skipped_files: 0 }),
  })
  input.reportNotes()
  if (invalid() > 0)
    await reportRejects(input, { ...rejected(), unreadable: await withStoredIds(input, readReport.problems) })
  return invalid() > 0 && code === exit.ok ? exit.someFailed : code
}

/** The same items, of which two are awaited to know whether there is none or only one. */
async function lookAhead<T>(items: AsyncGenerator<T, void, undefined>) {
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

const lateKey = (path: string, id: string | undefined): string => `${path}\n${id}`

/** The conversations that were given before a row of them came. */
const lateIn = (problems: readonly Diagnostic[]): ReadonlySet<string> =>
  new Set(
    problems.flatMap(({ path, conversations }) =>
      conversations?.isGiven ? conversations.ids.map((id) => lateKey(path, id)) : [],
    ),
  )

/** Add the id under which a conversation is stored that was sent before a row of it came. */
async function withStoredIds(
  { context, folder, target, shard }: UploadInput,
  problems: readonly Diagnostic[],
): Promise<readonly Diagnostic[]> {
  if (lateIn(problems).size === 0) return problems
  const { environment, checkpoint } = context.io
  const { storedAs } = await readUploadStates(folder, target, { ...environment, checkpoint, shard })
  return problems.map((problem) => {
    const { message, conversations } = problem
    const id = conversations?.isGiven ? storedAs(conversations.ids[0] ?? '') : undefined
    return id === undefined ? problem : { ...problem, message: `${message}; it is stored as ${id}, without this row` }
  })
}

/** Reported first: if the file cannot be written, nothing else names the rejects. */
async function reportRejects(input: UploadInput, rejected: Rejected): Promise<void> {
  const { context, flags } = input
  const rejects = await rejectsOf(rejected)
  const skipped = `${count(countOf(rejected), 'transcript')} left out.`
  const what = flags.continueOnInvalid ? skipped : 'Nothing was sent after the first problem.'
  writeLines(context.io, what, diagnosticLines(flawsOf(rejects)), hintFor(input, rejected.invalid))
  if (flags.rejects === undefined) return
  await writeRejects(context, { ...flags, rejects: flags.rejects }, rejects).catch((error: unknown) => {
    writeLines(context.io, (error as Error).message, [], undefined)
  })
}

async function* itemsOf({ context, flags, uploads }: UploadInput, skippedInvalid: Invalid[]) {
  const { stop } = context.io
  try {
    for await (const prepared of uploads) {
      const { item, json, decision, violations, warnings } = prepared
      for (const line of await violationLines(warnings)) writeWarning(context.io, line)
      if (decision !== 'invalid') yield prepared
      else {
        skippedInvalid.push({ item, violations, ...(flags.rejects !== undefined && { json }) })
        if (!flags.continueOnInvalid) return
      }
    }
  } catch (error) {
    // A stream that ends because the run is to stop is reported as that.
    throw stop.aborted ? stop.reason : error
  }
}

export function uploadCommand(command: Command, setAction: SetAction): void {
  command
    .option('--project <id>', 'project to upload to (default: SVC_PROJECT)')
    .option('-n, --dry-run', 'check everything and print the plan without uploading')
    .option('--show-all', `on a terminal, also print more than ${mostRows} rows`)
  withReading(command)
  withSessions(command)
    .addOption(
      new Option('--follow', 'upload the sessions as they end, until stopped').conflicts([
        'dryRun',
        'rejects',
        'retryRejects',
      ]),
    )
    .option('--ended-after <time>', 'a session has ended if it is unchanged for this time (default: 10m)', duration)
  withIdentity(command)
  withGuard(command)
    .addOption(everyday('--continue-on-invalid', 'upload the valid transcripts and skip the others'))
    .addOption(everyday('--rejects <file>', 'write skipped transcripts and their problems here (JSON lines)'))
    .addOption(everyday('--retry-rejects', 'upload the corrected lines of a file of --rejects'))
    .optionsGroup(topicGroups.resuming)
    .addOption(ledgerOption())
    .addOption(
      new Option(
        '--skip <kinds>',
        'which transcripts to skip: stored (default), repeated (same turns and external id as an earlier one of this run), changed (external id stored with other content)',
      )
        .choices(skipKinds)
        .argParser(someOf(skipKinds)),
    )
    .option('--again', 'upload everything, also what is stored or may be stored')
    .option('--no-stamp', 'do not add the stamp that finds an upload after a lost response')
    .option('--list-lag <time>', 'how long the list of the service may lag behind an upload (default: 15s)', duration)
    .option('--lease <time>', 'a run that gives no sign of life for so long may be replaced (default: 60s)', duration)
    .optionsGroup(topicGroups.sharding)
    .option('-j, --concurrency <n>', 'number of concurrent requests', upTo(64), 4)
    .option('--shard <i/n>', 'take only shard i of n', shard)
    .addHelpText(
      'after',
      examples(
        'svc upload transcript.json --project hp-…',
        'svc upload conversations/ --no-process --metadata team=support',
        'svc upload conversations.jsonl --continue-on-invalid --rejects rejects.jsonl',
        'svc upload conversations/ --shard 1/4',
        'cat conversations.jsonl | svc upload - --json',
        'svc upload --sessions claude-code --from-date 7d --cwd .',
      ),
    )
  setAction(command, upload)
}
