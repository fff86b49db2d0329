import type { ProjectFile } from './project-file.js'
import type { Values } from './resolve.js'
import type { UserSettings } from './shapes.js'

/** Whether the user has said that a file counts, as its text stands now. */
export type Trust = 'trusted' | 'changed' | 'unknown'

export function trustIn({ path, hash }: Pick<ProjectFile, 'path' | 'hash'>, user: UserSettings | undefined): Trust {
  const known = user?.trusted?.[path]
  return known === undefined ? 'unknown' : known === hash ? 'trusted' : 'changed'
}

/** The values of a project file that count: none by itself, because they say where keys and transcripts go. */
export function trustedValues({ settings }: ProjectFile, trust: Trust): Values {
  const { baseUrl, publicBaseUrl, project } = settings
  return trust === 'trusted' ? { baseUrl, publicBaseUrl, project } : {}
}

/** Says what of a project file does not count, and what to do about it. */
export function trustNote({ path }: ProjectFile, trust: Trust, what: 'base URLs' | 'project'): string {
  const [verb, command] = [what === 'project' ? 'does' : 'do', '`svc config trust`']
  return trust === 'changed'
    ? `note: ${path} has changed since it was trusted, so its ${what} ${verb} not count; look at it, then run ${command}`
    : `note: the ${what} in ${path} ${verb} not count before you have run ${command}`
}
