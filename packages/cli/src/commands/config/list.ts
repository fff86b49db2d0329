import { inert } from '@svc/text'
import { masked, type Settings } from '../../config/index.js'
import { CliError, exit } from '../../exit.js'
import { printJson, printRows } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { requireName } from './setting-name.js'

export function listCommand(config: Command, setAction: SetAction): void {
  const command = config
    .command('list')
    .description('List the settings in effect; keys are masked')
    .option('--show-origin', 'show the source of each setting')
    .addHelpText('after', examples('svc config list', 'svc config list --show-origin --json'))
  setAction(command, listSettings)
}

export function getCommand(config: Command, setAction: SetAction): void {
  const command = config
    .command('get <name>')
    .description('Print one setting in effect')
    .addHelpText('after', examples('svc config get baseUrl', 'svc config get project'))
  setAction(command, getSetting)
}

const listSettings: Action<[], { showOrigin?: boolean }> = async (context, _, { showOrigin = false }) => {
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
    const columns = ['NAME', { title: 'VALUE', least: 39 }]
    await printRows(context, showOrigin ? [...columns, { title: 'ORIGIN', least: 16 }] : columns, rows)
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
function shown(settings: Settings, chosenByFlag: boolean): Record<ShownName, Shown | undefined> {
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

const getSetting: Action<[string], object> = async (context, [given]) => {
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
