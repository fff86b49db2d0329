import { dirname, join } from 'node:path'
import { checkJson, type NamesAt, type Shape } from '@svc/text'
import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { writeWarning } from '../terminal.js'
import type { Profile, ProjectSettings, UserSettings } from './shapes.js'

const another = 'name another one with --config or SVC_CONFIG'

/** The bound of a settings file: a regular file of at most 1 MiB. */
export const settingsBound = { isPlain: true, maxBytes: 1 << 20 }

async function readText(io: Io, path: string): Promise<string | undefined> {
  if (!io.isThere(path)) return undefined
  try {
    return new TextDecoder().decode(await io.readFile(path, settingsBound))
  } catch (cause) {
    io.stop.throwIfAborted()
    const { code } = cause as NodeJS.ErrnoException
    const hint = `make it readable, or ${another}`
    throw new CliError(exit.input, `${path}: cannot read the settings (${code}).`, { cause, hint })
  }
}

/** The validated value of a settings file. The error names every wrong place, and never the value there. */
async function checked<Value>(
  path: string,
  text: string,
  shape: Shape<Value>,
  namesAt: NamesAt,
  hint = `correct the file, or ${another}`,
): Promise<Value> {
  const checkedFile = await checkJson({ path, text }, shape, namesAt, () => import('@svc/transcripts'))
  if ('value' in checkedFile) return checkedFile.value
  throw new CliError(exit.input, `${path}: the settings cannot be used.`, { details: checkedFile.problems, hint })
}

export const projectFileName = 'svc.config.json'

export interface ProjectFile {
  path: string
  settings: ProjectSettings
  /** SHA-256 of the text, and of the importers that it names, in hex. */
  hash: string
}

export async function findProjectFile(io: Io): Promise<ProjectFile | undefined> {
  const path = nearestUpwards(io, projectFileName)
  const file = path === undefined ? undefined : await readProjectFile(io, path)
  if (path === undefined || file) return file
  throw new CliError(exit.input, `${path}: cannot read the settings: the target of the link does not exist.`, {
    hint: 'restore the target of the link, or remove it',
  })
}

export async function readProjectFile(io: Io, path: string): Promise<ProjectFile | undefined> {
  const text = await readText(io, path)
  if (text === undefined) return undefined
  const { projectShape, namesAt } = await import('./shapes.js')
  refuseKeys(path, text)
  const settings = await checked(path, text, projectShape, namesAt.project, 'correct the file')
  const { hash } = await import('node:crypto')
  const programs = settings.reading?.some(({ importer }) => importer)
    ? await (await import('@svc/checks')).importerFiles(io, { path, text })
    : new Map<string, string>()
  const contents = [text, ...programs.values()].map((each) => hash('sha256', each))
  return { path, settings, hash: contents.length === 1 ? (contents[0] ?? '') : hash('sha256', contents.join()) }
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
  const trustedHash = user?.trusted?.[path]
  return trustedHash === undefined ? 'unknown' : trustedHash === hash ? 'trusted' : 'changed'
}

/** Why the values of a project file are ignored; undefined if it is trusted. */
export const distrustOf = (trust: Trust): string | undefined =>
  trust === 'trusted' ? undefined : trust === 'changed' ? 'has changed since it was trusted' : 'is not trusted'

export function requireUserFile({ user }: { user: UserFile | undefined }): UserFile {
  if (user) return user
  throw new CliError(exit.input, 'Cannot keep settings: there is no home folder.', {
    hint: 'name a file with --config or SVC_CONFIG; SVC_API_KEY gives a key without any file',
  })
}

export interface UserFile {
  path: string
  settings: UserSettings | undefined
}

/** Read the user's file. If others can read it, its permissions are restricted, with a warning. */
export async function readUserFile(io: Io, path: string): Promise<UserFile> {
  const text = await readText(io, path)
  if (text === undefined) return { path, settings: undefined }
  await closeToOthers(io, path)
  return { path, settings: await settingsIn(path, text) }
}

async function settingsIn(path: string, text: string): Promise<UserSettings> {
  const { userShape, namesAt } = await import('./shapes.js')
  return checked(path, text, userShape, namesAt.user)
}

/**
 * Change the user's file, whole or not at all. It is locked and read again, because another command may have changed it
 * meanwhile.
 */
export async function changeUserFile(
  io: Io,
  path: string,
  change: (settings: UserSettings) => UserSettings,
): Promise<UserSettings> {
  const unlock = await io.lock(path).catch((cause: unknown) => {
    throw unwritable(path, cause)
  })
  try {
    const text = await readText(io, path)
    const settings = change(text === undefined ? { schema: 'svc/config@1' } : await settingsIn(path, text))
    await io.writePrivate(path, `${JSON.stringify(settings, null, 2)}\n`).catch((cause: unknown) => {
      throw unwritable(path, cause)
    })
    return settings
  } finally {
    unlock()
  }
}

function unwritable(path: string, cause: unknown): unknown {
  const { code, message, path: lock } = cause as NodeJS.ErrnoException
  if (code === undefined) return cause
  if (code === 'EBUSY' && lock !== undefined)
    return new CliError(exit.temporary, `${path}: another process changes the settings: ${message}.`, {
      cause,
      hint: `run the command again; if that process has ended, remove ${lock}`,
    })
  return new CliError(exit.input, `${path}: cannot write the settings (${code}).`, {
    cause,
    hint: 'name another file with --config or SVC_CONFIG; SVC_API_KEY gives a key without any file',
  })
}

export const profileIn = ({ profiles = {} }: UserSettings, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined

/** Settings with a changed profile; undefined removes a value. */
export function withProfile(
  settings: UserSettings,
  name: string,
  change: { [Name in keyof Profile]?: string | undefined },
): UserSettings {
  const kept = Object.entries({ ...profileIn(settings, name), ...change }).filter(([, value]) => value !== undefined)
  return { ...settings, profiles: { ...settings.profiles, [name]: Object.fromEntries(kept) } }
}

async function closeToOthers(io: Io, path: string): Promise<void> {
  if (((await io.modeOf(path)) & 0o077) === 0) return
  const result = await io.makePrivate(path).then(
    () => 'it is private now',
    () => 'its permissions cannot be changed',
  )
  writeWarning(io, `other users could read ${path}; ${result}. They may know the keys in it.`)
}

/** The nearest file or link with a name, from the working directory up to the root of the repository or file system. */
export function nearestUpwards(io: Pick<Io, 'resolve' | 'isNamed'>, name: string): string | undefined {
  for (let folder = io.resolve('.'); ; folder = dirname(folder)) {
    const path = join(folder, name)
    if (io.isNamed(path)) return path
    if (folder === dirname(folder) || io.isNamed(join(folder, '.git'))) return undefined
  }
}
