import { nodeDisk, pullTranscripts } from '@svc/checks'
import { count } from '@svc/text'
import { leftOfRun } from '../../annotation-requests.js'
import { reportFailures } from '../../errors.js'
import { CliError, type ExitCode, exit, exitCodeForMany } from '../../exit.js'
import { printJson, startProgress } from '../../output/index.js'
import { explainMissingProject, requireProject } from '../../project.js'
import { type FilterFlags, filtersOf, incompleteList, nothingStored } from '../../stored.js'
import type { Action } from '../action.js'

interface PullFlags extends FilterFlags {
  to: string
  concurrency: number
}

/** Write stored transcripts to the files of a folder. */
export const pull: Action<[], PullFlags> = async (context, _, flags) => {
  const { io } = context
  const project = await requireProject(context, flags.project)
  const client = await context.client({ calls: undefined, atOnce: flags.concurrency })
  const progress = await startProgress(context, 'reading', { afterMs: 500 })
  const { list, written, kept, unread } = await pullTranscripts({
    ...{ client, project, filters: filtersOf(flags, context.now()), folder: flags.to },
    disk: { ...(io.cacheDisk ?? nodeDisk), place: async (folder) => (await io.writeTarget(folder)).place },
    ...{ concurrency: flags.concurrency, signal: io.signal, clock: io.clock, deadlineMs: leftOfRun(context) },
    ...(io.environment && { randomId: io.environment.randomId }),
    onRead: (done) => progress.update(() => ({ done })),
  })
    .catch(async (error: unknown) => {
      throw await explainMissingProject(context, error, project)
    })
    .finally(progress.stop)
  const failures = unread.map(({ path, detail, temporary }) => ({
    of: path,
    error: new CliError(temporary ? exit.temporary : exit.refused, detail),
  }))
  if (context.flags.json)
    printJson(context, {
      ...{ schema: 'svc/transcripts-pulled@1', project, folder: flags.to, filters: list.filters, written, kept },
      ...{ unread: unread.length, complete: list.gap === undefined },
    })
  for (const note of list.notes) context.say(`note: ${note}`)
  reportFailures(io, failures)
  const others = [
    ...(kept > 0 ? [`${kept} were there`] : []),
    ...(unread.length > 0 ? [`${unread.length} not read`] : []),
  ]
  context.say(`${count(written, 'transcript')} written to ${flags.to}${others.map((each) => `; ${each}`).join('')}`)
  if (list.gap) throw incompleteList(project, list.gap)
  if (list.ids.length === 0) throw nothingStored(project, list.filters)
  const codes: ExitCode[] = failures.map(({ error }) => error.exit)
  return exitCodeForMany([...codes, ...Array.from({ length: written + kept }, () => exit.ok)])
}
