import { CliError, exit } from '../exit.js'
import type { Io } from '../io.js'
import { checked, textOf } from './read-file.js'
import type { ProjectSettings } from './shapes.js'
import { nearestUpwards } from './upwards.js'

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
