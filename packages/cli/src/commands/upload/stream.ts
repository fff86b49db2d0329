import { invalidInput } from '../../conversations.js'
import { type ExitCode, exit } from '../../exit.js'
import { violationLines } from '../../positions.js'
import { tellLines } from '../../report-error.js'
import { tellWarning } from '../../tell-warning.js'
import { count } from '../../text.js'
import { refuseSharedIdentity } from '../../upload-body.js'
import type { Ready } from './item.js'
import type { Job } from './job.js'
import { isOurs } from './plan.js'
import { countOf, type Invalid, linesOf, type Rejected, rejectsOf, writeRejects } from './rejects.js'
import { send } from './send.js'

/** What was found in a stream beside what is sent. */
interface Found {
  invalid: Invalid[]
  elsewhere: number
}

/**
 * Uploads standard input as it comes: each transcript is checked and sent, and none is after the first that is wrong,
 * unless those are to be left out.
 */
export async function uploadStream(job: Job): Promise<ExitCode> {
  const { context, flags, told } = job
  const found: Found = { invalid: [], elsewhere: 0 }
  // Before anything is sent it is known whether they can be written, and those of an earlier run are gone.
  if (flags.rejects !== undefined) await writeRejects(context, flags.rejects, [])
  const { items, isAlone, isEmpty } = await firstTwo(readyOf(job, found))
  const rejected = () => ({ unreadable: told.problems, invalid: found.invalid })
  const wrong = () => countOf(rejected())
  if (isEmpty && wrong() > 0) {
    const rejects = await rejectsOf(rejected())
    if (flags.rejects !== undefined) await writeRejects(context, flags.rejects, rejects)
    throw invalidInput(linesOf(rejects), 'sent', told.hint)
  }
  refuseSharedIdentity(isAlone && !job.shard ? 1 : 2, flags)
  const code = await send(job, {
    items,
    total: undefined,
    keys: undefined,
    alone: isAlone && wrong() === 0 && !job.shard,
    rest: () => ({
      invalid: wrong(),
      other_shards: found.elsewhere,
      ...(wrong() > 0 && !flags.continueOnInvalid && { not_sent: null }),
    }),
  })
  job.tellNotes()
  if (wrong() > 0) await tellRejects(job, rejected())
  return wrong() > 0 && code === exit.ok ? exit.someFailed : code
}

/** Told first, because it is all that there is where they cannot be written. */
async function tellRejects({ context, flags, told }: Job, rejected: Rejected): Promise<void> {
  const rejects = await rejectsOf(rejected)
  const left = `${count(countOf(rejected), 'transcript')} left out.`
  const what = flags.continueOnInvalid ? left : 'Nothing was sent after a problem.'
  tellLines(context.io, what, linesOf(rejects), told.hint)
  if (flags.rejects === undefined) return
  await writeRejects(context, flags.rejects, rejects).catch((error: unknown) => {
    tellLines(context.io, (error as Error).message, [], undefined)
  })
}

async function* readyOf({ context, flags, conversations, shape, shard }: Job, found: Found) {
  try {
    for await (const conversation of conversations) {
      const { item, json, violations, warnings } = shape(conversation)
      for (const line of await violationLines(warnings)) tellWarning(context.io, line)
      if (violations.length > 0) {
        found.invalid.push({ item, violations, ...(flags.rejects !== undefined && { json }) })
        if (!flags.continueOnInvalid) return
      } else if (isOurs(item, shard)) yield { item, json }
      else found.elsewhere++
    }
  } catch (error) {
    // Told to stop, the stream ends where it is.
    if (!context.io.signal.aborted) throw error
  }
}

/** Looks two items ahead, because a lone one is told otherwise than many. */
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
