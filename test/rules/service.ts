import type { Keys } from './rule.js'
import type { Bases } from './transports/transport.js'

/** A service that the environment names, and the keys that it was given for it. */
export interface Service {
  bases: Bases
  keys: Partial<Keys>
}

/** The variable of each key. */
export const keyVariables: Readonly<Record<keyof Keys, string>> = {
  full: 'SVC_API_KEY',
  reader: 'SVC_READER_KEY',
  writer: 'SVC_WRITER_KEY',
  legacy: 'SVC_LEGACY_KEY',
  foreign: 'SVC_FOREIGN_KEY',
  revoked: 'SVC_REVOKED_KEY',
  deleted: 'SVC_DELETED_KEY',
}

/** The message if no server is set. */
export const howToName = `Which server is to be tried? Set

  SVC_BASE_URL         the base URL of the annotation surface, as in https://svc.example
  SVC_PUBLIC_BASE_URL  that of the workspace surface; default: SVC_BASE_URL and /public/api/v1
  SVC_API_KEY          a key with full access to a workspace that projects may be left behind in

and, as far as there are such keys (rules that need one that is not set are skipped):

  SVC_READER_KEY       of the same workspace, with projects-read alone
  SVC_WRITER_KEY       of the same workspace, with projects-write alone
  SVC_LEGACY_KEY       of the same workspace, an sk-legacy-api03- key with halfpipe-transcripts-write alone
  SVC_FOREIGN_KEY      with full access to another workspace
  SVC_REVOKED_KEY      a key that was revoked
  SVC_DELETED_KEY      a key that was deleted
`

/** Reads a service from variables, of which an empty one is not set; undefined where none is named. */
export function serviceOf(variables: Readonly<Record<string, string | undefined>>): Service | undefined {
  const baseUrl = variables.SVC_BASE_URL?.replace(/\/+$/, '')
  if (!baseUrl) return undefined
  const publicBaseUrl = variables.SVC_PUBLIC_BASE_URL || `${baseUrl}/public/api/v1`
  const given = Object.entries(keyVariables).map(([name, variable]) => [name, variables[variable]])
  return { bases: { baseUrl, publicBaseUrl }, keys: Object.fromEntries(given.filter(([, key]) => key)) }
}
