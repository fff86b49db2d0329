import { join } from 'node:path'
import { type Cache, openCache, readBaseline, refuseUnwritableBaseline, select, selectsUnread } from '@svc/checks'
import { findInput, type Input, skippedLines, type WritePlace } from '@svc/input'
import { count } from '@svc/text'
import type { Command } from 'commander'
import { prepare, reportInput } from '../../annotate/index.js'
import { cacheFolderOf, userFileOf } from '../../config/index.js'
import type { Context } from '../../context.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import { deliver, exitAfter, refuseShared, refuseUnwritable } from '../../reports/index.js'
import { writeWarning } from '../../terminal/index.js'
import { type Action, examples, type SetAction } from '../action.js'
import { withAnnotator } from '../flags.js'
import { askAbout } from './ask.js'
import { reportDryRun } from './dry-run.js'
import { circumstancesOf, finish, type Run, reportEnd } from './finish.js'
import { type CheckFlags, withCheck, withPolicy } from './flags.js'
import { casesOf, type PlannedCases, type Setup, setUp } from './setup.js'

/** Checks transcripts. However it ends, unless it is refused, each report is written: with what it came to, or with why it did not. */
export const check: Action<[string[]], CheckFlags> = async (context, [paths], flags) => {
  await refuseShared(context, flags.report ?? [])
  const run: Run = { stage: 'set up', paths, unread: [], notes: [], sent: { count: 0 } }
  try {
    return await judgeAll(context, flags, run)
  } catch (error) {
    if (run.stage !== 'refused' && run.stage !== 'reported' && !flags.dryRun)
      await reportEnd(context, flags, run, error)
    throw error
  }
}

/** All input is checked before the first request, because annotations are paid for. */
async function judgeAll(context: Context, flags: CheckFlags, run: Run): Promise<ExitCode | undefined> {
  const { io } = context
  const setup = await setUp(context, run.paths, flags)
  run.setup = setup
  const { annotator, preset } = setup
  const cachedAt = flags.cache === false ? undefined : (flags.cache ?? cachePath(io.env))
  const reports = setup.delivery.report ?? []
  const input = await findInput(io, setup.paths, {
    exclude: setup.exclude,
    followLinks: flags.followLinks === true,
    keepsGaps: true,
    whenEmpty: 'missing_input',
    own: setup.policyFile === undefined ? [] : [setup.policyFile],
  })
  run.leftOut = input.skipped
  run.stage = 'refused'
  await refuseShared(context, reports, placesOf(context, flags, setup, cachedAt), input.candidates)
  run.stage = 'set up'
  await refuseUnwritable(context, reports)
  run.stage = 'begun'
  if (input.failure) throw input.failure
  const baseline =
    setup.baseline && (await readBaseline(io, setup.baseline.path, { annotator, update: setup.baseline.update }))
  if (setup.baseline?.update) await refuseUnwritableBaseline(io, setup.baseline.path)
  const warn = (text: string) => {
    run.notes.push(text)
    writeWarning(io, text)
  }
  const cache = await cacheOf(context, flags, cachedAt, warn)
  try {
    const { requests, notes: ofInput } = await prepare(context, input, { ...flags, annotator, preset }, run.unread)
    if (requests.length + run.unread.length === 0) throw nothingToCheck(input)
    const planned = selectCases(await casesOf(io, requests, setup, baseline), setup, run)
    run.planned = planned
    const selected = new Set(planned.cases.map(({ question }) => question.index))
    const redacted = reportInput(
      context,
      requests.filter(({ index }) => selected.has(index)),
      ofInput,
    )
    if (flags.dryRun) return await reportDryRun(context, planned.cases, run, setup, cache)
    const answers = await askAbout(context, planned, setup, { baseline, cache, warn, sent: run.sent })
    const circumstances = await circumstancesOf(context, run)
    const { unread, notes } = run
    const checked = { ...planned, ...answers, unread, input, setup, baseline, redacted, circumstances, notes }
    const { report, failure } = await finish(context, checked)
    run.stage = 'reported'
    return exitAfter(io, failure, await deliver(context, report, setup.delivery))
  } finally {
    cache?.close()
  }
}

/** The files that a check reads and writes for itself, beside its reports. */
function placesOf(
  { io, flags: { config = userFileOf(io.env) } }: Context,
  { options }: CheckFlags,
  { policyFile, baseline, selection, delivery }: Setup,
  cache: string | undefined,
): WritePlace[] {
  const isOnGitHub = delivery.report?.some(({ id }) => id === 'github') === true
  const summary = isOnGitHub ? io.env.GITHUB_STEP_SUMMARY : undefined
  return [
    ...(config === undefined ? [] : [{ what: 'the file of settings', path: config, isRead: true }]),
    ...(options === undefined ? [] : [{ what: '--options', path: options, isRead: true }]),
    ...(policyFile === undefined ? [] : [{ what: 'the policy', path: policyFile, isRead: true }]),
    ...(selection?.onlyFailed
      ? [{ what: 'the report of --only-failed', path: selection.onlyFailed.path, isRead: true }]
      : []),
    ...(baseline ? [{ what: 'the baseline', path: baseline.path, isRead: !baseline.update }] : []),
    ...(cache === undefined ? [] : [{ what: 'the cache', path: cache }]),
    ...(summary ? [{ what: 'GITHUB_STEP_SUMMARY', path: summary }] : []),
  ]
}

const nothingToCheck = ({ skipped }: Input): CliError =>
  new CliError(exit.usage, 'Missing transcripts.', {
    details: skippedLines(skipped),
    hint: 'add files or folders with transcripts',
  })

/** `annotations` in the cache folder; undefined if there is no home. */
function cachePath(env: Context['io']['env']): string | undefined {
  const folder = cacheFolderOf(env)
  return folder === undefined ? undefined : join(folder, 'annotations')
}

async function cacheOf(
  { io, flags, say, now }: Context,
  { cache, cacheSize }: CheckFlags,
  path: string | undefined,
  warn: (text: string) => void,
): Promise<Cache | undefined> {
  if (path !== undefined)
    return openCache(io, path, { now, warn, ...(cacheSize !== undefined && { maxBytes: cacheSize }) })
  if (cache !== false && flags.verbose)
    say('note: annotations are not cached: there is no home folder; set SVC_CACHE_DIR')
  return undefined
}

export function checkCommand(command: Command, setAction: SetAction): void {
  withCheck(withPolicy(withAnnotator(command, 'flag or policy'))).addHelpText(
    'after',
    `
Outcomes from best to worst: strong, mixed, poor, critical; indeterminate counts as not
judged.

Exit codes: 0 passed, 100 failed, 101 could not judge, 75 could not judge now, run again
${examples(
  'svc check transcripts/ --annotator structural',
  'svc check conversations.jsonl --annotator patterns --fail-on critical --json',
  'svc check transcripts/ --annotator structural --report html=report.html --report junit=junit.xml',
  'svc check transcripts/ --annotator structural --baseline baseline.json --update-baseline',
  'svc check transcripts/ --annotator patterns --max-rate poor=50% --confidence 0.8 --min-judged 90%',
)}`,
  )
  setAction(command, check)
}

/** The selected transcripts. Notes in the run what is not selected. Throws a usage error if nothing is. */
function selectCases({ cases, identities, matched }: PlannedCases, { selection }: Setup, run: Run): PlannedCases {
  if (!selection) return { cases, identities, matched }
  const candidates = cases.map(({ conversation }, at) => ({ conversation, sha256: identities[at]?.sha256 ?? '' }))
  const isSelected = select(candidates, selection)
  const found = cases.length + run.unread.length
  run.unread = run.unread.filter(({ path }) => selectsUnread(path, selection))
  const only = <T>(all: readonly T[]): T[] => all.filter((_, at) => isSelected[at])
  const selected = only(cases)
  if (selected.length + run.unread.length === 0) {
    throw new CliError(exit.usage, `None of ${count(found, 'transcript')} is selected.`, {
      hint: 'check the values of --where and the report of --only-failed',
    })
  }
  const { onlyFailed, ...rule } = selection
  run.selection = {
    ...rule,
    only_failed: onlyFailed?.path ?? null,
    not_selected: found - selected.length - run.unread.length,
  }
  return { cases: selected, identities: only(identities), matched: { ...matched, entries: only(matched.entries) } }
}
