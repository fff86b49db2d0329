import type { ProjectFile } from './project-file.js'
import type { Values } from './resolve.js'
import type { UserSettings } from './shapes.js'

/** What a project file may set by itself: not where keys go, unless the user has said that this very text may. */
export type Trust = 'trusted' | 'changed' | 'unknown'

export function trustIn({ path, hash }: ProjectFile, user: UserSettings | undefined): Trust {
  const known = user?.trusted?.[path]
  return known === undefined ? 'unknown' : known === hash ? 'trusted' : 'changed'
}

/** The values of a project file that count. */
export function trustedValues({ settings }: ProjectFile, trust: Trust): Values {
  const { baseUrl, publicBaseUrl, project } = settings
  return trust === 'trusted' ? { baseUrl, publicBaseUrl, project } : { project }
}

export const trustNote = ({ path }: ProjectFile, trust: Trust): string =>
  trust === 'changed'
    ? `note: ${path} has changed since it was trusted, so its base URLs do not count; look at it, then run \`svc config trust\``
    : `note: the base URLs in ${path} do not count before you have run \`svc config trust\``
