import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { nearestUpwards } from './folders.js'
import type { Values } from './resolve.js'
import { checked, textOf } from './settings-file.js'
import type { ProjectSettings, UserSettings } from './shapes.js'

export const projectFileName = 'svc.config.json'

export interface ProjectFile {
  path: string
  settings: ProjectSettings
  /** SHA-256 of the text, in hex. */
  hash: string
}

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

/** Checked first: the file is meant to be committed, so a key in it is public. */
function refuseKeys(path: string, text: string): void {
  const names = [...text.matchAll(/"([^"\\]*)"\s*:/g)].flatMap(([, name = '']) => name)
  const name = names.find((each) => /key|token|secret|password/i.test(each))
  const holdsKey = /sk-(?:service|legacy)-api03-/.test(text)
  if (name === undefined && !holdsKey) return
  throw new CliError(exit.input, `${path}: a project file must not contain a key${name ? ` ("${name}")` : ''}.`, {
    hint: 'remove the key, and revoke it if others could read it; `svc auth login` stores a key privately',
  })
}

export type Trust = 'trusted' | 'changed' | 'unknown'

export function trustIn({ path, hash }: Pick<ProjectFile, 'path' | 'hash'>, user: UserSettings | undefined): Trust {
  const known = user?.trusted?.[path]
  return known === undefined ? 'unknown' : known === hash ? 'trusted' : 'changed'
}

/** The values of a trusted project file. An untrusted file has none, because they decide where keys and transcripts go. */
export function trustedValues({ settings }: ProjectFile, trust: Trust): Values {
  const { baseUrl, publicBaseUrl, project } = settings
  return trust === 'trusted' ? { baseUrl, publicBaseUrl, project } : {}
}

/** A note about ignored values of an untrusted project file. */
export function trustNote({ path }: ProjectFile, trust: Trust, what: 'base URLs' | 'project'): string {
  const why = trust === 'changed' ? 'has changed since it was trusted' : 'is not trusted'
  const ignored = what === 'project' ? 'project is' : 'base URLs are'
  return `note: ${path} ${why}: its ${ignored} ignored; check it, then run \`svc config trust\``
}
