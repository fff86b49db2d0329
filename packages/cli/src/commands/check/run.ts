import { prepare } from '../../annotating.js'
import { readBaseline, refuseUnwritableBaseline } from '../../checks/baseline/baseline-file.js'
import { type Cache, openCache } from '../../checks/cache/cache.js'
import { cachePath } from '../../checks/cache/cache-path.js'
import type { Context } from '../../context.js'
import { exit } from '../../exit.js'
import { refuseUnwritable } from '../../reports/deliver.js'
import { placesOf } from '../../reports/places.js'
import { readSources } from '../../sources.js'
import type { Work } from '../act.js'
import { askAbout } from './ask.js'
import { casesOf } from './cases-of.js'
import type { CheckFlags } from './check-flags.js'
import { tellDryRun } from './dry-run.js'
import { finish } from './finish.js'
import { ownPlaces, withoutPlaces } from './places.js'
import { setUp } from './setup.js'

/** Everything that can be wrong is looked at before anything is asked, because an answer is paid for. */
export const check: Work<[string[]], CheckFlags> = async (context, [paths], flags) => {
  const { io } = context
  const setup = await setUp(context, paths, flags)
  const { annotator, preset } = setup
  const cachedAt = flags.cache === false ? undefined : (flags.cache ?? cachePath(io.env))
  const reports = setup.delivery.report ?? []
  const own = ownPlaces({ policy: setup.policyFile, baseline: setup.baseline?.path, cache: cachedAt })
  await refuseUnwritable(context, reports, own)
  const baseline =
    setup.baseline && (await readBaseline(io, setup.baseline.path, { annotator, update: setup.baseline.update }))
  if (setup.baseline?.update) await refuseUnwritableBaseline(io, setup.baseline.path)
  const cache = await cacheOf(context, flags, cachedAt)
  try {
    const found = await readSources(io, setup.paths, exit.usage)
    const sources = withoutPlaces(io, found, [...own, ...placesOf(reports)])
    const { requests, redacted } = await prepare(context, sources, { ...flags, annotator, preset })
    const planned = casesOf(io, requests, setup, baseline)
    if (flags.dryRun) {
      await tellDryRun(context, planned.cases, setup, cache)
      return undefined
    }
    const answers = await askAbout(context, planned, setup, { baseline, cache })
    return await finish(context, { ...planned, ...answers, setup, baseline, redacted })
  } finally {
    await cache?.close()
  }
}

async function cacheOf(
  { io, flags, say }: Context,
  { cache, cacheSize }: CheckFlags,
  path: string | undefined,
): Promise<Cache | undefined> {
  if (path !== undefined) return openCache(io, path, { say, ...(cacheSize !== undefined && { maxBytes: cacheSize }) })
  if (cache !== false && flags.verbose) say('note: there is no home folder to keep answers in; SVC_CACHE_DIR names one')
  return undefined
}
