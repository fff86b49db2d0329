import { dirname } from 'node:path'
import { type CheckReport, type ReportForm, render, reportForms, withoutTurns } from '@svc/checks'
import { nearestUpwards } from './config/index.js'
import type { Context } from './context.js'
import { describe, exitCodeFor, reportError } from './errors.js'
import { CliError, type ExitCode, exit } from './exit.js'
import { type Candidate, guardWrites, isReportText, type WritePlace } from './input/index.js'
import { checkpoints, type Io, refuseUnwritableFile, writeOut } from './io/index.js'
import { printJson } from './output/index.js'
import { writeWarning } from './terminal.js'

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
  for (const { path } of placesOf(targets)) await refuseUnwritableFile(io, what, path)
}

export interface Delivery {
  report?: readonly Target[]
  withTurns?: boolean
  showAll?: boolean
}

/**
 * Write every report file, even if another one fails, and print the terminal report unless another report owns stdout.
 * Returns the exit code: that of the report, or 1 instead of 0 if a file could not be written.
 */
export async function deliver(context: Context, report: CheckReport, flags: Delivery): Promise<ExitCode> {
  const { io, style } = context
  const { report: targets = [], withTurns = false, showAll = false } = flags
  const { verbose = false, json } = context.flags
  const options = { from: repositoryOf(io), withTurns, style: style.out, verbose, showAll }
  const parts = (id: ReportForm) => render(report, id, options)
  const failure = await writeReports(io, targets.filter(goesToFile), parts)
  const owner = targets.find(ownsStdout)
  if (json) printJson(context, withTurns ? report : withoutTurns(report))
  else for (const part of await render(report, owner?.id ?? 'terminal', options)) io.stdout.write(part)
  if (owner?.id === 'github') await appendSummary(context, report)
  if (json || owner) context.say(report.line)
  return exitAfter(io, failure, report.exit as ExitCode)
}

/**
 * Write a document that is no report to every file, and `show` it unless a form of it owns stdout. Returns the exit code:
 * `code`, or 1 instead of 0 if a file could not be written.
 */
export async function deliverDocument<Form extends string>(
  context: Context,
  document: object,
  targets: readonly FileTarget<Form>[],
  partsOf: (form: Form) => Promise<Iterable<string>>,
  show: () => Promise<void>,
  code: ExitCode = exit.ok,
): Promise<ExitCode> {
  const { io } = context
  const failure = await writeReports(io, targets.filter(goesToFile), partsOf)
  const owner = targets.find(({ file }) => file === undefined)
  if (context.flags.json) printJson(context, document)
  else if (owner) for (const part of await partsOf(owner.id)) io.stdout.write(part)
  else await show()
  return exitAfter(io, failure, code)
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
  const parts = (id: ReportForm | 'github') => render(report, id, { from: repositoryOf(io) })
  const files: { id: ReportForm; file: string }[] = []
  for (const target of targets.filter(goesToFile)) {
    if (await mayReplace(target.file)) files.push(target)
    else context.say(`note: kept ${target.file}: not written by svc`)
  }
  const failure = await writeReports(io, files, parts)
  // The failure to write may be the error of the run.
  if (failure && describe(failure).message !== report.error?.message) exitAfter(io, failure, report.exit as ExitCode)
  const owner = targets.find(ownsStdout)
  if (owner) for (const part of await parts(owner.id)) io.stdout.write(part)
  if (owner?.id === 'github') await appendSummary(context, report)
}

function repositoryOf(io: Io): { cwd: string; root: string } {
  const cwd = io.resolve('.')
  const given = io.env.GITHUB_WORKSPACE || io.env.CI_PROJECT_DIR
  if (given) return { cwd, root: io.resolve(given) }
  const git = nearestUpwards(io, '.git')
  return { cwd, root: git === undefined ? cwd : dirname(git) }
}

/** A summary that cannot be written is only a note, because all answers are paid for. */
async function appendSummary({ io, say }: Context, report: CheckReport): Promise<void> {
  const file = io.env.GITHUB_STEP_SUMMARY
  if (!file) return
  const bytesBefore = await io.readEnds(file, 1).then(
    ({ size }) => size,
    () => 0,
  )
  const summary = [...(await render(report, 'summary', { bytesBefore }))].join('')
  await io.appendFile(file, summary).catch(({ code }: NodeJS.ErrnoException) => {
    say(`note: the summary of the step cannot be written to ${file} (${code})`)
  })
}

const what = 'the report'

/** Report that a file could not be written. Returns the exit code of the command, or 1 instead of 0. */
export function exitAfter(io: Io, failure: unknown, code: ExitCode): ExitCode {
  if (failure === undefined) return code
  // Not as JSON: the result is the only document on stdout.
  reportError(io, failure, exitCodeFor(failure), { json: false })
  return code === exit.ok ? exit.bug : code
}

/**
 * Write every report file, even if another one fails; returns the first error. An earlier report is removed if its
 * replacement fails, so that it is not mistaken for this run's. Only their owner can read the files (0600), because every
 * form may contain excerpts. Rejects with the signal that stops the writing; then no report is left.
 */
export async function writeReports<Id>(
  io: Io,
  targets: readonly { id: Id; file: string }[],
  partsOf: (id: Id) => Promise<Iterable<string>>,
): Promise<unknown> {
  const failures: CliError[] = []
  let bug: unknown
  // A run that was stopped before still reports what it has.
  const isEnding = io.signal.aborted
  const checkpoint = isEnding ? async () => {} : checkpoints(io.signal, io.environment?.turn)
  for (const { id, file } of targets) {
    try {
      await checkpoint()
      await writeOut(io, what, file, checked(await partsOf(id), checkpoint), { isPrivate: true })
    } catch (error) {
      await removeReport(io, file)
      if (error instanceof CliError) failures.push(error)
      else bug ??= error
    }
  }
  if (!isEnding && io.signal.aborted) {
    // The run ends with the signal, and those that are written already tell of another end.
    for (const { file } of targets) await removeReport(io, file)
    io.signal.throwIfAborted()
  }
  const [first, ...others] = failures
  if (bug !== undefined || !first || others.length === 0) return bug ?? first
  const details = others.map(({ message }) => message)
  return new CliError(exit.input, first.message, { details, ...(first.hint && { hint: first.hint }) })
}

/** Remove an earlier report, or say that it is left. */
export async function removeReport(io: Io, file: string): Promise<void> {
  if (!(await isReport(io, file))) return
  await io.removeFile(file).catch(({ code }: NodeJS.ErrnoException) => {
    if (code !== 'ENOENT') writeWarning(io, `${file}: cannot remove the report of an earlier run (${code})`)
  })
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
  const ends = await io.readEnds(file, 4096).catch(() => undefined)
  const text = ends && new TextDecoder().decode(ends.head)
  // A Code Quality report without issues is an empty list; as an input, that is a file without transcripts.
  return text !== undefined && (text === '' || text === '[]\n' || isReportText(text))
}

/**
 * The target of a report; without a file it is standard output. `github` writes commands there, and a summary to the
 * file that GitHub names.
 */
export type Target = { id: ReportForm; file: string | undefined } | { id: 'github'; file: undefined }

export const isStdout = (file: string): boolean => ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'].includes(file)

/** `html=report.html`, `json=-` for standard output, or `github`; undefined for any other text. */
export const targetOf = (text: string): Target | undefined =>
  text === 'github' ? { id: text, file: undefined } : fileTargetOf(text, reportForms)

/** A form in a file, or on standard output. */
export interface FileTarget<Id extends string> {
  id: Id
  file: string | undefined
}

export function fileTargetOf<Id extends string>(text: string, ids: readonly Id[]): FileTarget<Id> | undefined {
  const [, name, file] = /^(\w+)=(.+)$/s.exec(text) ?? []
  const id = ids.find((each) => each === name)
  return id && file !== undefined ? { id, file: isStdout(file) ? undefined : file } : undefined
}

const textOfTarget = ({ id, file = '-' }: Target): string => `--report ${id}${id === 'github' ? '' : `=${file}`}`

export const ownsStdout = ({ file }: Target): boolean => file === undefined

export const goesToFile = <Any extends Pick<Target, 'file'>>(target: Any): target is Any & { file: string } =>
  target.file !== undefined

export const placesOf = (targets: readonly Target[]): WritePlace[] =>
  targets.filter(goesToFile).map((target) => ({ what: textOfTarget(target), path: target.file }))

/** @throws {CliError} if standard output has two owners, one of which may be `--json` */
export function refuseSharedStdout(targets: readonly Target[], json: boolean | undefined): void {
  const owners = [...(json ? ['--json'] : []), ...targets.filter(ownsStdout).map(textOfTarget)]
  if (owners.length < 2) return
  throw new CliError(exit.usage, `Standard output can hold one report, not ${owners.join(' and ')}.`, {
    hint: 'give the others a file, as in --report html=report.html',
  })
}
