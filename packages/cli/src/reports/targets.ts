import type { CheckReport } from '@svc/report-viewer'
import { CliError, exit } from '../exit.js'
import type { WritePlace } from '../input/index.js'

/**
 * Where a report goes; undefined is standard output. Reports for GitHub are commands there, and a summary in the file
 * that it names.
 */
export type Target = { id: ReportId; file: string | undefined } | { id: 'github'; file: undefined }

/** Other names of standard output: as files they would be written beside what is shown to the person. */
const stdout = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']

/** `html=report.html`, `json=-` for stdout, or `github`; undefined where it is none of these. */
export const targetOf = (text: string): Target | undefined =>
  text === 'github' ? { id: text, file: undefined } : fileTargetOf(text, reportIds)

/** As `targetOf`, of formats that can all go to a file. */
export function fileTargetOf<Id extends string>(
  text: string,
  ids: readonly Id[],
): { id: Id; file: string | undefined } | undefined {
  const [, name, file] = /^(\w+)=(.+)$/s.exec(text) ?? []
  const id = ids.find((each) => each === name)
  return id && file !== undefined ? { id, file: stdout.includes(file) ? undefined : file } : undefined
}

/** A target as it was given. */
const textOfTarget = ({ id, file = '-' }: Target): string => `--report ${id}${id === 'github' ? '' : `=${file}`}`

export const ownsStdout = ({ file }: Target): boolean => file === undefined

export const goesToFile = <Any extends Pick<Target, 'file'>>(target: Any): target is Any & { file: string } =>
  target.file !== undefined

/** The files of reports. */
export const placesOf = (targets: readonly Target[]): WritePlace[] =>
  targets.filter(goesToFile).map((target) => ({ what: textOfTarget(target), path: target.file }))

/** Refuses a second owner of standard output, the first of which may be `--json`. */
export function refuseSharedStdout(targets: readonly Target[], json: boolean | undefined): void {
  const owners = [...(json ? ['--json'] : []), ...targets.filter(ownsStdout).map(textOfTarget)]
  if (owners.length < 2) return
  throw new CliError(exit.usage, `Standard output can hold one report, not ${owners.join(' and ')}.`, {
    hint: 'give the others a file, as in --report html=report.html',
  })
}

/** Every report that can be written to a file. */
export const reportIds = ['json', 'junit', 'sarif', 'md', 'html'] as const
export type ReportId = (typeof reportIds)[number]

/** A report as parts of a text: the same report gives the same bytes. */
type Renderer = (report: CheckReport) => Iterable<string>

/** Loaded when it is asked for. */
export const rendererOf: Record<ReportId, () => Promise<Renderer>> = {
  json: async () => (await import('./json.js')).json,
  junit: async () => (await import('./junit.js')).junit,
  sarif: async () => (await import('./sarif.js')).sarif,
  md: async () => (await import('./markdown.js')).markdown,
  html: async () => (await import('./html.js')).html,
}

/** What a difference of reports can be written as, beside the text for a person. */
export const diffFormats = ['json', 'md'] as const

/** Where a difference goes; undefined is standard output. */
export interface DiffTarget {
  id: (typeof diffFormats)[number]
  file: string | undefined
}
