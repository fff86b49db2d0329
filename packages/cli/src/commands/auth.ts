import { type Command, Option } from 'commander'
import {
  changeUserFile,
  formOf,
  formsOf,
  fromEnvironment,
  loadSettings,
  masked,
  type Profile,
  profileIn,
  type Resolved,
  requireUserFile,
  resolveSettings,
  type Settings,
  type UserSettings,
  withProfile,
} from '../config/index.js'
import type { Context } from '../context.js'
import { type ExitCode, exit } from '../exit.js'
import { refuseUnwritableFile } from '../io/index.js'
import { confirmForm, givenKey, probe, type SurfaceFlag, verify } from '../keys.js'
import { printDocument, printRows } from '../output/index.js'
import { namesOf, type Surface, surfaces } from '../settings.js'
import { writeWarning } from '../terminal.js'
import { type Action, examples, type SetAction } from './action.js'

export function authCommand(auth: Command, setAction: SetAction): void {
  const login = auth
    .command('login')
    .description('Store a key, typed at a prompt or read from standard input')
    .addOption(surfaceOption('surface that the key is for'))
    .option('--with-key', 'read the key from standard input, even from a terminal')
    .option('--force', 'store a key with an unexpected format')
    .option('--no-verify', 'store the key without checking it against the service')
    .addHelpText(
      'after',
      examples('svc auth login < key.txt', 'svc auth login --profile work --surface workspace < key.txt'),
    )
  setAction(login, storeKey)

  const status = auth
    .command('status')
    .description('Show the source of each key, and check each key against the service')
    .option('--offline', 'send no requests')
    .addHelpText('after', examples('svc auth status', 'svc auth status --offline --json'))
  setAction(status, showStatus)

  const logout = auth
    .command('logout')
    .description('Remove the keys of a profile')
    .addOption(surfaceOption('surface whose key to remove'))
    .addHelpText('after', examples('svc auth logout', 'svc auth logout --profile work'))
  setAction(logout, removeKey)
}

const surfaceOption = (description: string): Option =>
  new Option('--surface <which>', description).choices([...surfaces, 'both']).default('both')

const surfacesOf = (flag: SurfaceFlag): readonly Surface[] => (flag === 'both' ? surfaces : [flag])

/** A change of a profile; undefined removes a value. */
type Change = { [Name in keyof Profile]?: string | undefined }

const noKeys: Change = { apiKey: undefined, annotationApiKey: undefined, workspaceApiKey: undefined }

/** The change of a profile that stores a key. A key for both surfaces replaces all that were there. */
const withKey = (surface: SurfaceFlag, key: string): Change =>
  surface === 'both' ? { ...noKeys, apiKey: key } : { [namesOf[surface].key]: key }

interface LoginFlags {
  surface: SurfaceFlag
  withKey?: boolean
  force?: boolean
  verify: boolean
}

const storeKey: Action<[], LoginFlags> = async (context, _, { surface, force = false, ...flags }) => {
  const settings = await loadSettings(context.io, context.flags, context.say, { mayBeNew: true })
  const user = requireUserFile(settings)
  // Known before a key is asked for and checked.
  await refuseUnwritableFile(context.io, 'the settings', user.path)
  const { profile } = settings
  const key = await givenKey(context, flags.withKey ?? false, 'svc auth login')
  for (const form of formsOf(key)) context.keys.add(form)
  await confirmForm(context, key, surface, force)
  const keyStatus = flags.verify ? await verify(context, settings, key, surfacesOf(surface)) : {}
  const stored = await changeUserFile(context.io, user.path, (now) => withProfile(now, profile, withKey(surface, key)))
  if (context.flags.json) {
    const shown = { key: masked(key), form: formOf(key), profile, file: user.path, surfaces: surfacesOf(surface) }
    printDocument(context, 'svc/auth-login@1', { ...shown, key_status: keyStatus })
  }
  context.say(`stored the key ${masked(key)} in profile ${profile} of ${user.path}`)
  for (const variable of keyVariables(settings, surface)) {
    writeWarning(context.io, `${variable} is set and wins over the stored key; unset it to use this one`)
  }
  const { profile: inUse = 'default' } = stored
  if (context.flags.profile !== undefined && profile !== inUse)
    context.say(
      `note: it is used with --profile ${profile}; \`svc config set profile ${profile}\` makes it the default`,
    )
  context.say('next: `svc projects list`, or `svc doctor` to check all settings')
}

/** The environment variables that override the stored keys of these surfaces. */
function keyVariables(settings: Resolved, flag: SurfaceFlag): string[] {
  const origins = surfacesOf(flag).map((surface) => settings[namesOf[surface].key]?.origin)
  return [...new Set(origins.flatMap((origin) => (origin?.layer === 'environment' ? [origin.from] : [])))]
}

const removeKey: Action<[], { surface: SurfaceFlag }> = async (context, _, { surface }) => {
  const settings = await loadSettings(context.io, context.flags, context.say, { mayBeNew: true })
  const { path, settings: stored } = requireUserFile(settings)
  const { profile } = settings
  const changeOf = (now: UserSettings) => withoutKey(profileIn(now, profile), surface)
  const removed = stored !== undefined && Object.keys(changeOf(stored)).length > 0
  if (removed) await changeUserFile(context.io, path, (now) => withProfile(now, profile, changeOf(now)))
  if (context.flags.json) printDocument(context, 'svc/auth-logout@1', { profile, file: path, removed })
  context.say(removed ? `removed the key from profile ${profile} in ${path}` : `profile ${profile} has no such key`)
  for (const variable of keyVariables(resolveSettings([fromEnvironment(context.io.env)]), surface)) {
    context.say(`note: ${variable} still sets a key; unset it to work without one`)
  }
}

/** The change of a profile that removes the key of a surface; the other surface keeps the key for both. */
function withoutKey(profile: Profile = {}, surface: SurfaceFlag): Change {
  const isSet = (name: keyof Profile) => profile[name] !== undefined
  if (surface === 'both') return Object.fromEntries(Object.entries(noKeys).filter(([name]) => isSet(name as 'apiKey')))
  const mine = namesOf[surface].key
  const others = namesOf[surface === 'annotation' ? 'workspace' : 'annotation'].key
  const { apiKey } = profile
  if (apiKey) return { apiKey: undefined, [mine]: undefined, [others]: profile[others] ?? apiKey }
  return isSet(mine) ? { [mine]: undefined } : {}
}

/** The key of one surface; `standing` is the answer of the service, or the reason why it was not asked. */
type KeyStatus = Awaited<ReturnType<typeof statusOf>>

const showStatus: Action<[], { offline?: boolean }> = async (context, _, { offline = false }) => {
  const settings = await context.settings()
  const keys = await Promise.all(surfaces.map((surface) => statusOf(context, settings, surface, offline)))
  if (context.flags.json) {
    const shown = keys.map(({ code: _, words: __, ...each }) => each)
    printDocument(context, 'svc/auth-status@1', { profile: settings.profile, surfaces: shown })
  } else {
    const rows = keys.map((each) => [each.surface, each.key ?? '', each.words, each.from ?? ''])
    await printRows(context, ['SURFACE', 'KEY', 'STANDING', { title: 'FROM', least: 16 }], rows)
  }
  if (keys.every(({ key }) => key === null)) context.say('no key is set; `svc auth login` stores one')
  return exitOf(keys)
}

async function statusOf(context: Context, settings: Settings, surface: Surface, offline: boolean) {
  const key = settings[namesOf[surface].key]
  const baseUrl = settings[namesOf[surface].baseUrl]?.value ?? null
  const shown = {
    surface,
    key: key ? masked(key.value) : null,
    form: key ? formOf(key.value) : null,
    from: key?.origin.from ?? null,
    baseUrl,
  }
  if (!key) return { ...shown, standing: 'no_key', words: 'no key is set', code: exit.ok }
  if (offline) return { ...shown, standing: 'not_asked', words: 'not asked', code: exit.ok }
  if (baseUrl === null)
    return { ...shown, standing: 'no_base_url', words: 'not asked: no base URL is set', code: exit.input }
  const { error: _, ...probed } = await probe(await context.client(), surface, context.call())
  return { ...shown, ...probed }
}

/** A key that is refused first: that is what was asked about. */
function exitOf(keys: readonly KeyStatus[]): ExitCode {
  if (keys.every(({ key }) => key === null)) return exit.auth
  const codes = keys.map(({ code }) => code)
  return codes.includes(exit.auth) ? exit.auth : (codes.find((code) => code !== exit.ok) ?? exit.ok)
}
