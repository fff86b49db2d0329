import {
  changeUserFile,
  formOf,
  formsOf,
  loadSettings,
  masked,
  requireUserFile,
  withProfile,
} from '../../config/index.js'
import type { Context } from '../../context.js'
import { refuseUnwritableFile } from '../../io/index.js'
import { confirmForm, givenKey, verify } from '../../keys.js'
import { printJson } from '../../output/index.js'
import { writeWarning } from '../../terminal/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { type SurfaceFlag, storedName, surfaceOption, surfacesOf, winningVariables } from './surface-flag.js'

export function loginCommand(auth: Command, setAction: SetAction): void {
  const command = auth
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
  setAction(command, login)
}

interface LoginFlags {
  surface: SurfaceFlag
  withKey?: boolean
  force?: boolean
  verify: boolean
}

const login: Action<[], LoginFlags> = async (context, _, { surface, withKey = false, force = false, ...flags }) => {
  const settings = await loadSettings(context.io, context.flags, context.say, { mayBeNew: true })
  const user = requireUserFile(settings)
  // Known before a key is asked for and checked.
  await refuseUnwritableFile(context.io, 'the settings', user.path)
  const { profile } = settings
  const key = await givenKey(context, withKey, 'svc auth login')
  for (const form of formsOf(key)) context.keys.add(form)
  await confirmForm(context, key, surface, force)
  const surfaces = surfacesOf(surface)
  const standings = flags.verify ? await verify(context, settings, key, surfaces) : {}
  // A key for both surfaces replaces all that were there.
  const none = { apiKey: undefined, annotationApiKey: undefined, workspaceApiKey: undefined }
  const change = { ...(surface === 'both' && none), [storedName(surface)]: key }
  const stored = await changeUserFile(context.io, user.path, (now) => withProfile(now, profile, change))
  if (context.flags.json) {
    const shown = { key: masked(key), form: formOf(key), profile, file: user.path, surfaces, standings }
    printJson(context, { schema: 'svc/auth-login@1', ...shown })
  }
  context.say(`stored the key ${masked(key)} in profile ${profile} of ${user.path}`)
  for (const variable of winningVariables(settings, surfaces)) {
    writeWarning(context.io, `${variable} is set and wins over the stored key; unset it to use this one`)
  }
  reportProfile(context, profile, stored.profile)
  context.say('next: `svc projects list`, or `svc doctor` to check all settings')
  return undefined
}

function reportProfile({ say, flags }: Context, stored: string, inUse = 'default'): void {
  if (flags.profile === undefined || stored === inUse) return
  say(`note: it is used with --profile ${stored}; \`svc config set profile ${stored}\` makes it the default`)
}
