import native, { type PlatformPath } from 'node:path'
import { isArchive, isPacked, isStdin } from '../files.js'
import type { CheckReport } from '../report/index.js'
import { digestOf } from '../values.js'

/**
 * A report with paths relative to the repository's root, with forward slashes; paths outside of it are absolute. `root`
 * and `cwd` are absolute.
 */
export function fromRoot(report: CheckReport, root: string, cwd: string, system: PlatformPath = native): CheckReport {
  const pathOf = (path: string): string => {
    if (isStdin(path)) return path
    const absolute = system.resolve(cwd, path)
    const below = system.relative(root, absolute)
    const isBelow = below.split(system.sep)[0] !== '..' && !system.isAbsolute(below)
    return (isBelow ? below : absolute).split(system.sep).join('/')
  }
  // One file may hold thousands of cases.
  const paths = new Map<string, string>()
  for (const { path } of report.cases) if (!paths.has(path)) paths.set(path, pathOf(path))
  return { ...report, cases: report.cases.map((each) => ({ ...each, path: paths.get(each.path) ?? each.path })) }
}

export const findingId = (values: readonly unknown[]): string => digestOf(values).slice(0, 32)

interface Place {
  path: string
  line: number | null
  column: number | null
}

/**
 * The place of a finding in the repository. A member of an archive is at the archive, and a packed file has no lines.
 * Undefined for standard input.
 */
export function placeInRepository({ path, line, column }: Place): Place | undefined {
  if (isStdin(path)) return undefined
  const steps = path.split('/')
  const archive = steps.findIndex(isArchive)
  const file = archive < 0 ? path : steps.slice(0, archive + 1).join('/')
  return isPacked(file) ? { path: file, line: null, column: null } : { path, line, column }
}
