import { escapeLine, nearest } from '@svc/text'
import type { Command } from 'commander'
import {
  changeUserFile,
  checkBaseUrl,
  loadSettings,
  masked,
  requireUserFile,
  type Settings,
  serviceProblem,
  type UserSettings,
  unknownProfile,
  withProfile,
} from '../../config/index.js'
import { CliError, exit } from '../../exit.js'
import { printDocument, printRows } from '../../output/index.js'
import { isProjectId, notAProjectId } from '../../project.js'
import {
  keyNames,
  type PlaceName,
  placeNames,
  resolvedNames,
  serviceNames,
  settings,
  userFileOf,
} from '../../settings.js'
import { writeWarning } from '../../terminal.js'
import { type Action, examples, offer, type SetAction } from '../action.js'
import { trustFile } from './trust.js'

export function configCommand(config: Command, setAction: SetAction): void {
  const list = config
    .command('list')
    .description('List the settings in effect; keys are masked')
    .option('--show-origin', 'show the source of each setting')
    .addHelpText('after', examples('svc config list', 'svc config list --show-origin --json'))
  setAction(list, listSettings)

  const get = config
    .command('get <name>')
    .description('Print one setting in effect')
    .addHelpText('after', examples('svc config get baseUrl', 'svc config get project'))
  offer(get, shownNames)
  setAction(get, getSetting)

  const set = config
    .command('set <name> <value>')
    .description('Store a setting in your profile; an empty value removes it')
    .addHelpText(
      'after',
      examples('svc config set baseUrl https://annotate.example.com', 'svc config set baseUrl "" --profile work'),
    )
  offer(set, [...placeNames, 'profile'])
  setAction(set, setSetting)

  const path = config
    .command('path')
    .description('Print the path of your settings file')
    .addHelpText('after', examples('svc config path'))
  setAction(path, showPath)

  const trust = config
    .command('trust [file]')
    .description('Trust a project or policy file in its current form')
    .option('-y, --yes', 'do not ask for confirmation')
    .addHelpText('after', examples('svc config trust --yes', 'svc config trust svc.config.json --yes'))
  setAction(trust, trustFile)
}

const shownNames = ['profile', ...resolvedNames] as const
type ShownName = (typeof shownNames)[number]

interface Shown {
  name: ShownName
  value: string
  origin: string
}

/** A setting as it may be shown: a key by its prefix and last four; undefined if it is not set. */
function shownOf(name: ShownName, settings: Settings, chosenByFlag: boolean): Shown | undefined {
  if (name === 'profile') {
    const { user, profile } = settings
    const origin = chosenByFlag ? '--profile' : user?.settings?.profile === undefined ? 'default' : user.path
    return { name, value: profile, origin }
  }
  const set = settings[name]
  return set && { name, value: isKey(name) ? masked(set.value) : set.value, origin: set.origin.from }
}

const isKey = (name: string): boolean => keyNames.some((each) => each === name)

const listSettings: Action<[], { showOrigin?: boolean }> = async (context, _, { showOrigin = false }) => {
  const settings = await context.settings()
  const set = shownNames.flatMap((name) => shownOf(name, settings, context.flags.profile !== undefined) ?? [])
  if (context.flags.json) {
    const entries = set.map(({ name, value, origin }) => [name, showOrigin ? { value, origin } : value])
    printDocument(context, 'svc/settings@1', { settings: Object.fromEntries(entries) })
  } else {
    const rows = set.map(({ name, value, origin }) => (showOrigin ? [name, value, origin] : [name, value]))
    const columns = ['NAME', { title: 'VALUE', least: 39 }]
    await printRows(context, showOrigin ? [...columns, { title: 'ORIGIN', least: 16 }] : columns, rows)
  }
}

const getSetting: Action<[string], object> = async (context, [given]) => {
  const name = requireName(given, shownNames)
  const set = shownOf(name, await context.settings(), context.flags.profile !== undefined)
  if (!set) {
    throw new CliError(exit.input, `${name} is not set.`, {
      hint: isKey(name) ? '`svc auth login` stores a key' : `\`svc config set ${name} …\` sets it`,
    })
  }
  if (context.flags.json) printDocument(context, 'svc/setting@1', { ...set })
  else context.io.stdout.write(`${escapeLine(set.value)}\n`)
}

function requireName<Name extends string>(name: string, names: readonly Name[]): Name {
  const setting = names.find((each) => each === name)
  if (setting !== undefined) return setting
  const meant = nearest(name, names)
  throw new CliError(exit.usage, `Unknown setting "${name}".`, {
    hint: meant ? `did you mean ${meant}?` : `use one of ${names.join(', ')}`,
  })
}

const setSetting: Action<[string, string], object> = async (context, [given, value]) => {
  if (/key|token|secret|password/i.test(given)) {
    throw new CliError(exit.usage, 'Keys are not accepted on the command line, where others can read them.', {
      hint: '`svc auth login` stores a key',
    })
  }
  const name = requireName(given, [...placeNames, 'profile'])
  const inEffect = await loadSettings(context.io, context.flags, context.say, { mayBeNew: true })
  const user = requireUserFile(inEffect)
  if (value !== '') await check(name, value, user.settings)
  await changeUserFile(context.io, user.path, (now) =>
    name === 'profile'
      ? withDefault(now, value)
      : withProfile(now, inEffect.profile, {
          [name]: value || undefined,
          ...(serviceNames.some((each) => each === name) && { seen: undefined }),
        }),
  )
  if (context.flags.json) printDocument(context, 'svc/setting@1', { name, value: value || null, file: user.path })
  const place = name === 'profile' ? user.path : `profile ${inEffect.profile} of ${user.path}`
  context.say(value === '' ? `removed ${name} from ${place}` : `set ${name} in ${place}`)
  const variable = name === 'profile' ? undefined : settings[name].variable
  if (!variable || !context.io.env[variable]) return
  if (value === '') context.say(`note: ${variable} still sets ${name}; unset it to work without it`)
  else writeWarning(context.io, `${variable} is set and wins over it`)
}

function withDefault({ profile: _, ...settings }: UserSettings, name: string): UserSettings {
  return name === '' ? settings : { ...settings, profile: name }
}

async function check(name: PlaceName | 'profile', value: string, stored: UserSettings | undefined): Promise<void> {
  if (name === 'baseUrl' || name === 'publicBaseUrl') return checkBaseUrl(name, value)
  if (name === 'profile' && !Object.hasOwn(stored?.profiles ?? {}, value)) throw unknownProfile(value, stored)
  const problem = serviceProblem(name, value)
  if (problem) throw new CliError(exit.usage, `${name}: ${problem}.`)
  if (name === 'project' && !isProjectId(value)) throw notAProjectId(exit.usage, `Not a project id: "${value}".`)
}

/** The file is not read: the path of a broken file is printed too. */
const showPath: Action<[], object> = async (context) => {
  const path = context.flags.config ?? userFileOf(context.io.env)
  const user = requireUserFile({ user: path === undefined ? undefined : { path, settings: undefined } })
  const file = context.io.resolve(user.path)
  if (context.flags.json) printDocument(context, 'svc/config-path@1', { path: file })
  else context.io.stdout.write(`${escapeLine(file)}\n`)
}
