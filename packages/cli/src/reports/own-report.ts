import { isReportText } from '../input/known-files.js'
import type { Io } from '../io.js'

/** Tell whether a file is a report that `svc` wrote, empty, or not there, so that nothing else is lost where it is replaced. */
export async function isReport(io: Io, file: string): Promise<boolean> {
  if (!io.isThere(file)) return true
  // To open a pipe could wait for ever.
  if (io.fileId(file) === undefined) return false
  const found = await io.readEnds(file, 4096).catch(() => undefined)
  return found !== undefined && (found.size === 0 || isReportText(new TextDecoder().decode(found.head)))
}
