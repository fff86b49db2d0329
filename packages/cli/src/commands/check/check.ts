import { join } from 'node:path'
import {
  type Against,
  type Baseline,
  type Cache,
  CheckError,
  type CheckPlan,
  looksLikePolicy,
  nodeDisk,
  openCache,
  planCheck,
  readBaseline,
  readLabels,
  readReport,
} from '@svc/checks'
import { count, escapeLine } from '@svc/text'
import type { Command } from 'commander'
import { inputsOf, type PlannedAnnotation, planRequests, readInput, reportInput } from '../../annotation-requests.js'
import { cacheFolderOf, userFileOf } from '../../config/index.js'
import type { Context } from '../../context.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import {
  findInput,
  type Input,
  type ListedFiles,
  notedLines,
  type Reading,
  sha256,
  skippedLines,
  type Unread,
  type WritePlace,
} from '../../input/index.js'
import { nameOf, refuseUnwritableFile } from '../../io/index.js'
import { deliver, exitAfter, goesToFile, refuseShared, refuseUnwritable, type Target } from '../../reports.js'
import { noFiles, readStored, type StoredReading } from '../../stored.js'
import { writeWarning } from '../../terminal.js'
import { type Action, examples, type SetAction } from '../action.js'
import { withAnnotator, withStored } from '../flags.js'
import { ask } from './ask.js'
import { reportDryRun } from './dry-run.js'
import { baselineWriter, finish, type RunSoFar, reportEnd } from './finish.js'
import { type CheckFlags, withCheck, withPolicy } from './flags.js'
import { type Setup, setUp } from './setup.js'

/** A step of the check. If it fails, the reports say why, with what is known until then. */
type Step = <Value>(run: RunSoFar, work: () => Value | Promise<Value>) => Promise<Value>

/**
 * Check transcripts. All input is checked before the first request, because annotations are paid for. However the check
 * ends, unless it would write over another file, each report is written: with its verdict, or with the reason that there is none.
 */
export const check: Action<[string[]], CheckFlags> = async (context, [paths], flags) => {
  const reports = flags.report ?? []
  const step: Step = (run, work) =>
    (async () => work())().catch(async (error: unknown) => {
      if (!flags.dryRun) await reportEnd(context, flags, run, error)
      throw error
    })
  await refuseShared(context, reports, readPlaces(flags))
  const setup = await step({ paths }, () =>
    setUp(context, paths, flags, async () => {
      if (flags.dryRun) return
      // Code can kill the process, and an earlier report would stand for this run.
      const files = { ...flags, report: reports.filter(goesToFile) }
      const error = new CliError(exit.notJudged, 'The run ended while code of the policy or an importer could run.')
      await reportEnd({ ...context, say: () => {} }, files, { paths }, error)
    }),
  )
  try {
    return await checkWith(context, paths, flags, { reports, setup, step })
  } finally {
    if (!(await setup.close())) context.io.endHard()
  }
}

async function checkWith(
  context: Context,
  paths: readonly string[],
  flags: CheckFlags,
  { reports, setup, step }: { reports: readonly Target[]; setup: Setup; step: Step },
): Promise<ExitCode> {
  const { io } = context
  const { project } = setup
  const input = await step({ paths, setup }, async () =>
    project !== undefined
      ? noFiles
      : findInput(io, setup.paths, {
          exclude: setup.exclude,
          excludeInSettings: setup.excludeInSettings,
          followLinks: flags.followLinks === true,
          keepsGaps: true,
          whenEmpty: 'missing_input',
          mayBeEmpty: flags.allowEmpty === true,
          listed: await readList(io, flags),
          isPolicy: looksLikePolicy,
          ownFiles: [...setup.policies],
        }),
  )
  const cachePath = cachePathOf(io.env, flags)
  await refuseShared(context, reports, placesOf(context, flags, setup, cachePath), input.candidates)
  await step({ paths, setup, input }, () => refuseUnwritable(context, reports))
  const begun = { paths, setup, input, mayReplace: true }
  const baseline = await step(begun, () => {
    if (input.failure) throw input.failure
    return baselineOf(context, setup)
  })
  const against = await step(begun, () => againstOf(io, setup))
  const labels = flags.labels
  const labelled = await step(begun, () => (labels === undefined ? undefined : readLabels(labels, io)))
  for (const note of setup.notes) context.say(`note: ${escapeLine(note)}`)
  const { cache, notes: cacheNotes } = await step(begun, () => cacheOf(context, flags, cachePath))
  const notes = [...setup.notes, ...cacheNotes]
  try {
    const { reading, list } = await step({ ...begun, notes }, () => read(context, input, flags, setup))
    const { unread = [], hint } = reading
    if (hint !== undefined) context.say(`hint: ${hint}`)
    const inputRead = { ...begun, notes: [...notes, ...notedLines(input.skipped)], unread }
    const { annotator, preset, concurrency } = setup
    const requests = await step(inputRead, () => planRequests(context, reading, { ...flags, annotator, preset }))
    const plan = await step(inputRead, () => {
      if (requests.length + unread.length === 0 && !flags.allowEmpty) {
        const hint = 'add files or folders with transcripts'
        throw new CliError(exit.usage, 'Missing transcripts.', { details: skippedLines(input.skipped), hint })
      }
      return planOf(context, flags, setup, { requests, unread, list, baseline, against })
    })
    const planned = { ...inputRead, plan }
    await step(planned, () => refuseEmptySelection(plan))
    const redacted = reportInput(context, chosenOf(requests, plan), reading.notes)
    if (flags.dryRun)
      return await reportDryRun(context, chosenOf(requests, plan), plan, { cache, allowEmpty: flags.allowEmpty })
    const answers = await step(planned, () => ask(context, requests, plan, { cache, concurrency }))
    const asked = { ...planned, answers }
    const { report, baselineFailure } = await step(asked, async () => {
      if (answers.failure) throw answers.failure.error
      const finished = await finish(context, { ...asked, requests, redacted, labels: labelled })
      // The run was to stop before the baseline was written.
      if (finished.baselineFailure !== undefined && io.stop.aborted) throw finished.baselineFailure
      return finished
    })
    return exitAfter(io, baselineFailure, await deliver(context, report, setup.delivery))
  } finally {
    const problem = cache?.close()
    if (problem !== undefined) writeWarning(io, problem)
  }
}

/** Read the files of the input, or the stored transcripts of a project. */
async function read(
  context: Context,
  input: Input,
  flags: CheckFlags,
  { project, reading, readingFile }: Setup,
): Promise<{ reading: Reading; list?: StoredReading['list'] }> {
  if (project === undefined)
    return { reading: await readInput(context, input, { ...flags, reading, readingFile, hash: sha256 }, []) }
  const { allowEmpty, sample, seed } = flags
  return readStored(context, project, flags, { allowEmpty, sample, seed })
}

/** The list of `--files-from`; undefined without one. */
async function readList(io: Context['io'], flags: CheckFlags): Promise<ListedFiles | undefined> {
  const { filesFrom: from, allowMissing: mayBeMissing = false } = flags
  if (from === undefined) return undefined
  const bytes = await (from === '-' ? io.readStdin() : io.readFile(from)).catch((cause: NodeJS.ErrnoException) => {
    io.stop.throwIfAborted()
    throw new CliError(exit.input, `--files-from ${from}: the list cannot be read (${cause.code}).`, { cause })
  })
  return { from: `--files-from ${from}`, paths: pathsInList(Buffer.from(bytes)), mayBeMissing }
}

const escapes: Record<string, string> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }

/** The paths in a list, each ended by NUL, or one a line. Git quotes names with special characters, as C does. */
function pathsInList(bytes: Buffer): string[] {
  const text = bytes.toString('latin1')
  const isLines = !text.includes('\0')
  const unquoted = (line: string) =>
    line.replace(/^"(.*)"$/, (_, quoted: string) =>
      quoted.replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
        code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (escapes[code] ?? code),
      ),
    )
  const names = isLines ? text.split(/\r?\n/).map(unquoted) : text.split('\0')
  return names.filter(Boolean).map((name) => nameOf(Buffer.from(name, 'latin1')))
}

/** The files of flags that a check reads. */
const readPlaces = ({ options, filesFrom, policy, onlyFailed, labels }: CheckFlags): WritePlace[] =>
  placesIn([
    { what: '--options', path: options, isRead: true },
    { what: '--files-from', path: filesFrom === '-' ? undefined : filesFrom, isRead: true },
    { what: 'the policy', path: policy || undefined, isRead: true },
    { what: 'the report of --only-failed', path: onlyFailed, isRead: true },
    { what: 'the labels', path: labels, isRead: true },
  ])

/** The files that a check reads and writes for itself, beside its reports. */
function placesOf(
  { io, flags: { config = userFileOf(io.env) } }: Context,
  flags: CheckFlags,
  { policyFiles, baseline, against, delivery }: Setup,
  cache: string | undefined,
): WritePlace[] {
  const isOnGitHub = delivery.report?.some(({ id }) => id === 'github') === true
  const summary = isOnGitHub ? io.env.GITHUB_STEP_SUMMARY : undefined
  return placesIn([
    ...readPlaces(flags),
    { what: 'the file of settings', path: config, isRead: true },
    ...policyFiles.map((path) => ({ what: 'the policy', path, isRead: true })),
    { what: 'the baseline', path: baseline?.path, isRead: baseline?.update === false },
    { what: 'the report of --against', path: against?.path === '-' ? undefined : against?.path, isRead: true },
    { what: 'the cache', path: cache },
    { what: 'GITHUB_STEP_SUMMARY', path: summary || undefined },
  ])
}

const placesIn = (places: readonly { what: string; path: string | undefined; isRead?: boolean }[]): WritePlace[] =>
  places.flatMap(({ path, ...place }) => (path === undefined ? [] : [{ ...place, path }]))

/** The baseline that the check is held to, or that it updates. */
async function baselineOf({ io }: Context, { baseline }: Setup): Promise<Baseline | undefined> {
  if (!baseline) return undefined
  const { path, update } = baseline
  const existing = await readBaseline(path, io)
  if (update) await refuseUnwritableFile(io, 'the baseline', path)
  if (existing || update) return existing
  throw new CliError(exit.input, `${path}: no such baseline.`, {
    hint: 'correct the path, in --baseline or the policy; or write the file with --update-baseline, and review what it accepts',
  })
}

/** The report that the check is compared with; without its content if it is missing and may be. */
async function againstOf(io: Context['io'], { against }: Setup): Promise<Against | undefined> {
  if (!against) return undefined
  const { path, mayBeMissing } = against
  if (mayBeMissing && path !== '-' && !io.isThere(path)) return { from: path }
  return { from: path, report: await readReport(io, path) }
}

function cachePathOf(env: Context['io']['env'], { cache }: CheckFlags): string | undefined {
  if (cache !== undefined) return cache === false ? undefined : cache
  const folder = cacheFolderOf(env)
  return folder === undefined ? undefined : join(folder, 'annotations')
}

/** The cache, and the note of one that cannot be used. */
async function cacheOf(
  { io, flags, say, now }: Context,
  { cache, cacheSize: maxBytes }: CheckFlags,
  path: string | undefined,
): Promise<{ cache: Cache | undefined; notes: string[] }> {
  if (path === undefined) {
    if (cache !== false && flags.verbose)
      say('note: annotations are not cached: there is no home folder; set SVC_CACHE_DIR')
    return { cache: undefined, notes: [] }
  }
  const { cacheDisk = nodeDisk, environment } = io
  const disk = { ...cacheDisk, place: async (folder: string) => (await io.writeTarget(folder)).place }
  try {
    return { cache: await openCache(path, { disk, now, maxBytes, randomId: environment?.randomId }), notes: [] }
  } catch (error) {
    if (!(error instanceof CheckError)) throw error
    writeWarning(io, error.message)
    return { cache: undefined, notes: [error.message] }
  }
}

function planOf(
  context: Context,
  flags: CheckFlags,
  { file, paths, selection, shard, baseline: named }: Setup,
  input: {
    requests: readonly PlannedAnnotation[]
    unread: readonly Unread[]
    list: StoredReading['list'] | undefined
    baseline: Baseline | undefined
    against: Against | undefined
  },
): Promise<CheckPlan> {
  const { io } = context
  const { annotator, attempts, confirmOnFail } = flags
  return planCheck({
    transcripts: Object.assign(inputsOf(input.requests, input.unread), input.list && { list: input.list }),
    ...{ policy: file, annotator, attempts, confirmOnFail, options: input.requests[0]?.body.options },
    ...{ select: selection, shard, paths, baseline: input.baseline, baselinePath: named?.path },
    ...{ against: input.against, control: flags.control },
    updateBaseline: named?.update ? baselineWriter(context, named.path, flags) : undefined,
    accept: flags.accept,
    ...{ clock: io.clock, files: io, pause: io.checkpoint },
  })
}

/** The requests for the transcripts of a plan. */
const chosenOf = (requests: readonly PlannedAnnotation[], { cases }: CheckPlan): PlannedAnnotation[] =>
  cases.flatMap(({ index }) => requests[index] ?? [])

function refuseEmptySelection({ counts: { found, selected } }: CheckPlan): void {
  if (found === 0 || selected > 0) return
  const hint = 'check the values of --where and the report of --only-failed'
  throw new CliError(exit.usage, `None of ${count(found, 'transcript')} is selected.`, { hint })
}

export function checkCommand(command: Command, setAction: SetAction): void {
  withCheck(withPolicy(withStored(withAnnotator(command, 'flag or policy')))).addHelpText(
    'after',
    `
Outcomes from best to worst: strong, mixed, poor, critical; indeterminate counts as not judged.

Exit codes: 0 passed, 100 failed, 101 could not judge, 75 could not judge now, run again
${examples(
  'svc check transcripts/ --annotator structural',
  'svc check conversations.jsonl --annotator patterns --fail-on critical --json',
  'svc check transcripts/ --annotator structural --report html=report.html',
  'svc check --policy svc.checks.json --baseline base.json --update-baseline',
  'svc check transcripts/ --annotator structural --against main.json',
  'svc check transcripts/ --annotator patterns --max-rate poor=50%',
  'svc check --stored --annotator structural --from-date 7d --q refund',
)}`,
  )
  setAction(command, check)
}
