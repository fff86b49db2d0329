import { namesOf, type Resolved, type Surface, variables } from '../../config/index.js'

export type SurfaceFlag = Surface | 'both'

export const surfacesOf = (flag: SurfaceFlag): Surface[] => (flag === 'both' ? ['annotation', 'workspace'] : [flag])

/** The names under which a profile holds keys of some surfaces; a surface that keeps its own leaves that of both alone. */
export const storedName = (flag: SurfaceFlag) => (flag === 'both' ? 'apiKey' : namesOf[flag].key)

/** The variables that still give keys for some surfaces, whatever a profile holds. */
export function winningVariables(settings: Resolved, surfaces: readonly Surface[]): string[] {
  const origins = surfaces.map((surface) => settings[namesOf[surface].key]?.origin)
  const names: readonly string[] = Object.values(variables)
  return [...new Set(origins.flatMap((origin) => (origin && names.includes(origin.from) ? [origin.from] : [])))]
}
