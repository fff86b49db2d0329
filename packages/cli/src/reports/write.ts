import { exitCodeFor, reportError } from '../errors/index.js'
import { CliError, type ExitCode, exit } from '../exit.js'
import { isReportText, refuseUnwritableFile, writeOut } from '../input/index.js'
import type { Io } from '../io/index.js'

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
 * replacement fails, so that it is not mistaken for this run's. A private report is readable by its owner only.
 */
export async function writeReports<Id>(
  io: Io,
  targets: readonly { id: Id; file: string }[],
  partsOf: (id: Id) => Iterable<string> | Promise<Iterable<string>>,
  isPrivate: (id: Id) => boolean = () => false,
): Promise<unknown> {
  const failures: CliError[] = []
  let bug: unknown
  for (const { id, file } of targets) {
    try {
      await writeOut(io, what, file, await partsOf(id), { isPrivate: isPrivate(id) })
    } catch (error) {
      if (await isReport(io, file)) await io.removeFile(file).catch(() => {})
      if (error instanceof CliError) failures.push(error)
      else bug ??= error
    }
  }
  const [first, ...others] = failures
  if (bug !== undefined || !first || others.length === 0) return bug ?? first
  const details = others.map(({ message }) => message)
  return new CliError(exit.input, first.message, { details, ...(first.hint && { hint: first.hint }) })
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
