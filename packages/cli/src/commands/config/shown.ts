import { CliError, exit } from '../../exit.js'
import { nearest } from '../../nearest.js'
import { masked } from '../../settings/key-form.js'
import type { Settings } from '../../settings/load.js'

/** A setting as it may be shown. */
export interface Shown {
  value: string
  origin: string
}

/** The names of settings that are shown. */
export const shownNames = [
  'profile',
  'baseUrl',
  'publicBaseUrl',
  'project',
  'annotationApiKey',
  'workspaceApiKey',
] as const
export type ShownName = (typeof shownNames)[number]

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
export function requireName<Name extends string>(name: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === name)
  if (found !== undefined) return found
  const meant = nearest(name, known)
  throw new CliError(exit.usage, `There is no setting "${name}".`, {
    hint: meant ? `did you mean ${meant}?` : `one of ${known.join(', ')}`,
  })
}
