import { trimmed } from '../input/index.js'

export const tools = ['claude-code', 'codex', 'gemini'] as const
export type Tool = (typeof tools)[number]

/** A folder of sessions, and patterns of the paths below it. */
export interface Home {
  root: string
  /** Folders to search, as paths from the root. */
  folder: RegExp
  /** Session files, as paths from the root. */
  file: RegExp
}

interface ToolHome {
  /** The environment variable that moves the tool's folder. */
  variable: string
  /** The tool's folder below the variable's value, and below the home directory. */
  folder: { ofVariable: string; ofHome: string }
  homes: readonly Home[]
}

const toolHomes: Record<Tool, ToolHome> = {
  'claude-code': {
    variable: 'CLAUDE_CONFIG_DIR',
    folder: { ofVariable: '', ofHome: '/.claude' },
    homes: [{ root: '/projects', folder: /^[^/]+$/, file: /^[^/]+\/(?!agent-)[^/]+\.jsonl$/ }],
  },
  codex: {
    variable: 'CODEX_HOME',
    folder: { ofVariable: '', ofHome: '/.codex' },
    homes: [
      { root: '/sessions', folder: /^[^/]+(\/[^/]+){0,3}$/, file: /(^|\/)rollout-[^/]+\.jsonl$/ },
      { root: '/archived_sessions', folder: /^[^/]+(\/[^/]+){0,3}$/, file: /(^|\/)rollout-[^/]+\.jsonl$/ },
    ],
  },
  gemini: {
    variable: 'GEMINI_CLI_HOME',
    folder: { ofVariable: '/.gemini', ofHome: '/.gemini' },
    homes: [{ root: '/tmp', folder: /^[^/]+(\/chats)?$/, file: /^[^/]+\/chats\/session-[^/]+\.jsonl?$/ }],
  },
}

export const variableOf = (tool: Tool): string => toolHomes[tool].variable

/** The folders of a tool's sessions; none without a home folder. */
export function homesOf(tool: Tool, env: Record<string, string | undefined>): Home[] {
  const { variable, folder, homes } = toolHomes[tool]
  const own = env[variable]
  const home = env.HOME || env.USERPROFILE
  const base = own ? trimmed(own) + folder.ofVariable : home ? trimmed(home) + folder.ofHome : undefined
  return base === undefined ? [] : homes.map((each) => ({ ...each, root: base + each.root }))
}
