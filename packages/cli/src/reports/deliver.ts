import { dirname } from 'node:path'
import type { CheckReport } from '@svc/checks'
import { fromRoot, terminal } from '@svc/checks'
import { type Candidate, guardWrites, isReportText, type WritePlace } from '@svc/input'
import { nearestUpwards } from '../config/index.js'
import type { Context } from '../context.js'
import { describe, exitCodeFor, reportError } from '../errors/index.js'
import { CliError, type ExitCode, exit } from '../exit.js'
import { checkpoints, type Io, refuseUnwritableFile, writeOut } from '../io/index.js'
import { printJson } from '../output/index.js'
import {
  goesToFile,
  ownsStdout,
  placesOf,
  type ReportId,
  refuseSharedStdout,
  rendererOf,
  type Target,
  withoutTurns,
} from './targets.js'

/**
 * @throws {CliError} if a report would replace an input or another file of the command, or if standard output has two
 * owners
 */
export async function refuseShared(
  { io, flags }: Pick<Context, 'io' | 'flags'>,
  targets: readonly Target[],
  others: readonly WritePlace[] = [],
  inputs: readonly Candidate[] = [],
): Promise<void> {
  refuseSharedStdout(targets, flags.json)
  await guardWrites(io, [...others, ...placesOf(targets)], inputs)
}

/** @throws {CliError} if a report could not be written later */
export async function refuseUnwritable({ io }: Pick<Context, 'io'>, targets: readonly Target[]): Promise<void> {
  for (const { path } of placesOf(targets)) await refuseUnwritableReport(io, path)
}

export interface Delivery {
  report?: readonly Target[]
  withTurns?: boolean
  /** Show every failure on the terminal. */
  showAll?: boolean
}

/**
 * Write every report file, even if another one fails, and print the terminal report unless another report owns stdout.
 * Returns the exit code: that of the report, or 1 instead of 0 if a file could not be written.
 */
export async function deliver(context: Context, report: CheckReport, flags: Delivery): Promise<ExitCode> {
  const { io, style } = context
  const { report: targets = [], withTurns } = flags
  const parts = async (id: ReportId) => (await rendererOf[id]())(viewOf(id, context.io, report, withTurns))
  const hasTurns = report.cases.some(({ turns }) => turns !== undefined)
  const isPrivate = (id: ReportId) => hasTurns && (id === 'html' || (id === 'json' && withTurns === true))
  const failure = await writeReports(io, targets.filter(goesToFile), parts, isPrivate)
  const owner = targets.find(ownsStdout)
  if (context.flags.json) printJson(context, withTurns ? report : withoutTurns(report))
  else if (owner?.id === 'github') await writeGitHub(context, report)
  else if (!owner) for (const part of terminal(report, style.out, { ...context.flags, ...flags })) io.stdout.write(part)
  else for (const part of await parts(owner.id)) io.stdout.write(part)
  if (context.flags.json || owner) context.say(report.line)
  return exitAfter(io, failure, report.exit as ExitCode)
}

/**
 * Write the error of a run that ended early into every report, so that an earlier report is not mistaken for this
 * run's. Only svc's own reports are replaced, unless `mayReplace` allows more.
 */
export async function deliverError(
  context: Context,
  report: CheckReport,
  targets: readonly Target[],
  mayReplace: (file: string) => boolean | Promise<boolean>,
): Promise<void> {
  const { io } = context
  const parts = async (id: ReportId) => (await rendererOf[id]())(viewOf(id, io, report, false))
  const files: { id: ReportId; file: string }[] = []
  for (const target of targets.filter(goesToFile)) {
    if (await mayReplace(target.file)) files.push(target)
    else context.say(`note: ${target.file} is left as it is: it is no report of svc`)
  }
  const failure = await writeReports(io, files, parts)
  // The failure to write may be the error of the run.
  if (failure && describe(failure).message !== report.error?.message) exitAfter(io, failure, report.exit as ExitCode)
  const owner = targets.find(ownsStdout)
  if (owner?.id === 'github') await writeGitHub(context, report)
  else if (owner) for (const part of await parts(owner.id)) io.stdout.write(part)
}

function viewOf(id: ReportId, io: Io, report: CheckReport, withTurns: boolean | undefined): CheckReport {
  if (id === 'sarif' || id === 'gitlab') return ofRepository(io, report)
  return id === 'json' && !withTurns ? withoutTurns(report) : report
}

function ofRepository(io: Io, report: CheckReport): CheckReport {
  const cwd = io.resolve('.')
  const git = nearestUpwards(io, '.git')
  const given = io.env.GITHUB_WORKSPACE || io.env.CI_PROJECT_DIR
  const root = given ? io.resolve(given) : git === undefined ? cwd : dirname(git)
  return fromRoot(report, root, cwd)
}

/** A summary that cannot be written is only a note, because all answers are paid for. */
async function writeGitHub({ io, say }: Context, report: CheckReport): Promise<void> {
  const { github, longestSummary, stepSummary } = await import('@svc/checks')
  for (const part of github(ofRepository(io, report))) io.stdout.write(part)
  const file = io.env.GITHUB_STEP_SUMMARY
  if (!file) return
  const before = await io.readEnds(file, 1).then(
    ({ size }) => size,
    () => 0,
  )
  const summary = [...stepSummary(report, longestSummary - before)].join('')
  await io.appendFile(file, summary).catch(({ code }: NodeJS.ErrnoException) => {
    say(`note: the summary of the step cannot be written to ${file} (${code})`)
  })
}

const what = 'the report'

/** @throws {CliError} if the report could not be written later */
export const refuseUnwritableReport = (io: Io, file: string): Promise<void> => refuseUnwritableFile(io, what, file)

/** Report that a file could not be written. Returns the exit code of the command, or 1 instead of 0. */
export function exitAfter(io: Io, failure: unknown, code: ExitCode): ExitCode {
  if (failure === undefined) return code
  // Not as JSON: the result is the only document on stdout.
  reportError(io, failure, exitCodeFor(failure), false)
  return code === exit.ok ? exit.bug : code
}

/**
 * Write every report file, even if another one fails; returns the first error. An earlier report is removed if its
 * replacement fails, so that it is not mistaken for this run's. A private report is readable by its owner only. Rejects with
 * the signal that stops the writing.
 */
export async function writeReports<Id>(
  io: Io,
  targets: readonly { id: Id; file: string }[],
  partsOf: (id: Id) => Iterable<string> | Promise<Iterable<string>>,
  isPrivate: (id: Id) => boolean = () => false,
): Promise<unknown> {
  const failures: CliError[] = []
  let bug: unknown
  // A run that was stopped before still reports what it has.
  const isEnding = io.signal.aborted
  const checkpoint = isEnding ? async () => {} : checkpoints(io.signal)
  for (const { id, file } of targets) {
    try {
      await checkpoint()
      await writeOut(io, what, file, checked(await partsOf(id), checkpoint), { isPrivate: isPrivate(id) })
    } catch (error) {
      if (await isReport(io, file)) await io.removeFile(file).catch(() => {})
      if (error instanceof CliError) failures.push(error)
      else bug ??= error
    }
  }
  if (!isEnding) io.signal.throwIfAborted()
  const [first, ...others] = failures
  if (bug !== undefined || !first || others.length === 0) return bug ?? first
  const details = others.map(({ message }) => message)
  return new CliError(exit.input, first.message, { details, ...(first.hint && { hint: first.hint }) })
}

async function* checked(parts: Iterable<string>, checkpoint: () => Promise<void>): AsyncGenerator<string> {
  for (const part of parts) {
    await checkpoint()
    yield part
  }
}

/** True for a report of svc, an empty file, or no file: replacing it loses nothing else. */
export async function isReport(io: Io, file: string): Promise<boolean> {
  if (!io.isThere(file)) return true
  // Opening a pipe could block.
  if (io.fileId(file) === undefined) return false
  const found = await io.readEnds(file, 4096).catch(() => undefined)
  const text = found && new TextDecoder().decode(found.head)
  // A Code Quality report without issues is an empty list; as an input, that is a file without transcripts.
  return text !== undefined && (text === '' || text === '[]\n' || isReportText(text))
}
