import type { CheckReport } from '@svc/checks'
import type { WritePlace } from '@svc/input'
import { inertJson } from '@svc/text'
import { CliError, exit } from '../exit.js'

/**
 * The target of a report; without a file it is standard output. `github` writes commands there, and a summary to the
 * file that GitHub names.
 */
export type Target = { id: ReportId; file: string | undefined } | { id: 'github'; file: undefined }

/** True for a name of standard output. */
export const isStdout = (file: string): boolean => ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'].includes(file)

/** `html=report.html`, `json=-` for standard output, or `github`; undefined for any other text. */
export const targetOf = (text: string): Target | undefined =>
  text === 'github' ? { id: text, file: undefined } : fileTargetOf(text, reportIds)

export function fileTargetOf<Id extends string>(
  text: string,
  ids: readonly Id[],
): { id: Id; file: string | undefined } | undefined {
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

export const reportIds = ['json', 'junit', 'sarif', 'gitlab', 'md', 'html', 'csv'] as const
export type ReportId = (typeof reportIds)[number]

/** Equal reports give equal bytes. */
type Renderer = (report: CheckReport) => Iterable<string>

/** The bytes of a Markdown report: a comment on GitHub has at most 65 536 characters. */
const mostOfComment = 60_000

export const rendererOf: Record<ReportId, () => Promise<Renderer>> = {
  json: async () => json,
  junit: async () => (await import('@svc/checks')).junit,
  sarif: async () => (await import('@svc/checks')).sarif,
  gitlab: async () => (await import('@svc/checks')).gitlab,
  md: async () => {
    const { markdownWithin } = await import('@svc/checks')
    return (report) => markdownWithin(report, mostOfComment)
  },
  html: async () => (await import('@svc/checks')).html,
  csv: async () => (await import('@svc/checks')).csv,
}

export const diffFormats = ['json', 'md', 'html'] as const

export interface DiffTarget {
  id: (typeof diffFormats)[number]
  file: string | undefined
}

function* json(report: CheckReport): Generator<string> {
  const { cases, ...head } = report
  yield `${inertJson(head, 2).replace(/\n\}$/, '')},\n  "cases": [`
  for (const [at, each] of cases.entries()) yield `${at > 0 ? ',' : ''}\n    ${inertJson(each)}`
  yield `${cases.length > 0 ? '\n  ' : ''}]\n}\n`
}

export const withoutTurns = (report: CheckReport): CheckReport => ({
  ...report,
  cases: report.cases.map(({ turns, ...each }) => each),
})
