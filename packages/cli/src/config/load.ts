import { nearest } from '@svc/text'
import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { fromEnvironment, type Resolved, resolveSettings, type Source, type Sourced } from './resolve.js'
import {
  defaultProfile,
  findProjectFile,
  type ProjectFile,
  profileIn,
  readUserFile,
  type Trust,
  trustedValues,
  trustIn,
  trustNote,
  type UserFile,
  userFileOf,
} from './settings-file.js'

interface SettingsFlags {
  config?: string
  profile?: string
}

export interface Settings extends Resolved {
  /** The user's file, which may be missing; undefined without a home folder. */
  user: UserFile | undefined
  /** The name of the profile in use, which may be missing unless a flag names it. */
  profile: string
  projectFile: (ProjectFile & { trust: Trust }) | undefined
}

/** Read the files and resolve the settings. A file or profile that a flag names must exist, unless `mayBeNew`. */
export async function loadSettings(
  io: Io,
  flags: SettingsFlags,
  say: (line: string) => void,
  { mayBeNew = false } = {},
): Promise<Settings> {
  const path = flags.config ?? userFileOf(io.env)
  const user = path === undefined ? undefined : await readUserFile(io, io.resolve(path))
  const profile = flags.profile ?? user?.settings?.profile ?? defaultProfile
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

function fromProfile(flags: SettingsFlags, user: UserFile | undefined, name: string, mayBeNew: boolean): Source[] {
  const values = user?.settings && profileIn(user.settings, name)
  const isChosen = flags.profile !== undefined || flags.config !== undefined
  if (values) {
    return [{ layer: isChosen ? 'flag' : 'profile', from: `profile ${name} in ${user.path}`, values }]
  }
  if (mayBeNew) return []
  if (flags.config !== undefined && !user?.settings) {
    throw new CliError(exit.input, `${flags.config}: the settings file does not exist.`, {
      hint: '`svc auth login` and `svc config set` create one',
    })
  }
  const named = flags.profile ?? user?.settings?.profile
  if (named === undefined) return []
  const meant = nearest(named, Object.keys(user?.settings?.profiles ?? {}))
  throw new CliError(exit.input, `Unknown profile "${named}"${user ? ` in ${user.path}` : ''}.`, {
    hint: meant ? `did you mean ${meant}?` : '`svc auth login --profile NAME` creates one',
  })
}

const fromProject = (file: ProjectFile | undefined, trust: Trust | undefined): Source[] =>
  file && trust ? [{ layer: 'project file', from: file.path, values: trustedValues(file, trust) }] : []
