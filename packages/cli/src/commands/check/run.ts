import { type Annotated, annotateAll, prepare } from '../../annotating.js'
import type { Conversation } from '../../conversations.js'
import { CliError, exit } from '../../exit.js'
import { printJson } from '../../output.js'
import { startProgress } from '../../progress.js'
import { tell } from '../../report-error.js'
import { readSources } from '../../sources.js'
import { count, inert } from '../../text.js'
import type { Work } from '../act.js'
import type { AnnotateFlags } from '../flags.js'
import { type Case, judge, type Level } from './judge.js'
import { reportJson, reportText } from './render.js'

export interface CheckFlags extends AnnotateFlags {
  failOn: Level
}

export const check: Work<[string[]], CheckFlags> = async (context, [paths], flags) => {
  const { io } = context
  if (paths.length === 0) {
    throw new CliError(exit.usage, 'No transcripts are named.', {
      hint: 'give files, directories, or - for standard input',
    })
  }
  const requests = await prepare(context, await readSources(io, paths, exit.usage), flags)
  if (!requests) return undefined
  const client = await context.client()
  const progress = await startProgress(context, `checking ${count(requests.length, 'transcript')}`)
  const done = new Map<number, Annotated>()
  try {
    for await (const each of annotateAll(requests, client, { concurrency: flags.concurrency, signal: io.signal })) {
      done.set(each.index, each)
      progress.update(`${done.size} of ${count(requests.length, 'transcript')}`)
    }
  } finally {
    progress.stop()
  }
  io.signal.throwIfAborted()
  const failures = [...done.values()].filter((each) => 'error' in each)
  // Where nothing at all could be asked, the reason is the answer: no key, no such annotator, a wrong address.
  const [shared] = failures
  if (shared && failures.length === done.size && shared.code !== exit.temporary) throw shared.error
  for (const { conversation, error } of failures) {
    io.stderr.write(`svc: ${inert(`${conversation.name}: ${tell(error).message}`)}\n`)
  }
  const report = judge(
    requests.map((request) => caseOf(request.conversation, done.get(request.index))),
    flags.failOn,
  )
  if (context.flags.json) printJson(context, reportJson(report, flags.annotator, flags.failOn))
  else io.stdout.write(reportText(report, flags.failOn, context.style.out))
  return report.exit
}

function caseOf(subject: Conversation, done: Annotated | undefined): Case<Conversation> {
  if (done && 'annotation' in done) return { subject, annotation: done.annotation }
  return { subject, code: done?.code ?? exit.notJudged }
}
