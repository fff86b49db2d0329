import { CliError, exit } from '../exit.js'
import { type ReportId, reportIds } from './table.js'

/** Where a report goes. Reports for GitHub are commands on stdout, and a summary in the file that it names. */
export type Target = { id: ReportId; file: string } | { id: ReportId; file: undefined } | { id: 'github' }

/** Other names of standard output: as files they would be written beside what is shown to the person. */
const stdout = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']

/** `html=report.html`, `json=-` for stdout, or `github`; undefined where it is none of these. */
export function targetOf(text: string): Target | undefined {
  if (text === 'github') return { id: text }
  const [, name, file] = /^(\w+)=(.+)$/s.exec(text) ?? []
  const id = reportIds.find((each) => each === name)
  return id && file !== undefined ? { id, file: stdout.includes(file) ? undefined : file } : undefined
}

export const ownsStdout = (target: Target): boolean => target.id === 'github' || target.file === undefined

/** Refuses two reports in one place; standard output has one owner, which may be `--json`. */
export function refuseSharedTargets(
  targets: readonly Target[],
  json: boolean | undefined,
  resolve: (path: string) => string,
): void {
  const owners = [...(json ? ['--json'] : []), ...targets.filter(ownsStdout).map(targetText)]
  if (owners.length > 1) {
    throw new CliError(exit.usage, `Standard output can hold one report, not ${owners.join(' and ')}.`, {
      hint: 'give the others a file, as in --report html=report.html',
    })
  }
  const files = targets.flatMap((target) => ('file' in target && target.file !== undefined ? [target.file] : []))
  const twice = files.find((file, index) => files.findIndex((other) => resolve(other) === resolve(file)) !== index)
  if (twice !== undefined) throw new CliError(exit.usage, `Two reports are to be written to ${twice}.`)
}

const targetText = (target: Target) => `--report ${target.id}${'file' in target ? `=${target.file ?? '-'}` : ''}`
