import { type Annotated, annotateAll, prepare, tellPlan } from '../../annotating.js'
import type { Context } from '../../context.js'
import { labelOf } from '../../conversations.js'
import { exit, exitCodeForMany } from '../../exit.js'
import { findInput } from '../../input/sources.js'
import { printJson, printJsonLine } from '../../output.js'
import { inOrder } from '../../pool.js'
import { locateTurns } from '../../positions.js'
import { startProgress } from '../../progress.js'
import { exitCodeFor, tellFailures } from '../../report-error.js'
import { count, tsv } from '../../text.js'
import type { Work } from '../act.js'
import type { AnnotateFlags } from '../flags.js'
import { annotatedJson, annotatedRow, annotatedText } from './render.js'

export const annotate: Work<[string], AnnotateFlags> = async (context, [path], flags) => {
  const { io } = context
  const input = await findInput(io, [path], flags)
  if (input.failure) throw input.failure
  const { requests } = await prepare(context, input, flags)
  if (flags.dryRun) {
    tellPlan(context, requests, `${count(requests.length, 'transcript')} would be annotated with ${flags.annotator}`)
    return undefined
  }
  const progress = await startProgress(context, `annotating ${count(requests.length, 'transcript')}`)
  const done: Annotated[] = []
  const answers = annotateAll(requests, context, flags.concurrency)
  try {
    // An annotation is paid for, so it is written as soon as those before it are.
    for await (const each of inOrder(answers)) {
      if ('error' in each && requests.length === 1) throw each.error
      done.push(each)
      // Once for all of them: each file is looked through a second time.
      if ('annotation' in each && Object.keys(each.annotation.signals).length > 0) {
        await locateTurns(requests.map(({ conversation }) => conversation))
      }
      progress.update(() => `${done.length} of ${count(requests.length, 'transcript')}`)
      show(context, each, requests.length === 1)
    }
  } finally {
    progress.stop()
  }
  const left = requests.length - done.length
  if (left > 0) context.say(`${count(left, 'transcript')} not sent`)
  if (io.signal.aborted) return exitCodeFor(io.signal.reason)
  return exitCodeForMany(done.map((each) => ('error' in each ? each.code : exit.ok)))
}

function show(context: Context, each: Annotated, alone: boolean): void {
  const { io, flags, style } = context
  if (flags.json) return (alone ? printJson : printJsonLine)(context, annotatedJson(each))
  if ('error' in each) tellFailures(io, [{ of: labelOf(each.conversation), error: each.error }])
  else io.stdout.write(io.stdout.isTTY ? annotatedText(each, style.out) : tsv([annotatedRow(each)]))
}
