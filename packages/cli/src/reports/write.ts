import { exitCodeFor, reportError } from '../errors/index.js'
import { CliError, type ExitCode, exit } from '../exit.js'
import { isReportText, refuseUnwritableFile, writeOut } from '../input/index.js'
import type { Io } from '../io/index.js'

const what = 'the report'

/** Refuses, before anything is asked, a file to which no report could be written later. */
export const refuseUnwritableReport = (io: Io, file: string): Promise<void> => refuseUnwritableFile(io, what, file)

/** Reports that a file could not be written. Returns the exit code of the command, with 1 in the place of 0. */
export function exitAfter(io: Io, failure: unknown, code: ExitCode): ExitCode {
  if (failure === undefined) return code
  // Never as a JSON document: the result is the one document on stdout.
  reportError(io, failure, exitCodeFor(failure), false)
  return code === exit.ok ? exit.bug : code
}

/**
 * Writes every report to its file. One that cannot be written keeps none of the others from it, and nothing from what is
 * shown: what was wrong is given, to be thrown after that. An earlier report in its place is removed, so that it is not
 * taken for the one of this run. A private one is for this user alone.
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

/** Tell whether a file is a report that `svc` wrote, empty, or not there, so that nothing else is lost where it is replaced. */
export async function isReport(io: Io, file: string): Promise<boolean> {
  if (!io.isThere(file)) return true
  // To open a pipe could wait for ever.
  if (io.fileId(file) === undefined) return false
  const found = await io.readEnds(file, 4096).catch(() => undefined)
  return found !== undefined && (found.size === 0 || isReportText(new TextDecoder().decode(found.head)))
}
