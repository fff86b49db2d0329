import { nearest } from '@svc/text'
import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import {
  keySettings,
  namesOf,
  placeNames,
  type ResolvedName,
  resolvedNames,
  type SettingName,
  type Surface,
  serviceNames,
  settingNames,
  settings,
  userFileOf,
  type Values,
} from '../settings.js'
import {
  distrustOf,
  findProjectFile,
  type ProjectFile,
  profileIn,
  readUserFile,
  type Trust,
  trustIn,
  type UserFile,
} from './settings-file.js'
import type { UserSettings } from './shapes.js'

/** From the strongest to the weakest. */
export const layers = ['flag', 'environment', 'project file', 'profile'] as const

/** A source of values; `from` names it for each of its values. */
export interface Source {
  layer: (typeof layers)[number]
  from(name: SettingName): string
  values: Values
}

export interface Sourced {
  value: string
  origin: { layer: Source['layer']; from: string }
}

/** The values in effect. The key for both surfaces is that of each. */
export type Resolved = Record<ResolvedName, Sourced | undefined>

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
  flags: { config?: string; profile?: string },
  say: (line: string) => void,
  { mayBeNew = false } = {},
): Promise<Settings> {
  const path = flags.config ?? userFileOf(io.env)
  const user = path === undefined ? undefined : await readUserFile(io, io.resolve(path))
  const profile = flags.profile ?? user?.settings?.profile ?? 'default'
  const file = await findProjectFile(io)
  const trust = file ? trustIn(file, user?.settings) : 'unknown'
  const ofProject = file ? [fromProject(file)] : []
  const others = [fromEnvironment(io.env), ...fromProfile(flags, user, profile, mayBeNew)]
  if (file && trust !== 'trusted') {
    const ignored = resolveSettings([...others, ...ofProject])
    const [name] = placeNames.filter((each) => ignored[each]?.origin.layer === 'project file')
    const { reading, exclude } = file.settings
    const what = [
      ...(name === 'baseUrl' || name === 'publicBaseUrl' ? ['base URLs'] : name ? [name] : []),
      ...(reading ? ['reading'] : []),
      ...(exclude ? ['exclude'] : []),
    ]
    if (what.length > 0) {
      const are = what.length > 1 || what[0] === 'base URLs' ? 'are' : 'is'
      const which = what.join(' and ')
      say(
        `note: ${file.path} ${distrustOf(trust)}: its ${which} ${are} ignored; check it, then run \`svc config trust\``,
      )
    }
  }
  // The values of a project file decide where keys and transcripts go.
  const inEffect = resolveSettings(trust === 'trusted' ? [...others, ...ofProject] : others)
  return { ...inEffect, user, profile, projectFile: file && { ...file, trust } }
}

/** An empty variable is unset. */
export const fromEnvironment = (env: Record<string, string | undefined>): Source => ({
  layer: 'environment',
  from: (name) => settings[name].variable,
  values: valuesOf(settingNames, (name) => env[settings[name].variable] || undefined),
})

function fromProfile(
  flags: { config?: string; profile?: string },
  user: UserFile | undefined,
  name: string,
  mayBeNew: boolean,
): Source[] {
  const values = user?.settings && profileIn(user.settings, name)
  if (values) {
    const isChosen = flags.profile !== undefined || flags.config !== undefined
    const place = `profile ${name} in ${user.path}`
    const from = (setting: SettingName) =>
      values.seen !== undefined && serviceNames.some((each) => each === setting)
        ? `${place}, from ${values.seen}`
        : place
    return [{ layer: isChosen ? 'flag' : 'profile', from, values }]
  }
  if (mayBeNew) return []
  if (flags.config !== undefined && !user?.settings) {
    throw new CliError(exit.input, `${flags.config}: the settings file does not exist.`, {
      hint: '`svc auth login` and `svc config set` create one',
    })
  }
  const named = flags.profile ?? user?.settings?.profile
  if (named !== undefined) throw unknownProfile(named, user?.settings, user && ` in ${user.path}`)
  return []
}

export function unknownProfile(name: string, stored: UserSettings | undefined, where = ''): CliError {
  const meant = nearest(name, Object.keys(stored?.profiles ?? {}))
  return new CliError(exit.input, `Unknown profile "${name}"${where}.`, {
    hint: meant ? `did you mean ${meant}?` : '`svc auth login --profile NAME` creates one',
  })
}

const fromProject = ({ path, settings }: ProjectFile): Source => ({
  layer: 'project file',
  from: () => path,
  values: valuesOf(placeNames, (name) => settings[name]),
})

/** The strongest source wins. Within one source, the key of a surface beats the key for both. */
export function resolveSettings(sources: readonly Source[]): Resolved {
  const strongest = [...sources].sort((a, b) => layers.indexOf(a.layer) - layers.indexOf(b.layer))
  const isKey = (name: SettingName) => Object.hasOwn(keySettings, name)
  return valuesOf(resolvedNames, (name): Sourced | undefined => {
    const names: SettingName[] = isKey(name) ? [name, 'apiKey'] : [name]
    for (const { layer, from, values } of strongest) {
      for (const each of names) {
        const value = values[each]
        if (value) return { value, origin: { layer, from: from(each) } }
      }
    }
    return undefined
  })
}

const valuesOf = <Name extends SettingName, Value>(names: readonly Name[], of: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>

/** A warning if the key of a surface comes from a stronger source than its base URL, and may be meant for another one. */
export function strayKey(settings: Resolved, surface: Surface): string | undefined {
  const key = settings[namesOf[surface].key]?.origin
  const address = settings[namesOf[surface].baseUrl]
  if (!key || !address || layers.indexOf(key.layer) >= layers.indexOf(address.origin.layer)) return undefined
  return `the key from ${key.from} goes to the base URL from ${address.origin.from}: ${address.value}`
}

/** A URL without user, password and query, which may be secret. */
export function shownUrl(value: string): string {
  if (!URL.canParse(value)) return '(not a URL)'
  const { protocol, host, pathname } = new URL(value)
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`
}
