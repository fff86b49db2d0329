import native, { type PlatformPath } from 'node:path'
import type { CheckReport } from '@svc/report-viewer'
import { isArchive, isPacked, isStdin } from '../packed-names.js'

/**
 * A report whose paths are those that a repository has: from its root, with forward slashes, wherever the check was run.
 * What is outside of it has an absolute path. Root and working directory are absolute.
 */
export function fromRoot(report: CheckReport, root: string, cwd: string, system: PlatformPath = native): CheckReport {
  const pathOf = (path: string): string => {
    if (isStdin(path)) return path
    const absolute = system.resolve(cwd, path)
    const below = system.relative(root, absolute)
    const isBelow = below.split(system.sep)[0] !== '..' && !system.isAbsolute(below)
    return (isBelow ? below : absolute).split(system.sep).join('/')
  }
  // Thousands of cases may stand in one file.
  const paths = new Map<string, string>()
  for (const { path } of report.cases) if (!paths.has(path)) paths.set(path, pathOf(path))
  return { ...report, cases: report.cases.map((each) => ({ ...each, path: paths.get(each.path) ?? each.path })) }
}

interface Place {
  path: string
  line: number | null
  column: number | null
}

/**
 * Where a repository has a place of a report: for what is in an archive that is the archive, and what is packed has no
 * line there. What came from standard input is nowhere in it.
 */
export function placeInRepository({ path, line, column }: Place): Place | undefined {
  if (isStdin(path)) return undefined
  const steps = path.split('/')
  const archive = steps.findIndex(isArchive)
  const file = archive < 0 ? path : steps.slice(0, archive + 1).join('/')
  return isPacked(file) ? { path: file, line: null, column: null } : { path, line, column }
}
