import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { writeWarning } from '../terminal/index.js'
import { checked, textOf } from './settings-file.js'
import type { Profile, UserSettings } from './shapes.js'

export const defaultProfile = 'default'

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
  const text = await textOf(io, path)
  if (text === undefined) return { path, settings: undefined }
  await closeToOthers(io, path)
  return { path, settings: await settingsIn(path, text) }
}

async function settingsIn(path: string, text: string): Promise<UserSettings> {
  const { userShape, namesAt } = await import('./shapes.js')
  return checked(path, text, userShape, namesAt.user)
}

/** Change the user's file, whole or not at all. It is read again, because another command may have changed it meanwhile. */
export async function changeUserFile(
  io: Io,
  path: string,
  change: (settings: UserSettings) => UserSettings,
): Promise<UserSettings> {
  const text = await textOf(io, path)
  const settings = change(settingsOf({ settings: text === undefined ? undefined : await settingsIn(path, text) }))
  try {
    await io.writePrivate(path, `${JSON.stringify(settings, null, 2)}\n`)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new CliError(exit.input, `${path}: cannot write the settings (${code}).`, {
      cause,
      hint: 'name another file with --config or SVC_CONFIG; SVC_API_KEY gives a key without any file',
    })
  }
  return settings
}

/** The settings of the file, or those of a new one. */
export const settingsOf = ({ settings }: Pick<UserFile, 'settings'>): UserSettings =>
  settings ?? { schema: 'svc/config@1' }

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
