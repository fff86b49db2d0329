import {
  type Violations,
  violationDocument,
  violationJUnit,
  violationLine,
  violationSummary,
} from '@svc/reference-server/core'
import type { Context } from '../../context.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import { documentOf, jsonLine } from '../../output/index.js'
import {
  exitAfter,
  type FileTarget,
  goesToFile,
  ownsStdout,
  refuseShared,
  refuseUnwritable,
  removeReport,
  writeReports,
} from '../../reports.js'

export const checkForms = ['json', 'junit'] as const

export type CheckTarget = FileTarget<(typeof checkForms)[number]>

/** Refuse reports that could not be written, and remove those of an earlier run. */
export async function clearReports(
  context: Context,
  report: readonly CheckTarget[],
  inputs: readonly (string | undefined)[],
): Promise<void> {
  if (report.some(ownsStdout))
    throw new CliError(exit.usage, 'Standard output belongs to the command; give --report a file.')
  const read = inputs.flatMap((path) => (path === undefined ? [] : { what: path, path, isRead: true as const }))
  await refuseShared(context, report, read)
  await refuseUnwritable(context, report)
  for (const { file } of report.filter(goesToFile)) await removeReport(context.io, file)
}

/**
 * Print how requests departed from the interface, and write the reports. Returns the exit code: `code`, or in place of 0: 100 if there
 * is a violation, 101 if there was no request.
 */
export async function reportViolations(
  context: Context,
  violations: Violations,
  targets: readonly CheckTarget[],
  { code, isServer }: { code: ExitCode; isServer: boolean },
): Promise<ExitCode> {
  const { io, say } = context
  const list = violations.list()
  for (const violation of list) io.stderr.write(`${violationLine(violation)}\n`)
  say(violationSummary(violations))
  const failure = await writeReports(io, targets.filter(goesToFile), async (form) => [
    form === 'json'
      ? jsonLine(context, documentOf('svc/mock-check@1', violationDocument(violations)))
      : violationJUnit(violations),
  ])
  if (violations.requests === 0) say('no request reached the server, so nothing was checked')
  const verdict = violations.requests === 0 ? exit.notJudged : list.length > 0 ? exit.gateFailed : exit.ok
  // A server without a command always ends by a signal.
  const decides = code === exit.ok || (isServer && verdict === exit.gateFailed)
  return exitAfter(io, failure, decides ? verdict : code)
}
