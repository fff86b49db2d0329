import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { nearest } from '../nearest.js'
import { userFileOf } from './folders.js'
import { findProjectFile, type ProjectFile, type Trust, trustedValues, trustIn, trustNote } from './project-file.js'
import { fromEnvironment, type Resolved, resolveSettings, type Source, type Sourced } from './resolve.js'
import { defaultProfile, profileIn, readUserFile, type UserFile } from './user-file.js'

/** The flags that choose where settings come from. */
interface SettingsFlags {
  config?: string
  profile?: string
}

/** The settings of a run, and where they were looked for. */
export interface Settings extends Resolved {
  /** The user's file; undefined where there is no home. It need not be there. */
  user: UserFile | undefined
  /** The name of the profile in use; it need not be there unless a flag names it. */
  profile: string
  projectFile: (ProjectFile & { trust: Trust }) | undefined
}

/**
 * Reads the files that there are, and resolves the settings; what is to be known of them is said. A file or a profile
 * that a flag names must be there, unless it may be new.
 */
export async function loadSettings(
  io: Io,
  flags: SettingsFlags,
  say: (line: string) => void,
  { mayBeNew = false } = {},
): Promise<Settings> {
  const user = await openUserFile(io, flags)
  const profile = profileName(flags, user)
  const file = await findProjectFile(io)
  const trust = file && trustIn(file, user?.settings)
  const sources = [fromEnvironment(io.env), ...fromProfile(flags, user, profile, mayBeNew)]
  const settings = resolveSettings([...sources, ...fromProject(file, trust)])
  if (file && trust && trust !== 'trusted') {
    const { baseUrl, publicBaseUrl, project } = resolveSettings([...sources, ...fromProject(file, 'trusted')])
    const wouldCount = (value: Sourced | undefined) => value?.origin.layer === 'project file'
    if (wouldCount(baseUrl) || wouldCount(publicBaseUrl)) say(trustNote(file, trust, 'base URLs'))
    else if (wouldCount(project)) say(trustNote(file, trust, 'project'))
  }
  return { ...settings, user, profile, projectFile: file && trust && { ...file, trust } }
}

async function openUserFile(io: Io, { config }: SettingsFlags): Promise<UserFile | undefined> {
  const path = config ?? userFileOf(io.env)
  return path === undefined ? undefined : readUserFile(io, io.resolve(path))
}

const profileName = (flags: SettingsFlags, user: UserFile | undefined): string =>
  flags.profile ?? user?.settings?.profile ?? defaultProfile

function fromProfile(flags: SettingsFlags, user: UserFile | undefined, name: string, mayBeNew: boolean): Source[] {
  const values = user?.settings && profileIn(user.settings, name)
  const isChosen = flags.profile !== undefined || flags.config !== undefined
  if (values) {
    return [{ layer: isChosen ? 'flag' : 'profile', from: `profile ${name} in ${user.path}`, values }]
  }
  if (mayBeNew) return []
  if (flags.config !== undefined && !user?.settings) {
    throw new CliError(exit.input, `${flags.config}: there is no such file of settings.`, {
      hint: '`svc auth login` and `svc config set` make one',
    })
  }
  const named = flags.profile ?? user?.settings?.profile
  if (named === undefined) return []
  const meant = nearest(named, Object.keys(user?.settings?.profiles ?? {}))
  throw new CliError(exit.input, `There is no profile "${named}"${user ? ` in ${user.path}` : ''}.`, {
    hint: meant ? `did you mean ${meant}?` : '`svc auth login --profile NAME` makes one',
  })
}

const fromProject = (file: ProjectFile | undefined, trust: Trust | undefined): Source[] =>
  file && trust ? [{ layer: 'project file', from: file.path, values: trustedValues(file, trust) }] : []
