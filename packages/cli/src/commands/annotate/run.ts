import { type Annotated, annotateAll, prepare } from '../../annotating.js'
import type { Context } from '../../context.js'
import { exit, exitCodeForMany } from '../../exit.js'
import { printJson, printJsonLine } from '../../output.js'
import { inOrder } from '../../pool.js'
import { startProgress } from '../../progress.js'
import { tell } from '../../report-error.js'
import { readSources } from '../../sources.js'
import { count, inert, tsv } from '../../text.js'
import type { Work } from '../act.js'
import type { AnnotateFlags } from '../flags.js'
import { annotatedJson, annotatedRow, annotatedText } from './render.js'

export const annotate: Work<[string], AnnotateFlags> = async (context, [path], flags) => {
  const { io } = context
  const requests = await prepare(context, await readSources(io, [path]), flags)
  if (!requests) return undefined
  const client = await context.client()
  const progress = await startProgress(context, `annotating ${count(requests.length, 'transcript')}`)
  const done: Annotated[] = []
  const answers = annotateAll(requests, client, { concurrency: flags.concurrency, signal: io.signal })
  try {
    // An annotation is paid for, so it is written as soon as those before it are.
    for await (const each of inOrder(answers)) {
      if ('error' in each && requests.length === 1) throw each.error
      done.push(each)
      progress.update(`${done.length} of ${count(requests.length, 'transcript')}`)
      show(context, each, requests.length === 1)
    }
  } finally {
    progress.stop()
  }
  const left = requests.length - done.length
  if (left > 0) context.say(`${count(left, 'transcript')} not sent`)
  if (io.signal.aborted) return io.signal.reason === 'SIGTERM' ? exit.terminated : exit.interrupted
  return exitCodeForMany(done.map((each) => ('error' in each ? each.code : exit.ok)))
}

function show(context: Context, each: Annotated, alone: boolean): void {
  const { io, flags, style } = context
  if (flags.json) return (alone ? printJson : printJsonLine)(context, annotatedJson(each))
  if ('error' in each) io.stderr.write(`svc: ${inert(`${each.conversation.name}: ${tell(each.error).message}`)}\n`)
  else io.stdout.write(io.stdout.isTTY ? annotatedText(each, style.out) : tsv([annotatedRow(each)]))
}
