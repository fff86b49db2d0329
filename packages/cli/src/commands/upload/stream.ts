import { invalidInput } from '../../conversations.js'
import { type ExitCode, exit } from '../../exit.js'
import type { Violated } from '../../positions.js'
import { violationLines } from '../../positions.js'
import { tellLines } from '../../report-error.js'
import { keepHeapSmall } from '../../small-heap.js'
import { count, inert } from '../../text.js'
import { refuseSharedIdentity } from '../../upload-body.js'
import type { Ready } from './item.js'
import type { Job } from './job.js'
import { isOurs } from './plan.js'
import { rejectedLines, writeRejects } from './rejects.js'
import { send } from './send.js'

/** What was found in a stream beside what is sent. */
interface Found {
  violations: Violated[]
  invalid: Ready[]
  elsewhere: number
}

/**
 * Uploads standard input as it comes: each transcript is checked and sent, and none is after the first that is wrong,
 * unless those are to be left out.
 */
export async function uploadStream(job: Job): Promise<ExitCode> {
  keepHeapSmall()
  const { context, flags, told } = job
  const found: Found = { violations: [], invalid: [], elsewhere: 0 }
  const { items, isAlone, isEmpty } = await firstTwo(readyOf(job, found))
  const rejected = () => ({ unreadable: told.problems, ...found })
  const wrong = () => told.problems.length + found.invalid.length
  if (isEmpty && wrong() > 0) {
    if (flags.rejects !== undefined) await writeRejects(context, flags.rejects, rejected())
    throw invalidInput(await rejectedLines(rejected()), 'sent', told.hint)
  }
  refuseSharedIdentity(isAlone ? 1 : 2, flags)
  const alone = isAlone && wrong() === 0
  const code = await send(job, {
    items,
    total: undefined,
    keys: undefined,
    alone,
    rest: () => ({
      invalid: wrong(),
      other_shards: found.elsewhere,
      ...(wrong() > 0 && !flags.continueOnInvalid && { not_sent: null }),
    }),
  })
  job.tellNotes()
  if (wrong() === 0) return code
  if (flags.rejects !== undefined) await writeRejects(context, flags.rejects, rejected())
  const what = flags.continueOnInvalid
    ? `${count(wrong(), 'transcript')} left out.`
    : 'Nothing was sent after a problem.'
  tellLines(context.io, what, await rejectedLines(rejected()), told.hint)
  return code === exit.ok ? exit.someFailed : code
}

async function* readyOf({ context, flags, conversations, shape, shard }: Job, found: Found) {
  try {
    for await (const conversation of conversations) {
      const { item, json, violations, warnings } = shape(conversation)
      for (const line of await violationLines(warnings)) context.say(`warning: ${inert(line)}`)
      if (violations.length > 0) {
        found.violations.push(...violations)
        found.invalid.push({ item, json })
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
