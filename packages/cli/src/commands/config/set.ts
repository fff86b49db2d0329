import { nearest } from '@svc/text'
import {
  changeUserFile,
  checkBaseUrl,
  loadSettings,
  requireUserFile,
  settingsOf,
  type UserSettings,
  variables,
  withProfile,
} from '../../config/index.js'
import { CliError, exit } from '../../exit.js'
import { printJson } from '../../output/index.js'
import { isProjectId } from '../../project.js'
import { writeWarning } from '../../terminal/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { requireName } from './setting-name.js'

export function setCommand(config: Command, setAction: SetAction): void {
  const command = config
    .command('set <name> <value>')
    .description('Store a setting in your profile; an empty value removes it')
    .addHelpText(
      'after',
      examples('svc config set baseUrl https://annotate.example.com', 'svc config set baseUrl "" --profile work'),
    )
  setAction(command, setSetting)
}

const names = ['baseUrl', 'publicBaseUrl', 'project', 'profile'] as const
type Name = (typeof names)[number]

const setSetting: Action<[string, string], object> = async (context, [given, value]) => {
  if (/key|token|secret|password/i.test(given)) {
    throw new CliError(exit.usage, 'Keys are not accepted on the command line, where others can read them.', {
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
  context.say(value === '' ? `removed ${name} from ${place}` : `set ${name} in ${place}`)
  const variable = name === 'profile' ? undefined : variables[name]
  if (!variable || !context.io.env[variable]) return undefined
  if (value === '') context.say(`note: ${variable} still sets ${name}; unset it to work without it`)
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
    throw new CliError(exit.usage, `Not a project id: "${value}".`, {
      hint: 'a project id is hp- and a UUID; `svc projects list` shows the ids',
    })
  }
  checkBaseUrl(name, value)
}

function checkProfile(name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const meant = nearest(name, known)
  throw new CliError(exit.input, `Unknown profile "${name}".`, {
    hint: meant ? `did you mean ${meant}?` : `\`svc auth login --profile NAME\` creates one`,
  })
}
