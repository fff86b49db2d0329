import { type ReportForm, reportForms } from '@svc/checks'
import type { WritePlace } from '@svc/input'
import { CliError, exit } from '../exit.js'

/**
 * The target of a report; without a file it is standard output. `github` writes commands there, and a summary to the
 * file that GitHub names.
 */
export type Target = { id: ReportForm; file: string | undefined } | { id: 'github'; file: undefined }

/** True for a name of standard output. */
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
