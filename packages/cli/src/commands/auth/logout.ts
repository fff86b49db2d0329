import {
  changeUserFile,
  fromEnvironment,
  loadSettings,
  type Profile,
  profileIn,
  requireUserFile,
  resolveSettings,
  type UserSettings,
  withProfile,
} from '../../config/index.js'
import { printJson } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { type SurfaceFlag, surfaceOption, surfacesOf, winningVariables } from './surface-flag.js'

export function logoutCommand(auth: Command, setAction: SetAction): void {
  const command = auth
    .command('logout')
    .description('Remove the keys of a profile')
    .addOption(surfaceOption('surface whose key to remove'))
    .addHelpText('after', examples('svc auth logout', 'svc auth logout --profile work'))
  setAction(command, logout)
}

const logout: Action<[], { surface: SurfaceFlag }> = async (context, _, { surface }) => {
  const settings = await loadSettings(context.io, context.flags, context.say, { mayBeNew: true })
  const { path, settings: stored } = requireUserFile(settings)
  const { profile } = settings
  const changeOf = (now: UserSettings) => withoutKey(profileIn(now, profile), surface)
  const removed = stored !== undefined && Object.keys(changeOf(stored)).length > 0
  if (removed) await changeUserFile(context.io, path, (now) => withProfile(now, profile, changeOf(now)))
  if (context.flags.json) printJson(context, { schema: 'svc/auth-logout@1', profile, file: path, removed })
  context.say(removed ? `removed the key from profile ${profile} in ${path}` : `profile ${profile} has no such key`)
  for (const variable of winningVariables(resolveSettings([fromEnvironment(context.io.env)]), surfacesOf(surface))) {
    context.say(`note: ${variable} still sets a key; unset it to work without one`)
  }
  return undefined
}

type Change = { [Name in keyof Profile]?: string | undefined }

/** The change of a profile that removes the key of a surface; the other surface keeps the key for both. */
function withoutKey(profile: Profile = {}, surface: SurfaceFlag): Change {
  const { apiKey, annotationApiKey, workspaceApiKey } = profile
  const own = {
    ...(annotationApiKey && { annotationApiKey: undefined }),
    ...(workspaceApiKey && { workspaceApiKey: undefined }),
  }
  if (surface === 'both') return { ...own, ...(apiKey && { apiKey: undefined }) }
  const [mine, others] =
    surface === 'annotation'
      ? (['annotationApiKey', 'workspaceApiKey'] as const)
      : (['workspaceApiKey', 'annotationApiKey'] as const)
  if (apiKey) return { apiKey: undefined, [mine]: undefined, [others]: profile[others] ?? apiKey }
  return profile[mine] ? { [mine]: undefined } : {}
}
