import { isAbsolute, join } from 'node:path'

/** A value that decides where a command works, or with which key. */
interface Declaration {
  title: string
  variable: `SVC_${string}`
  /** The meaning of the variable, as help and docs print it. */
  meaning: string
  flag?: `--${string}`
}

const declare = <Name extends string>(of: Record<Name, Declaration>): Readonly<Record<Name, Declaration>> => of

/** Secrets: a variable or a profile gives them, never a flag, a project file or `svc config set`. Shown masked only. */
export const keySettings = declare({
  apiKey: { title: 'key, both surfaces', variable: 'SVC_API_KEY', meaning: 'key for both surfaces' },
  annotationApiKey: {
    title: 'annotation key',
    variable: 'SVC_ANNOTATION_API_KEY',
    meaning: 'key for the annotation surface only',
  },
  workspaceApiKey: {
    title: 'workspace key',
    variable: 'SVC_WORKSPACE_API_KEY',
    meaning: 'key for the workspace surface only',
  },
})

/** A project file may have these, too, if it is trusted. */
export const placeSettings = declare({
  baseUrl: {
    title: 'annotation base URL',
    variable: 'SVC_BASE_URL',
    meaning: 'base URL of the annotation surface',
  },
  publicBaseUrl: {
    title: 'workspace base URL',
    variable: 'SVC_PUBLIC_BASE_URL',
    meaning: 'base URL of the workspace surface, with its version prefix',
  },
  project: { title: 'project', variable: 'SVC_PROJECT', meaning: 'default of --project', flag: '--project' },
  listLag: {
    title: 'list lag',
    variable: 'SVC_LIST_LAG',
    meaning: 'default of --list-lag, such as 15s',
    flag: '--list-lag',
  },
  stamp: { title: 'stamps', variable: 'SVC_STAMP', meaning: 'false: default of --no-stamp', flag: '--no-stamp' },
})

/** Settings that `svc init --like` keeps from a saved service. */
export const serviceNames = ['listLag', 'stamp'] as const satisfies readonly (keyof typeof placeSettings)[]

/** Every setting that a variable or a profile can give: the one place where they are declared. */
export const settings = { ...keySettings, ...placeSettings }

export type KeyName = keyof typeof keySettings
export type PlaceName = keyof typeof placeSettings
export type SettingName = KeyName | PlaceName
export type Values = { [Name in SettingName]?: string | undefined }

const namesIn = <Name extends string>(of: Readonly<Record<Name, unknown>>) => Object.keys(of) as Name[]
export const keyNames = namesIn(keySettings)
export const placeNames = namesIn(placeSettings)
export const settingNames = namesIn(settings)

export type Surface = 'annotation' | 'workspace'
export const surfaces: readonly Surface[] = ['annotation', 'workspace']

export const namesOf = {
  annotation: { key: 'annotationApiKey', baseUrl: 'baseUrl' },
  workspace: { key: 'workspaceApiKey', baseUrl: 'publicBaseUrl' },
} as const satisfies Record<Surface, { key: KeyName; baseUrl: PlaceName }>

/** The settings in effect: each surface has a key of its own. */
export const resolvedNames = [...placeNames, ...surfaces.map((surface) => namesOf[surface].key)]
export type ResolvedName = (typeof resolvedNames)[number]

/** The file and the folders of the user: each is named by its variable, else below the folder of XDG. */
export const folders = {
  settings: {
    variable: 'SVC_CONFIG',
    xdg: 'XDG_CONFIG_HOME',
    home: '.config',
    file: 'config.json',
    meaning: 'settings file',
  },
  state: {
    variable: 'SVC_STATE_DIR',
    xdg: 'XDG_STATE_HOME',
    home: '.local/state',
    file: '',
    meaning: 'folder of upload ledgers',
  },
  cache: {
    variable: 'SVC_CACHE_DIR',
    xdg: 'XDG_CACHE_HOME',
    home: '.cache',
    file: '',
    meaning: 'folder of cached annotations',
  },
} as const

type Variables = Record<string, string | undefined>

/** Undefined without a home folder. */
const inFolder =
  (name: keyof typeof folders) =>
  (env: Variables): string | undefined => {
    const { variable, xdg, home, file } = folders[name]
    if (env[variable]) return env[variable]
    // Relative values are ignored, as the XDG specification requires.
    const [xdgRoot, user] = [env[xdg], env.HOME || env.USERPROFILE].map((path) =>
      path && isAbsolute(path) ? path : undefined,
    )
    const root = xdgRoot ?? (user && join(user, home))
    return root && join(root, 'svc', file)
  }

export const userFileOf = inFolder('settings')
export const stateFolderOf = inFolder('state')
export const cacheFolderOf = inFolder('cache')

/** Keys of other kinds, which only `svc contract` uses. */
export const contractKeyVariables = {
  reader: { variable: 'SVC_READER_KEY', meaning: 'same workspace, projects-read alone' },
  writer: { variable: 'SVC_WRITER_KEY', meaning: 'same workspace, projects-write alone' },
  legacy: { variable: 'SVC_LEGACY_KEY', meaning: 'legacy key, halfpipe-transcripts-write alone' },
  foreign: { variable: 'SVC_FOREIGN_KEY', meaning: 'another workspace, full access' },
  revoked: { variable: 'SVC_REVOKED_KEY', meaning: 'a revoked key' },
} as const

type Term = readonly [name: string, meaning: string]

/** The variables of `svc`, for the end of every help. */
export const ownVariables: readonly Term[] = [
  ...settingNames.map((name): Term => [settings[name].variable, settings[name].meaning]),
  ['SVC_FORCE_TTY', 'format piped output as for a terminal of this width'],
]

export const allVariables: readonly Term[] = [
  ...ownVariables.slice(0, -1),
  ...Object.values(folders).map(({ variable, meaning, home, file }): Term => {
    return [variable, `${meaning} (default: ${join('~', home, 'svc', file)})`]
  }),
  ...ownVariables.slice(-1),
  ['XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME', 'parent folders of the three defaults above'],
  ['HTTPS_PROXY, NO_PROXY', 'proxy for requests; hosts that are reached directly'],
  ['NODE_EXTRA_CA_CERTS', 'PEM file with certificates of further authorities'],
  ['NO_COLOR, FORCE_COLOR, TERM', 'color of the output'],
  ['CI', 'if set, svc never prompts and draws no spinner; empty, false and 0 count as not set'],
]
