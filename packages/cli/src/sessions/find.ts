import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { Io } from '../io/index.js'
import { count } from '../terminal/index.js'
import { endBytes, isVague, mostEndBytes, type NoSession, type Session, sessionIn } from './head.js'
import { type Home, homesOf, type Tool, variableOf } from './homes.js'

/** The sessions that were found, and what there is to say about those that were not. */
export interface Found {
  sessions: Session[]
  /** Talks of sub-agents that stand among the sessions as files of their own. */
  subagents: Session[]
  notes: string[]
}

/** The sessions of a tool on this machine. What cannot be read, or is none, is left out and counted. */
export async function findSessions(io: Io, tool: Tool, wish: SessionFilter, now: number): Promise<Found> {
  const homes = homesOf(tool, io.env)
  if (homes.length === 0) {
    return {
      sessions: [],
      subagents: [],
      notes: [`nowhere to look for sessions of ${tool}: neither ${variableOf(tool)} nor HOME is set`],
    }
  }
  const leftOut = { foreign: 0, silent: 0, unreadable: 0 }
  const all: Session[] = []
  const agents: Session[] = []
  for (const home of homes) {
    for await (const path of pathsIn(io, home, () => leftOut.unreadable++)) {
      const found = await sessionAt(io, path, tool, now)
      if (typeof found === 'string') leftOut[found]++
      else (found.isSubagent ? agents : all).push(found)
    }
  }
  const sessions = filterSessions(all, wish)
  const notes: string[] = []
  if (all.length === 0) notes.push(`no sessions of ${tool} in ${homes.map(({ root }) => root).join(' or ')}`)
  else if (sessions.length === 0)
    notes.push(`none of ${count(all.length, 'session')} of ${tool} is of that time and folder`)
  if (leftOut.foreign > 0) notes.push(`${count(leftOut.foreign, 'file')} of another kind left out`)
  if (leftOut.silent > 0) notes.push(`${count(leftOut.silent, 'file')} in which nobody says anything left out`)
  if (leftOut.unreadable > 0) notes.push(`${count(leftOut.unreadable, 'path')} that cannot be read left out`)
  return { sessions, subagents: filterSessions(agents, wish), notes }
}

async function sessionAt(io: Io, path: string, tool: Tool, now: number): Promise<Session | NoSession | 'unreadable'> {
  for (let bytes = endBytes; ; bytes *= 16) {
    io.signal.throwIfAborted()
    const ends = await io.readEnds(path, bytes).catch(() => undefined)
    if (!ends) return 'unreadable'
    const found = sessionIn(path, ends, tool, now)
    if (bytes >= mostEndBytes || !isVague(found, ends, now)) return found
  }
}

/** The files below a home that its patterns name, in the order of their names. A home that is not there has none. */
async function* pathsIn(io: Io, { root, folder, file }: Home, fail: () => void, inside = ''): AsyncGenerator<string> {
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

/**
 * The files with talks of sub-agents that belong to sessions of Claude Code: those in the session's own folder, and in
 * older versions those beside it that bear its id.
 */
export async function subagentsOf(io: Io, sessions: readonly Session[]): Promise<string[]> {
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

/** Which sessions are wanted. */
interface SessionFilter {
  /** The first and the last millisecond since 1970 in which a session may last have gone on. */
  since: number | undefined
  until: number | undefined
  /** An absolute path: sessions held in this folder or below it. */
  cwd: string | undefined
}

/** The beginning of a time that is typed, or for a day its end. */
export function momentAt(moment: Moment, now: number, edge: 'start' | 'end'): number {
  if ('agoMs' in moment) return now - moment.agoMs
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(moment.at)
  return Date.parse(moment.at) + (isDay && edge === 'end' ? 86_399_999 : 0)
}

/** The sessions that are wanted, the newest first. */
export function filterSessions(sessions: readonly Session[], wish: SessionFilter): Session[] {
  const isWanted = (session: Session) =>
    isInPeriod(session, wish) && (wish.cwd === undefined || ranIn(session, wish.cwd))
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
