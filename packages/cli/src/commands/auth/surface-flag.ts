import { Option } from 'commander'
import { namesOf, type Resolved, type Surface, variables } from '../../config/index.js'

export type SurfaceFlag = Surface | 'both'

export const surfaceOption = (description: string): Option =>
  new Option('--surface <which>', description).choices(['annotation', 'workspace', 'both']).default('both')

export const surfacesOf = (flag: SurfaceFlag): Surface[] => (flag === 'both' ? ['annotation', 'workspace'] : [flag])

/** The setting that stores the key of a surface. */
export const storedName = (flag: SurfaceFlag) => (flag === 'both' ? 'apiKey' : namesOf[flag].key)

/** The environment variables that override the stored keys of these surfaces. */
export function winningVariables(settings: Resolved, surfaces: readonly Surface[]): string[] {
  const origins = surfaces.map((surface) => settings[namesOf[surface].key]?.origin)
  const names: readonly string[] = Object.values(variables)
  return [...new Set(origins.flatMap((origin) => (origin && names.includes(origin.from) ? [origin.from] : [])))]
}
