import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { writeWarning } from '../terminal/index.js'
import { checked, textOf } from './read-file.js'
import type { Profile, UserSettings } from './shapes.js'

export const defaultProfile = 'default'

/** The user's file, where there is a place for one. */
export function requireUserFile({ user }: { user: UserFile | undefined }): UserFile {
  if (user) return user
  throw new CliError(exit.input, 'There is no home folder to keep settings in.', {
    hint: 'name a file with --config or SVC_CONFIG; SVC_API_KEY gives a key without any file',
  })
}

/** The user's settings as they stand in their file. */
export interface UserFile {
  path: string
  settings: UserSettings | undefined
}

/** Reads the user's file; one that others may read is closed to them, and that is said. */
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

/**
 * Changes the user's file, whole or not at all, for this user alone. It is read again, because another command may have
 * written it while this one asked somebody or the service. Gives the settings as they are then.
 */
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
    throw new CliError(exit.input, `${path}: the settings cannot be written (${code}).`, {
      cause,
      hint: 'name another file with --config or SVC_CONFIG; SVC_API_KEY gives a key without any file',
    })
  }
  return settings
}

/** The settings to change: those of the file, or the first of a new one. */
export const settingsOf = ({ settings }: Pick<UserFile, 'settings'>): UserSettings =>
  settings ?? { schema: 'svc/config@1' }

export const profileIn = ({ profiles = {} }: UserSettings, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined

/** Settings in which one profile is changed; a value that is undefined is taken out. */
export function withProfile(
  settings: UserSettings,
  name: string,
  change: { [Name in keyof Profile]?: string | undefined },
): UserSettings {
  const kept = Object.entries({ ...profileIn(settings, name), ...change }).filter(([, value]) => value !== undefined)
  return { ...settings, profiles: { ...settings.profiles, [name]: Object.fromEntries(kept) } }
}

/** Close a file to everybody else on this machine, with a warning where others could open it. */
async function closeToOthers(io: Io, path: string): Promise<void> {
  if (((await io.modeOf(path)) & 0o077) === 0) return
  const closed = await io.makePrivate(path).then(
    () => 'now it is yours alone',
    () => 'and that could not be changed',
  )
  writeWarning(io, `others on this machine could open ${path}; ${closed}. A key in it may be known to them.`)
}
