import type { Context } from '../../context.js'
import { printJson } from '../../output.js'
import { formsOf } from '../../settings/configured-keys.js'
import { formOf, masked } from '../../settings/key-form.js'
import { loadSettings } from '../../settings/load.js'
import { changeUserFile, requireUserFile, withProfile } from '../../settings/user-file.js'
import { tellWarning } from '../../tell-warning.js'
import type { Work } from '../act.js'
import { givenKey, settleForm } from './given-key.js'
import { type SurfaceFlag, storedName, surfacesOf, winningVariables } from './surfaces.js'
import { verify } from './verify.js'

export interface LoginFlags {
  surface: SurfaceFlag
  withKey?: boolean
  force?: boolean
  verify: boolean
}

export const login: Work<[], LoginFlags> = async (
  context,
  _,
  { surface, withKey = false, force = false, ...flags },
) => {
  const settings = await loadSettings(context.io, context.flags, context.say, { mayBeNew: true })
  const user = requireUserFile(settings)
  const { profile } = settings
  const key = await givenKey(context, withKey)
  for (const form of formsOf(key)) context.keys.add(form)
  await settleForm(context, key, surface, force)
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
    tellWarning(context.io, `${variable} is set and wins over the stored key; unset it to use this one`)
  }
  tellProfile(context, profile, stored.profile)
  return undefined
}

function tellProfile({ say, flags }: Context, stored: string, inUse = 'default'): void {
  if (flags.profile === undefined || stored === inUse) return
  say(`note: it is used with --profile ${stored}; \`svc config set profile ${stored}\` makes it the default`)
}
