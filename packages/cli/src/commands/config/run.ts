import {
  changeUserFile,
  loadSettings,
  masked,
  requireUserFile,
  type Settings,
  settingsOf,
  type UserSettings,
  userFileOf,
  variables,
  withProfile,
} from '../../config/index.js'
import { forShell } from '../../errors/index.js'
import { CliError, exit } from '../../exit.js'
import { nearest } from '../../nearest.js'
import { printJson, printRows } from '../../output/index.js'
import { isProjectId } from '../../project.js'
import { inert, writeWarning } from '../../terminal/index.js'
import type { Work } from '../act.js'

export const listSettings: Work<[], { showOrigin?: boolean }> = async (context, _, { showOrigin = false }) => {
  const values = shown(await context.settings(), context.flags.profile !== undefined)
  const set = shownNames.flatMap((name) => {
    const each = values[name]
    return each ? [{ name, ...each }] : []
  })
  if (context.flags.json) {
    const settings = Object.fromEntries(
      set.map(({ name, value, origin }) => [name, showOrigin ? { value, origin } : value]),
    )
    printJson(context, { schema: 'svc/settings@1', settings })
  } else {
    const rows = set.map(({ name, value, origin }) => (showOrigin ? [name, value, origin] : [name, value]))
    printRows(context, showOrigin ? ['NAME', 'VALUE', 'ORIGIN'] : ['NAME', 'VALUE'], rows)
  }
  return undefined
}

/** A setting as it may be shown. */
interface Shown {
  value: string
  origin: string
}

/** The names of settings that are shown. */
const shownNames = ['profile', 'baseUrl', 'publicBaseUrl', 'project', 'annotationApiKey', 'workspaceApiKey'] as const
type ShownName = (typeof shownNames)[number]

/** The settings in force, keys by prefix and last four; undefined for what is not set. */
export function shown(settings: Settings, chosenByFlag: boolean): Record<ShownName, Shown | undefined> {
  const of = (name: Exclude<ShownName, 'profile'>): Shown | undefined => {
    const set = settings[name]
    if (!set) return undefined
    return { value: name.endsWith('ApiKey') ? masked(set.value) : set.value, origin: set.origin.from }
  }
  const { user, profile } = settings
  const origin = chosenByFlag ? '--profile' : user?.settings?.profile === undefined ? 'default' : user.path
  return {
    profile: { value: profile, origin },
    baseUrl: of('baseUrl'),
    publicBaseUrl: of('publicBaseUrl'),
    project: of('project'),
    annotationApiKey: of('annotationApiKey'),
    workspaceApiKey: of('workspaceApiKey'),
  }
}

/** Refuses a name that no setting has. */
function requireName<Name extends string>(name: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === name)
  if (found !== undefined) return found
  const meant = nearest(name, known)
  throw new CliError(exit.usage, `There is no setting "${name}".`, {
    hint: meant ? `did you mean ${meant}?` : `one of ${known.join(', ')}`,
  })
}

export const getSetting: Work<[string], object> = async (context, [given]) => {
  const name = requireName(given, shownNames)
  const set = shown(await context.settings(), context.flags.profile !== undefined)[name]
  if (!set) {
    throw new CliError(exit.input, `${name} is not set.`, {
      hint: name.endsWith('ApiKey') ? '`svc auth login` stores a key' : `\`svc config set ${name} …\` sets it`,
    })
  }
  if (context.flags.json) printJson(context, { schema: 'svc/setting@1', name, ...set })
  else context.io.stdout.write(`${inert(set.value)}\n`)
  return undefined
}

/** Reads nothing, so that it also says where a file is that cannot be read. */
export const showPath: Work<[], object> = async (context) => {
  const path = context.flags.config ?? userFileOf(context.io.env)
  const user = requireUserFile({ user: path === undefined ? undefined : { path, settings: undefined } })
  const file = context.io.resolve(user.path)
  if (context.flags.json) printJson(context, { schema: 'svc/config-path@1', path: file })
  else context.io.stdout.write(`${inert(file)}\n`)
  return undefined
}

const names = ['baseUrl', 'publicBaseUrl', 'project', 'profile'] as const
type Name = (typeof names)[number]

export const setSetting: Work<[string, string], object> = async (context, [given, value]) => {
  if (/key|token|secret|password/i.test(given)) {
    throw new CliError(exit.usage, 'A key is never given on the command line, where others can read it.', {
      hint: '`svc auth login` stores a key',
    })
  }
  const name = requireName(given, names)
  const settings = await loadSettings(context.io, context.flags, context.say, { mayBeNew: true })
  const user = requireUserFile(settings)
  if (value !== '') await check(name, value, settingsOf(user))
  await changeUserFile(context.io, user.path, (now) =>
    name === 'profile' ? withDefault(now, value) : withProfile(now, settings.profile, { [name]: value || undefined }),
  )
  if (context.flags.json) printJson(context, { schema: 'svc/setting@1', name, value: value || null, file: user.path })
  const place = name === 'profile' ? user.path : `profile ${settings.profile} of ${user.path}`
  context.say(value === '' ? `took ${name} out of ${place}` : `set ${name} in ${place}`)
  const variable = name === 'profile' ? undefined : variables[name]
  if (!variable || !context.io.env[variable]) return undefined
  if (value === '') context.say(`note: ${variable} still gives a ${name}; unset it to work without`)
  else writeWarning(context.io, `${variable} is set and wins over it`)
  return undefined
}

function withDefault({ profile: _, ...settings }: UserSettings, name: string): UserSettings {
  return name === '' ? settings : { ...settings, profile: name }
}

async function check(name: Name, value: string, { profiles = {} }: UserSettings): Promise<void> {
  if (name === 'profile') return checkProfile(value, Object.keys(profiles))
  if (name === 'project') {
    if (isProjectId(value)) return
    throw new CliError(exit.usage, `It is not a project id: "${value}".`, {
      hint: 'a project id is hp- and a UUID; `svc projects list` shows the ids',
    })
  }
  const { createClient } = await import('@svc/client')
  try {
    // As if a key were to go there: a base URL that is fit for that is fit for all.
    createClient({ environment: {}, apiKey: 'none', [name]: value })
  } catch (cause) {
    throw new CliError(exit.input, cause instanceof Error ? forShell(cause.message) : String(cause), {
      hint: 'give an https URL, or http to this machine',
      cause,
    })
  }
}

function checkProfile(name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const meant = nearest(name, known)
  throw new CliError(exit.input, `There is no profile "${name}".`, {
    hint: meant ? `did you mean ${meant}?` : `\`svc auth login --profile NAME\` makes one`,
  })
}
