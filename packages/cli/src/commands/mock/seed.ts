import { referenceKey, referenceWorkspace, type Seed, seededIds } from '@svc/reference-server/core'

/** What of a key says how much may be done with it. */
interface Rated {
  key: string
  permissions?: readonly string[] | undefined
  revoked?: boolean | undefined
}

/** The key for the command: the reference key, else one that may do the most; undefined where every one is revoked. */
export function mainKey<Key extends Rated>(keys: Iterable<Key>): Key | undefined {
  const usable = [...keys].filter(({ revoked }) => !revoked)
  const known = usable.find(({ key }) => key === referenceKey) ?? usable.find(({ permissions }) => !permissions)
  return known ?? usable[0]
}

/**
 * A seed with a key for the command, and a project in its workspace. Each project has an id of its own, the same in every
 * run, so that the command's project is still there after a reset.
 */
export function completed(seed: Seed): Seed {
  const workspaces = seed.workspaces ?? [referenceWorkspace]
  const given = seed.keys ?? []
  const keys = mainKey(given) ? given : [...given.filter(({ key }) => key !== referenceKey), { key: referenceKey }]
  const workspace = mainKey(keys)?.workspace ?? workspaces[0] ?? referenceWorkspace
  const projects = seed.projects ?? []
  const isThere = projects.some((project) => (project.workspace ?? workspaces[0]) === workspace)
  const ids = seededIds(2)
  return {
    workspaces,
    keys,
    projects: [...projects, ...(isThere ? [] : [{ name: 'Mock project', workspace }])].map((project) => ({
      ...project,
      id: project.id ?? `hp-${ids()}`,
    })),
  }
}
