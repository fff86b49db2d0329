import { parseDuration } from '@svc/text'
import { CliError, exit } from '../exit.js'
import type { Resolved } from './resolve.js'

/** The flags of an upload that have a default in the settings. */
interface ServiceFlags {
  /** In milliseconds. */
  listLag?: number
  stamp?: boolean
}

/** The problem of a value for a setting of the service; undefined if it is valid, or of another setting. */
export function serviceProblem(name: string, value: string): string | undefined {
  if (name === 'listLag' && parseDuration(value) === undefined) return 'expected a duration such as 15s'
  if (name === 'stamp' && !['true', 'false'].includes(value)) return 'expected true or false'
  return undefined
}

/** Flags of an upload, completed by the settings. */
export function withServiceSettings<Flags extends ServiceFlags>(flags: Flags, { listLag, stamp }: Resolved): Flags {
  for (const [name, set] of Object.entries({ listLag, stamp })) {
    const problem = set && serviceProblem(name, set.value)
    if (problem) throw new CliError(exit.input, `${name} from ${set.origin.from}: ${problem}.`)
  }
  const listLagMs = flags.listLag ?? (listLag && parseDuration(listLag.value))
  return {
    ...flags,
    ...(listLagMs !== undefined && { listLag: listLagMs }),
    ...(stamp?.value === 'false' && { stamp: false }),
  }
}
