import { prepare } from '../../annotating.js'
import { readBaseline, refuseUnwritableBaseline } from '../../checks/baseline/baseline-file.js'
import { type Cache, openCache } from '../../checks/cache/cache.js'
import { cachePath } from '../../checks/cache/cache-path.js'
import type { Context } from '../../context.js'
import { type ExitCode, exit } from '../../exit.js'
import { deliver, refuseShared, refuseUnwritable } from '../../reports/deliver.js'
import { placesOf } from '../../reports/places.js'
import { exitAfter } from '../../reports/write.js'
import { readSources } from '../../sources.js'
import { inert } from '../../text.js'
import type { Work } from '../act.js'
import { askAbout } from './ask.js'
import { casesOf } from './cases-of.js'
import type { CheckFlags } from './check-flags.js'
import { tellDryRun } from './dry-run.js'
import { circumstancesOf, type Run, reportEnd } from './end.js'
import { finish } from './finish.js'
import { ownPlaces, withoutPlaces } from './places.js'
import { setUp } from './setup.js'

/** Checks transcripts. However it ends, unless it is refused, each report is written: with what it came to, or with why it did not. */
export const check: Work<[string[]], CheckFlags> = async (context, [paths], flags) => {
  refuseShared(context, flags.report ?? [])
  const run: Run = { stage: 'set up', paths, notes: [], sent: { count: 0 } }
  try {
    return await judgeAll(context, flags, run)
  } catch (error) {
    if (run.stage !== 'refused' && run.stage !== 'reported' && !flags.dryRun)
      await reportEnd(context, flags, run, error)
    throw error
  }
}

/** Everything that can be wrong is looked at before anything is asked, because an answer is paid for. */
async function judgeAll(context: Context, flags: CheckFlags, run: Run): Promise<ExitCode | undefined> {
  const { io } = context
  const setup = await setUp(context, run.paths, flags)
  run.setup = setup
  const { annotator, preset } = setup
  const cachedAt = flags.cache === false ? undefined : (flags.cache ?? cachePath(io.env))
  const reports = setup.delivery.report ?? []
  const own = ownPlaces({ policy: setup.policyFile, baseline: setup.baseline?.path, cache: cachedAt })
  run.stage = 'refused'
  refuseShared(context, reports, own)
  run.stage = 'begun'
  await refuseUnwritable(context, reports)
  const baseline =
    setup.baseline && (await readBaseline(io, setup.baseline.path, { annotator, update: setup.baseline.update }))
  if (setup.baseline?.update) await refuseUnwritableBaseline(io, setup.baseline.path)
  const warn = (text: string) => {
    run.notes.push(text)
    context.say(inert(`warning: ${text}`))
  }
  const cache = await cacheOf(context, flags, cachedAt, warn)
  try {
    const found = await readSources(io, setup.paths, exit.usage)
    const sources = withoutPlaces(io, found, [...own, ...placesOf(reports)])
    const { requests, redacted } = await prepare(context, sources, { ...flags, annotator, preset })
    const planned = casesOf(io, requests, setup, baseline)
    run.planned = planned
    if (flags.dryRun) {
      await tellDryRun(context, planned.cases, setup, cache)
      return undefined
    }
    const answers = await askAbout(context, planned, setup, { baseline, cache, warn, sent: run.sent })
    const circumstances = await circumstancesOf(context, run)
    const checked = { ...planned, ...answers, setup, baseline, redacted, circumstances, notes: run.notes }
    const { report, failure } = await finish(context, checked)
    run.stage = 'reported'
    return exitAfter(io, failure, await deliver(context, report, setup.delivery))
  } finally {
    await cache?.close()
  }
}

async function cacheOf(
  { io, flags, say }: Context,
  { cache, cacheSize }: CheckFlags,
  path: string | undefined,
  warn: (text: string) => void,
): Promise<Cache | undefined> {
  if (path !== undefined)
    return openCache(io, path, { say, warn, ...(cacheSize !== undefined && { maxBytes: cacheSize }) })
  if (cache !== false && flags.verbose) say('note: there is no home folder to keep answers in; SVC_CACHE_DIR names one')
  return undefined
}
