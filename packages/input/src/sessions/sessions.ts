import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { count } from '@svc/text'
import type { InputFiles } from '../files.js'
import type { InputFlags } from '../find.js'
import { InputProblem } from '../input-problem.js'
import { trimmed } from '../patterns.js'
import { findInput, findSessionInput, type Input, type InputReading } from '../sources.js'
import { endBytes, isVague, mostEndBytes, type NoSession, type Session, sessionIn, type Tool } from './session-file.js'

export interface SessionFlags {
  fromDate?: Moment
  toDate?: Moment
  cwd?: string
  subagents?: boolean
}

export interface SourceFlags extends SessionFlags, InputFlags {
  source?: Tool
}

/** The input that the flags name: either files, or the sessions of a tool. `now`: in milliseconds since 1970. */
export async function inputOf(
  io: InputFiles,
  paths: readonly string[],
  flags: SourceFlags,
  { now, ...reading }: InputReading & { now: number },
): Promise<Input> {
  const { source, exclude, followLinks } = flags
  const finding = { ...(exclude && { exclude }), ...(followLinks && { followLinks }) }
  if (source !== undefined) {
    if (paths.length === 0) return sessionsOf(io, source, flags, finding, now)
    throw new InputProblem('conflicting_options', `Files and --source ${source} cannot be used together.`, {
      hint: 'use one of them; `svc convert --list` shows the session files',
    })
  }
  refuseSessionFlags(flags)
  if (paths.length > 0) return findInput(io, paths, { ...finding, ...reading })
  throw new InputProblem('missing_input', 'Missing input.', {
    hint: 'add files, directories, or - for standard input; or --source claude-code, codex or gemini',
  })
}

function refuseSessionFlags({ fromDate, toDate, cwd }: SessionFlags): void {
  const [flag] = [fromDate && '--from-date', toDate && '--to-date', cwd !== undefined && '--cwd'].filter(Boolean)
  if (!flag) return
  throw new InputProblem('conflicting_options', `${flag} requires --source.`, {
    hint: `add --source claude-code, codex or gemini; or remove ${flag}`,
  })
}

async function sessionsOf(
  io: InputFiles,
  source: Tool,
  flags: SourceFlags,
  finding: InputFlags,
  now: number,
): Promise<Input> {
  const { sessions, subagents, notes } = await selectSessions(io, source, flags, now)
  const hasFolders = flags.subagents && source === 'claude-code'
  const files = [
    ...[...sessions, ...(flags.subagents ? subagents : [])].map(({ path }) => path),
    ...(hasFolders ? await subagentsOf(io, sessions) : []),
  ]
  return findSessionInput(io, files, `--source ${source}`, { ...finding, notes })
}

export async function selectSessions(io: InputFiles, tool: Tool, flags: SessionFlags, now: number): Promise<Found> {
  const filter = {
    since: flags.fromDate && momentAt(flags.fromDate, now, 'start'),
    until: flags.toDate && momentAt(flags.toDate, now, 'end'),
    cwd: flags.cwd === undefined ? undefined : io.resolve(flags.cwd),
  }
  const found = await findSessions(io, tool, filter, now)
  const left = flags.subagents ? 0 : found.subagents.length
  return left === 0 ? found : { ...found, notes: [...found.notes, `${count(left, 'sub-agent session')} skipped`] }
}

type Found = Awaited<ReturnType<typeof findSessions>>

type SessionIo = Pick<InputFiles, 'env' | 'readDirectory' | 'readEnds' | 'checkpoint'>

/** Find the sessions of a tool on this machine. Other and unreadable files are skipped and counted. */
export async function findSessions(io: SessionIo, tool: Tool, filter: SessionFilter, now: number) {
  const homes = homesOf(tool, io.env)
  if (homes.length === 0) {
    return {
      sessions: [],
      subagents: [],
      notes: [`cannot find ${tool} sessions: neither ${toolHomes[tool].variable} nor HOME is set`],
    }
  }
  const skipped = { otherFormat: 0, empty: 0, unreadable: 0 }
  const all: Session[] = []
  const agents: Session[] = []
  for (const home of homes) {
    for await (const path of pathsIn(io, home, () => skipped.unreadable++)) {
      const found = await sessionAt(io, path, tool, now)
      if (typeof found === 'string') skipped[found]++
      else (found.isSubagent ? agents : all).push(found)
    }
  }
  const sessions = filterSessions(all, filter)
  const notes: string[] = []
  if (all.length === 0) notes.push(`no ${tool} sessions in ${homes.map(({ root }) => root).join(' or ')}`)
  else if (sessions.length === 0)
    notes.push(`none of ${count(all.length, `${tool} session`)} matches --from-date, --to-date and --cwd`)
  if (skipped.otherFormat > 0) notes.push(`${count(skipped.otherFormat, 'file')} in another format skipped`)
  if (skipped.empty > 0) notes.push(`${count(skipped.empty, 'file')} without messages skipped`)
  if (skipped.unreadable > 0) notes.push(`${count(skipped.unreadable, 'unreadable path')} skipped`)
  return { sessions, subagents: filterSessions(agents, filter), notes }
}

async function sessionAt(
  io: SessionIo,
  path: string,
  tool: Tool,
  now: number,
): Promise<Session | NoSession | 'unreadable'> {
  for (let bytes = endBytes; ; bytes *= 16) {
    await io.checkpoint()
    const ends = await io.readEnds(path, bytes).catch(() => undefined)
    if (!ends) return 'unreadable'
    const found = sessionIn(path, ends, tool, now)
    if (bytes >= mostEndBytes || !isVague(found, ends, now)) return found
  }
}

/** The matching files below a home, sorted by name. A missing home has none. */
async function* pathsIn(
  io: SessionIo,
  { root, folder, file }: Home,
  fail: () => void,
  inside = '',
): AsyncGenerator<string> {
  const entries = await io.readDirectory(root + inside).catch((error: NodeJS.ErrnoException) => {
    if (inside !== '' || error.code !== 'ENOENT') fail()
    return []
  })
  for (const { name, kind } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${inside}/${name}`
    const relative = path.slice(1)
    if (kind === 'directory' && folder.test(relative)) yield* pathsIn(io, { root, folder, file }, fail, path)
    else if ((kind === 'file' || kind === 'link') && file.test(relative)) yield root + path
  }
}

const agentFile = /^agent-[^/]*\.jsonl$/

/** The sub-agent files of Claude Code sessions: in the folder of the session, or in older versions beside it with its id. */
async function subagentsOf(io: SessionIo, sessions: readonly Session[]): Promise<string[]> {
  const paths: string[] = []
  const ids = new Set(sessions.flatMap(({ id, path }) => [id, basename(path, '.jsonl')]))
  for (const { path } of sessions) {
    const root = `${path.replace(/\.jsonl$/, '')}/subagents`
    for await (const file of pathsIn(io, { root, folder: /./, file: /(^|\/)agent-[^/]*\.jsonl$/ }, () => {}))
      paths.push(file)
  }
  for (const folder of new Set(sessions.map(({ path }) => path.replace(/\/[^/]*$/, '')))) {
    for await (const file of pathsIn(io, { root: folder, folder: /^$/, file: agentFile }, () => {})) {
      const agent = await sessionAt(io, file, 'claude-code', 0)
      if (typeof agent !== 'string' && ids.has(agent.id)) paths.push(file)
    }
  }
  return paths
}

/** A moment as it is typed: so long before the present, or an ISO 8601 date or time. */
export type Moment = { agoMs: number } | { at: string }

interface SessionFilter {
  /** The first and the last millisecond since 1970 in which a session may last have gone on. */
  since: number | undefined
  until: number | undefined
  /** An absolute path: sessions held in this folder or below it. */
  cwd: string | undefined
}

function momentAt(moment: Moment, now: number, edge: 'start' | 'end'): number {
  if ('agoMs' in moment) return now - moment.agoMs
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(moment.at)
  return Date.parse(moment.at) + (isDay && edge === 'end' ? 86_399_999 : 0)
}

/** The sessions that match a filter, the newest first. */
function filterSessions(sessions: readonly Session[], filter: SessionFilter): Session[] {
  const isWanted = (session: Session) =>
    isInPeriod(session, filter) && (filter.cwd === undefined || ranIn(session, filter.cwd))
  const lastOf = ({ last }: Session) => last ?? -Infinity
  return sessions.filter(isWanted).sort((a, b) => lastOf(b) - lastOf(a) || (a.path < b.path ? -1 : 1))
}

function isInPeriod({ last }: Session, { since, until }: SessionFilter): boolean {
  if (since === undefined && until === undefined) return true
  return last !== undefined && last >= (since ?? -Infinity) && last <= (until ?? Infinity)
}

function ranIn({ cwd, cwdHash }: Session, folder: string): boolean {
  if (cwd === undefined) return cwdHash === createHash('sha256').update(folder).digest('hex')
  const inside = cwd.startsWith(folder) ? cwd.slice(folder.length) : undefined
  return inside !== undefined && (inside === '' || /^[/\\]/.test(inside) || /[/\\]$/.test(folder))
}

interface Home {
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
    homes: [
      {
        root: '/tmp',
        // Sub-agents have a folder with the id of their session.
        folder: /^[^/]+(\/chats(\/[^/]+)?)?$/,
        file: /^[^/]+\/chats\/(session-[^/]+|[^/]+\/[^/]+)\.jsonl?$/,
      },
    ],
  },
}

/** The folders of a tool's sessions; none without a home folder. */
function homesOf(tool: Tool, env: Record<string, string | undefined>): Home[] {
  const { variable, folder, homes } = toolHomes[tool]
  const own = env[variable]
  const home = env.HOME || env.USERPROFILE
  const base = own ? trimmed(own) + folder.ofVariable : home ? trimmed(home) + folder.ofHome : undefined
  return base === undefined ? [] : homes.map((each) => ({ ...each, root: base + each.root }))
}
