import { type Annotated, annotateAll, prepare } from '../../annotating.js'
import { type Case, judge } from '../../checks/judge.js'
import { type Conversation, labelOf } from '../../conversations.js'
import { CliError, concernsRun, exit, exitCodeFor } from '../../exit.js'
import { printJson } from '../../output.js'
import { locateTurns } from '../../positions.js'
import { startProgress } from '../../progress.js'
import { describe, tellFailures } from '../../report-error.js'
import { readSources } from '../../sources.js'
import { count } from '../../text.js'
import type { Work } from '../act.js'
import type { AnnotateFlags } from '../flags.js'
import { type PolicyFlags, policyOf } from './policy-flags.js'
import { reportJson, reportText } from './render.js'

export interface CheckFlags extends AnnotateFlags, PolicyFlags {}

export const check: Work<[string[]], CheckFlags> = async (context, [paths], flags) => {
  const { io } = context
  if (paths.length === 0) {
    throw new CliError(exit.usage, 'No transcripts are named.', {
      hint: 'give files, directories, or - for standard input',
    })
  }
  const requests = await prepare(context, await readSources(io, paths, exit.usage), flags)
  if (!requests) return undefined
  const progress = await startProgress(context, `checking ${count(requests.length, 'transcript')}`)
  const done = new Map<number, Annotated>()
  try {
    for await (const each of annotateAll(requests, context, flags.concurrency)) {
      done.set(each.index, each)
      progress.update(() => `${done.size} of ${count(requests.length, 'transcript')}`)
    }
  } finally {
    progress.stop()
  }
  const failures = [...done.values()].filter((each) => 'error' in each)
  // Where nothing could be asked at all, the reason is the answer: no key, no such annotator, no usable address.
  const reason = failures.find(({ code }) => concernsRun(code))
  if (reason && failures.length === done.size) throw reason.error
  tellFailures(
    io,
    failures.map(({ conversation, error }) => ({ of: labelOf(conversation), error })),
  )
  const policy = policyOf(flags)
  const report = judge(
    requests.map((request) => caseOf(request.conversation, done.get(request.index))),
    policy,
  )
  await locateTurns(report.findings.map(({ subject }) => subject))
  // Also of a run that was stopped: what was judged until then has been paid for.
  if (context.flags.json) printJson(context, reportJson(report, { annotator: flags.annotator, policy }, requests))
  else io.stdout.write(reportText(report, policy, context.style.out))
  return io.signal.aborted ? exitCodeFor(io.signal.reason) : report.exit
}

function caseOf(subject: Conversation, done: Annotated | undefined): Case<Conversation> {
  if (!done) return { subject, code: exit.notJudged, detail: 'not asked' }
  if ('annotation' in done) return { subject, annotation: done.annotation }
  return { subject, code: done.code, detail: describe(done.error).message }
}
