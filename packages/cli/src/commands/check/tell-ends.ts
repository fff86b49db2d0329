import { outageAfter } from '../../checks/asking.js'
import { annotationOf, type Case } from '../../checks/cases.js'
import type { Context } from '../../context.js'
import { labelOf } from '../../conversations.js'
import { concernsRun, type ExitCode, exit } from '../../exit.js'
import { tellFailures, tellLines } from '../../report-error.js'
import { count } from '../../text.js'

/** Says why transcripts were not annotated. Where nothing could be asked at all, the reason is thrown. */
export function tellEnds(
  { io }: Context,
  cases: readonly Case[],
  { concurrency, isKept }: { concurrency: number; isKept: boolean },
): void {
  const failures = cases.flatMap(({ conversation, asked }) => {
    const ended = asked?.ended
    return typeof ended === 'object' && !isStop(ended.code) ? [{ of: labelOf(conversation), ...ended }] : []
  })
  const reason = failures.find(({ code }) => concernsRun(code))
  const isAll = cases.every(({ asked }) => asked === undefined || (asked.votes.length === 0 && asked.ended))
  if (reason && isAll) throw reason.error
  tellFailures(io, failures)
  const unasked = cases.filter((each) => each.asked?.ended === 'outage' && !annotationOf(each)).length
  if (unasked > 0) {
    tellLines(
      io,
      `Stopped after ${count(outageAfter(concurrency), 'failed request')} in a row; ${unasked} of ${count(cases.length, 'transcript')} not asked.`,
      [],
      `run it again when the service answers${isKept ? ': what was answered is in the cache' : ''}`,
    )
  }
  const left = cases.filter((each) => !annotationOf(each)).length - failures.length
  if (!io.signal.aborted || left === 0) return
  const hint = isKept ? 'run it again to go on: what was answered is in the cache' : undefined
  tellLines(
    io,
    `Stopped by ${io.signal.reason}; ${left} of ${count(cases.length, 'transcript')} not answered.`,
    [],
    hint,
  )
}

const isStop = (code: ExitCode): boolean => code === exit.interrupted || code === exit.terminated
