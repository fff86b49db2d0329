import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { nearestUpwards } from './folders.js'
import { checked, textOf } from './read-file.js'
import type { Values } from './resolve.js'
import type { ProjectSettings, UserSettings } from './shapes.js'

export const projectFileName = 'svc.config.json'

/** A project's settings, with the hash of the text that they were read from. */
export interface ProjectFile {
  path: string
  settings: ProjectSettings
  /** SHA-256, hex. */
  hash: string
}

/** The nearest project file from the working directory upwards, to the root of the repository or of the file system. */
export async function findProjectFile(io: Io): Promise<ProjectFile | undefined> {
  const path = nearestUpwards(io, projectFileName)
  return path === undefined ? undefined : readProjectFile(io, path)
}

export async function readProjectFile(io: Io, path: string): Promise<ProjectFile | undefined> {
  const text = await textOf(io, path)
  if (text === undefined) return undefined
  const { projectShape, namesAt } = await import('./shapes.js')
  refuseKeys(path, text)
  const settings = await checked(path, text, projectShape, namesAt.project)
  const { createHash } = await import('node:crypto')
  return { path, settings, hash: createHash('sha256').update(text).digest('hex') }
}

/** Before anything else is said of the file: it is meant to be committed, and a key is known to all who can read it. */
function refuseKeys(path: string, text: string): void {
  const names = [...text.matchAll(/"([^"\\]*)"\s*:/g)].flatMap(([, name = '']) => name)
  const name = names.find((each) => /key|token|secret|password/i.test(each))
  const holdsKey = /sk-(?:service|legacy)-api03-/.test(text)
  if (name === undefined && !holdsKey) return
  throw new CliError(exit.input, `${path}: a project file may not hold a key${name ? ` ("${name}")` : ''}.`, {
    hint: 'take it out, and revoke it if others could read it; `svc auth login` stores a key for you alone',
  })
}

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
