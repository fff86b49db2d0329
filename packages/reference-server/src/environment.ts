import type { Listening } from './http/index.js'
import type { Seed } from './snapshot/index.js'
import { referenceKey, referenceWorkspace, seededIds, type World } from './world/index.js'

/** The fields of a key that limit its use. */
interface LimitedKey {
  key: string
  permissions?: readonly string[] | undefined
  revoked?: boolean | undefined
}

/** The key for a program: the reference key, else one that may do the most; undefined where every one is revoked. */
function mainKey<Key extends LimitedKey>(keys: Iterable<Key>): Key | undefined {
  const usable = [...keys].filter(({ revoked }) => !revoked)
  const preferred = usable.find(({ key }) => key === referenceKey) ?? usable.find(({ permissions }) => !permissions)
  return preferred ?? usable[0]
}

/**
 * Add to a seed what a program needs that is started beside the server: a key, and a project in its workspace. Each project has an
 * id, the same in every run, so that the program's project is still there after a reset.
 */
export function completeSeed(seed: Seed): Seed {
  const workspaces = seed.workspaces ?? [referenceWorkspace]
  const given = seed.keys ?? []
  const keys = mainKey(given) ? given : [...given.filter(({ key }) => key !== referenceKey), { key: referenceKey }]
  const workspace = mainKey(keys)?.workspace ?? workspaces[0] ?? referenceWorkspace
  const projects = seed.projects ?? []
  const isThere = projects.some((project) => (project.workspace ?? workspaces[0]) === workspace)
  const ids = seededIds(2)
  return {
    ...seed,
    workspaces,
    keys,
    projects: [...projects, ...(isThere ? [] : [{ name: 'Mock project', workspace }])].map((project) => ({
      ...project,
      id: project.id ?? `hp-${ids()}`,
    })),
  }
}

/** The names and values of the variables by which a program finds a server. */
export type ServerEnvironment = Readonly<
  Record<
    | 'SVC_API_KEY'
    | 'SVC_ANNOTATION_API_KEY'
    | 'SVC_WORKSPACE_API_KEY'
    | 'SVC_BASE_URL'
    | 'SVC_PUBLIC_BASE_URL'
    | 'SVC_PROJECT',
    string
  >
>

/** The variables by which the client and `svc` find the server, with a key and a project of it: both are created if need be. */
export function environmentOf(
  world: World,
  { baseUrl, publicBaseUrl }: Pick<Listening, 'baseUrl' | 'publicBaseUrl'>,
): ServerEnvironment {
  // A world that was kept may have lost what the seed gave it.
  const { key, workspace } = mainKey(world.keys()) ?? world.createKey({ key: referenceKey })
  const project = world.projects(workspace).at(-1) ?? world.createProject({ workspace, name: 'Mock project' })
  return {
    SVC_API_KEY: key,
    SVC_ANNOTATION_API_KEY: key,
    SVC_WORKSPACE_API_KEY: key,
    SVC_BASE_URL: baseUrl,
    SVC_PUBLIC_BASE_URL: publicBaseUrl,
    SVC_PROJECT: project.record.id,
  }
}

/**
 * The variables by which programs reach this machine without a proxy, beside the hosts that `env` names: some programs read one,
 * some the other.
 */
export function withoutProxy({
  NO_PROXY = '',
  no_proxy = '',
}: Readonly<Record<string, string | undefined>>): Record<'NO_PROXY' | 'no_proxy', string> {
  const named = `${NO_PROXY} ${no_proxy}`.split(/[\s,]+/).filter(Boolean)
  const hosts = new Set(['localhost', '127.0.0.1', '::1', ...named])
  // Most programs understand the asterisk only where it stands alone.
  const value = hosts.has('*') ? '*' : [...hosts].join(',')
  return { NO_PROXY: value, no_proxy: value }
}
