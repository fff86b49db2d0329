import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { count, firstNames, parseJson } from '@svc/text'
import { ContainerError } from '@svc/transcripts/containers'
import type { InputFiles } from '../files.js'
import type { InputFlags } from '../find.js'
import { InputProblem } from '../input-problem.js'
import { findInput, findSessionInput, type Input, type InputReading } from '../sources.js'
import {
  endBytes,
  isVague,
  mostEndBytes,
  type NoSession,
  namesSession,
  type Session,
  sessionIn,
  titleOf,
} from './session-file.js'
import { type Home, placesOf, type Tool, tools } from './tools.js'

export interface SessionFlags {
  fromDate?: Moment
  toDate?: Moment
  cwd?: string
  subagents?: boolean
}

export interface SourceFlags extends SessionFlags, InputFlags {
  sessions?: Tool
}

/** The input that the flags name: either files, or the sessions of a tool. `now`: in milliseconds since 1970. */
export async function inputOf(
  io: InputFiles,
  paths: readonly string[],
  flags: SourceFlags,
  { now, ...reading }: InputReading & { now: number },
): Promise<Input> {
  const { sessions: tool, exclude, excludeInSettings, followLinks } = flags
  const finding = { ...(exclude && { exclude }), excludeInSettings, ...(followLinks && { followLinks }) }
  if (tool !== undefined) {
    if (paths.length === 0) return sessionsOf(io, tool, flags, now)
    throw new InputProblem('conflicting_options', `Files and --sessions ${tool} cannot be used together.`, {
      hint: 'use one of them; `svc convert --list-sessions` shows the session files',
    })
  }
  refuseSessionFlags(flags)
  if (paths.length > 0) return findInput(io, paths, { ...finding, ...reading })
  throw new InputProblem('missing_input', 'Missing input.', {
    hint: `add files, directories, or - for standard input; or --sessions ${tools.join(', ')}`,
  })
}

function refuseSessionFlags({ fromDate, toDate, cwd }: SessionFlags): void {
  const [flag] = [fromDate && '--from-date', toDate && '--to-date', cwd !== undefined && '--cwd'].filter(Boolean)
  if (!flag) return
  throw new InputProblem('conflicting_options', `${flag} requires --sessions.`, {
    hint: `add --sessions ${tools.join(', ')}; or remove ${flag}`,
  })
}

/** The sessions of a tool; only those of the files for which `isWanted` is true, if it is given. */
export async function sessionsOf(
  io: InputFiles,
  tool: Tool,
  flags: SourceFlags,
  now: number,
  isWanted?: (path: string) => Promise<boolean>,
): Promise<Input> {
  const { sessions, subagents, notes } = await selectSessions(io, tool, flags, now, isWanted)
  const hasFolders = flags.subagents && tool === 'claude-code'
  const selected = [...sessions, ...(flags.subagents ? subagents : [])]
  const files = [
    ...selected.flatMap(({ path, id, stored }) =>
      stored ? [] : namesSession(tool) && id !== undefined ? { path, id } : { path },
    ),
    ...databasesOf(selected),
    ...(hasFolders ? await subagentsOf(io, sessions) : []).map((path) => ({ path })),
  ]
  return findSessionInput(io, files, `--sessions ${tool}`, { ...flags, notes })
}

/** The databases of sessions, each with the members that are read. */
function databasesOf(sessions: readonly Session[]): { path: string; members: string[] }[] {
  const members = new Map<string, string[]>()
  for (const { stored } of sessions)
    if (stored) members.set(stored.database, [...(members.get(stored.database) ?? []), stored.member])
  return [...members].map(([path, each]) => ({ path, members: each }))
}

export async function selectSessions(
  io: InputFiles,
  tool: Tool,
  flags: SessionFlags,
  now: number,
  isWanted?: (path: string) => Promise<boolean>,
): Promise<Found> {
  const filter = {
    since: flags.fromDate && momentAt(flags.fromDate, now, 'start'),
    until: flags.toDate && momentAt(flags.toDate, now, 'end'),
    cwd: flags.cwd === undefined ? undefined : io.resolve(flags.cwd),
  }
  const sessions = await findSessions(io, tool, filter, now, isWanted)
  const left = flags.subagents ? 0 : sessions.subagents.length
  return left === 0
    ? sessions
    : { ...sessions, notes: [...sessions.notes, `${count(left, 'sub-agent session')} skipped`] }
}

type Found = Awaited<ReturnType<typeof findSessions>>

type SessionIo = Pick<InputFiles, 'env' | 'readDirectory' | 'readEnds' | 'openFile' | 'isThere' | 'checkpoint'>

/** Find the sessions of a tool on this machine. Other and unreadable files are skipped and counted. */
export async function findSessions(
  io: SessionIo,
  tool: Tool,
  filter: SessionFilter,
  now: number,
  isWanted: (path: string) => Promise<boolean> = async () => true,
) {
  const { homes, variables, databases, unread } = placesOf(tool, io)
  if (homes.length === 0) {
    const unset = variables.length > 0 ? `neither ${[...variables, 'HOME'].join(' nor ')} is set` : 'HOME is not set'
    return { sessions: [], subagents: [], notes: [`cannot find ${tool} sessions: ${unset}`] }
  }
  const skipped = { otherFormat: 0, empty: 0, unreadable: 0 }
  const all: Session[] = []
  const agents: Session[] = []
  for (const home of homes) {
    for await (const path of pathsIn(io, home, () => skipped.unreadable++)) {
      if (!(await isWanted(path))) continue
      const session = await sessionAt(io, path, tool, now)
      if (typeof session === 'string') skipped[session]++
      else (session.isSubagent ? agents : all).push(session)
    }
  }
  const notes: string[] = []
  for (const path of databases.filter((path) => io.isThere(path))) {
    if (!(await isWanted(path))) continue
    const stored = await storedIn(io, path, tool)
    if (typeof stored === 'string') notes.push(stored)
    else for (const session of stored) (session.isSubagent ? agents : all).push(session)
  }
  const sessions = filterSessions(all, filter)
  const roots = homes.map(({ root }) => root)
  if (all.length === 0)
    notes.push(`no ${tool} sessions in ${roots.length > 2 ? firstNames(roots) : roots.join(' or ')}`)
  else if (sessions.length === 0)
    notes.push(`none of ${count(all.length, `${tool} session`)} matches --from-date, --to-date and --cwd`)
  if (skipped.otherFormat > 0) notes.push(`${count(skipped.otherFormat, 'file')} in another format skipped`)
  if (skipped.empty > 0) notes.push(`${count(skipped.empty, 'file')} without messages skipped`)
  if (skipped.unreadable > 0) notes.push(`${count(skipped.unreadable, 'unreadable path')} skipped`)
  for (const path of unread.filter((path) => io.isThere(path)))
    notes.push(`${path}: these conversations are not read; export them from ${tool}`)
  return { sessions, subagents: filterSessions(agents, filter), notes }
}

/** The sessions in a database, or why it cannot be read. */
async function storedIn(io: SessionIo, database: string, tool: Tool): Promise<Session[] | string> {
  await io.checkpoint()
  try {
    const { files } = await io.openFile(database)
    if (files.every(({ session }) => session === undefined)) return `${database}: no session that can be read`
    return files.flatMap(({ member, session }) =>
      member === undefined || session === undefined
        ? []
        : {
            tool,
            path: `${database}/${member}`,
            stored: { database, member },
            started: session.started,
            last: session.changed,
            cwd: session.cwd,
            cwdHash: undefined,
            title: titleOf(session.title ?? ''),
            id: session.id,
            isSubagent: session.parent !== undefined,
          },
    )
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return `${database}: ${error instanceof ContainerError ? message : `cannot be read (${code ?? message})`}`
  }
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
    const session = sessionIn(path, ends, tool, now)
    if (tool === 'opencode' && typeof session !== 'string') {
      const messages = path.replace(/session\/[^/]+\/[^/]+$/, `message/${session.id}`)
      if ((await io.readDirectory(messages).catch(() => [])).length === 0) return 'empty'
    }
    if (bytes >= mostEndBytes || !isVague(session, ends, now))
      return typeof session === 'string' ? session : { ...session, cwd: session.cwd ?? (await workspaceOf(io, path)) }
  }
}

/** The folder that a session of VS Code belongs to, which a file beside the sessions names. */
async function workspaceOf(io: SessionIo, path: string): Promise<string | undefined> {
  const folder = /^(.*\/workspaceStorage\/[^/]+)\/chatSessions\//s.exec(path)?.[1]
  const workspace = folder && (await io.readEnds(`${folder}/workspace.json`, endBytes).catch(() => undefined))
  const uri = workspace && Object(parseJson(new TextDecoder().decode(workspace.head))?.value).folder
  return typeof uri === 'string' && URL.canParse(uri) && uri.startsWith('file:///') ? fileURLToPath(uri) : undefined
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

/** A moment as it is typed: a duration before the present, or an ISO 8601 date or time. */
export type Moment = { agoMs: number } | { at: string }

interface SessionFilter {
  /** Bounds of the time of the last message of a session, in milliseconds since 1970, inclusive. */
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
