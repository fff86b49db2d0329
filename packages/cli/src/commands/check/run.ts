import { prepare } from '../../annotating.js'
import { readBaseline } from '../../checks/baseline-file.js'
import { type ExitCode, exit } from '../../exit.js'
import { refuseUnwritable } from '../../reports/deliver.js'
import { readSources } from '../../sources.js'
import type { Work } from '../act.js'
import { askAbout } from './ask.js'
import { casesOf } from './cases-of.js'
import type { CheckFlags } from './check-flags.js'
import { finish } from './finish.js'
import { setUp } from './setup.js'

export const check: Work<[string[]], CheckFlags> = async (context, [paths], flags) => {
  const { io } = context
  const setup = await setUp(context, paths, flags)
  await refuseUnwritable(context, setup.targets)
  const { annotator, preset } = setup
  const baseline =
    setup.baseline && (await readBaseline(io, setup.baseline.path, { annotator, update: setup.baseline.update }))
  const sources = await readSources(io, setup.paths, exit.usage)
  const { requests, redacted } = await prepare(context, sources, { ...flags, annotator, preset })
  const planned = casesOf(io, requests, setup, baseline)
  const asked = await askAbout(context, planned, setup, flags, baseline)
  if (!asked) return undefined
  const report = await finish(context, { ...planned, ...asked, setup, baseline, redacted })
  return report.exit as ExitCode
}
