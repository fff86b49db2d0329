import type { FormatId } from '@svc/transcripts'
import type { InputFiles } from '../files.js'
import { trimmed } from '../patterns.js'

export const tools = ['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'cline', 'opencode'] as const
export type Tool = (typeof tools)[number]

/** The folders of sessions, for help. */
export const sessionFolders = `~/.claude/projects (or CLAUDE_CONFIG_DIR), ~/.codex/sessions and
archived_sessions (or CODEX_HOME), ~/.gemini/tmp (or GEMINI_CLI_HOME), ~/.copilot/session-state
(or COPILOT_HOME) and the chats of VS Code (or VSCODE_PORTABLE, VSCODE_APPDATA),
~/.cursor/projects and state.vscdb of Cursor, ~/.cline/data/tasks and sessions (or CLINE_DIR)
and the tasks of Cline, Roo Code and Kilo Code in the editors, opencode.db and storage in
~/.local/share/opencode (or XDG_DATA_HOME).`

/** The formats of the session files of a tool. */
export const formatsOf: Readonly<Record<Tool, readonly FormatId[]>> = {
  'claude-code': ['claude-code'],
  codex: ['codex'],
  gemini: ['gemini-cli'],
  copilot: ['copilot-chat', 'copilot-cli'],
  cursor: ['cursor'],
  cline: ['cline'],
  opencode: ['opencode'],
}

/** A folder of sessions. */
export interface Home {
  root: string
  /** Folders to search, as paths from the root. */
  folder: RegExp
  /** Session files, as paths from the root. */
  file: RegExp
}

/** The folders in which a tool keeps its sessions; no `homes` without a home folder. */
export interface ToolPlaces {
  homes: Home[]
  /** The variables that move its folders. */
  variables: readonly string[]
  /** Databases of sessions. */
  databases: readonly string[]
  /** Folders of conversations that are not read. */
  unread: readonly string[]
}

type PlaceFiles = Pick<InputFiles, 'env' | 'isThere'>

const editors = ['Code', 'Code - Insiders', 'VSCodium']
const forks = ['Cursor', 'Windsurf']
/** Cline and those that were made of it. */
const extensions = ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline', 'kilocode.kilo-code']
const day = /^[^/]+(\/[^/]+){0,3}$/
const rollout = /(^|\/)rollout-[^/]+\.jsonl$/

/** The folders of the sessions of a tool. Its own variables come before the home folder. */
export function placesOf(tool: Tool, io: PlaceFiles): ToolPlaces {
  const places = placesByTool[tool](io)
  return { databases: [], unread: [], ...places, homes: places.homes.filter(({ root }) => root !== '') }
}

const placesByTool: Readonly<
  Record<Tool, (io: PlaceFiles) => Omit<ToolPlaces, 'databases' | 'unread'> & Partial<ToolPlaces>>
> = {
  'claude-code': (io) => ({
    variables: ['CLAUDE_CONFIG_DIR'],
    homes: [
      {
        root: below(io, 'CLAUDE_CONFIG_DIR', '', '/.claude', '/projects'),
        folder: /^[^/]+$/,
        file: /^[^/]+\/(?!agent-)[^/]+\.jsonl$/,
      },
    ],
  }),
  codex: (io) => ({
    variables: ['CODEX_HOME'],
    homes: ['/sessions', '/archived_sessions'].map((name) => ({
      root: below(io, 'CODEX_HOME', '', '/.codex', name),
      folder: day,
      file: rollout,
    })),
  }),
  gemini: (io) => ({
    variables: ['GEMINI_CLI_HOME'],
    homes: [
      {
        root: below(io, 'GEMINI_CLI_HOME', '/.gemini', '/.gemini', '/tmp'),
        // Sub-agents have a folder with the id of their session.
        folder: /^[^/]+(\/chats(\/[^/]+)?)?$/,
        file: /^[^/]+\/chats\/(session-[^/]+|[^/]+\/[^/]+)\.jsonl?$/,
      },
    ],
  }),
  copilot: (io) => ({
    variables: ['COPILOT_HOME', 'VSCODE_PORTABLE', 'VSCODE_APPDATA'],
    homes: [
      {
        root: below(io, 'COPILOT_HOME', '', '/.copilot', '/session-state'),
        folder: /^[^/]+$/,
        file: /^[^/]+(\/events)?\.jsonl$/,
      },
      ...usersOf(io, editors.slice(0, 2)).flatMap((user) => [
        {
          root: `${user}/workspaceStorage`,
          folder: /^[^/]+(\/chatSessions)?$/,
          file: /^[^/]+\/chatSessions\/[^/]+\.jsonl?$/,
        },
        { root: `${user}/globalStorage/emptyWindowChatSessions`, folder: /^$/, file: /^[^/]+\.jsonl?$/ },
      ]),
    ],
  }),
  cursor: (io) => ({
    variables: [],
    homes: [
      {
        root: below(io, undefined, '', '/.cursor', '/projects'),
        folder: /^[^/]+(\/agent-transcripts(\/[^/]+(\/subagents)?)?)?$/,
        file: /^[^/]+\/agent-transcripts\/.+\.jsonl$/,
      },
    ],
    databases: usersOf(io, ['Cursor']).map((user) => `${user}/globalStorage/state.vscdb`),
    unread: [below(io, undefined, '', '/.cursor', '/chats')],
  }),
  cline: (io) => ({
    variables: ['CLINE_DATA_DIR', 'CLINE_DIR', 'VSCODE_PORTABLE', 'VSCODE_APPDATA'],
    homes: [
      dataOfCline(io, '/tasks'),
      ...[...usersOf(io, [...editors, ...forks]), below(io, undefined, '', '/.vscode-server/data', '/User')].flatMap(
        (user) => (user === '' ? [] : extensions.map((name) => `${user}/globalStorage/${name}/tasks`)),
      ),
    ]
      .map((root) => ({ root, folder: /^[^/]+$/, file: /^[^/]+\/api_conversation_history\.json$/ }))
      .concat({ root: dataOfCline(io, '/sessions'), folder: /^[^/]+$/, file: /^[^/]+\/[^/]+\.messages\.json$/ }),
  }),
  opencode: (io) => {
    const data = below(io, 'XDG_DATA_HOME', '', '/.local/share', '/opencode')
    const root = data && `${data}/storage`
    return {
      variables: ['XDG_DATA_HOME'],
      homes: [{ root, folder: /^session(\/[^/]+)?$/, file: /^session\/[^/]+\/[^/]+\.json$/ }],
      databases: [`${data}/opencode.db`],
    }
  },
}

const dataOfCline = (io: PlaceFiles, folder: string): string =>
  below(io, 'CLINE_DATA_DIR', '', undefined, folder) || below(io, 'CLINE_DIR', '/data', '/.cline/data', folder)

/** A folder below the value of a variable, or else below the home folder; empty if there is neither. */
function below(
  { env }: PlaceFiles,
  variable: string | undefined,
  ofVariable: string,
  ofHome: string | undefined,
  rest: string,
): string {
  const folder = variable === undefined ? undefined : env[variable]
  if (folder) return trimmed(folder) + ofVariable + rest
  const home = env.HOME || env.USERPROFILE
  return home && ofHome !== undefined ? trimmed(home) + ofHome + rest : ''
}

/** The folders of the user data of editors that are made of VS Code, which finds them in this order. */
function usersOf(io: PlaceFiles, names: readonly string[]): string[] {
  const { VSCODE_PORTABLE: portable, VSCODE_APPDATA, APPDATA } = io.env
  if (portable) return [`${trimmed(portable)}/user-data/User`]
  const ofMac = below(io, undefined, '', '/Library', '/Application Support')
  const data =
    VSCODE_APPDATA || APPDATA || (ofMac && io.isThere(ofMac) ? ofMac : below(io, 'XDG_CONFIG_HOME', '', '/.config', ''))
  return data ? names.map((name) => `${trimmed(data)}/${name}/User`) : []
}
