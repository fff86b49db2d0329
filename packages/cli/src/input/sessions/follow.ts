import { type Clock, sleep } from '@svc/client'
import type { InputFiles } from '../files.js'
import { InputProblem } from '../input-problem.js'
import type { Input } from '../sources.js'
import { storedSession } from '../storage/index.js'
import { type SourceFlags, sessionsOf } from './sessions.js'
import { placesOf } from './tools.js'

/** Sessions that ended since the round before. */
export interface Round {
  input: Input
  /** Give these sessions again, once they were quiet for the same time. */
  again(): void
}

interface Watched {
  state: string
  /** When this state was seen first. */
  since: number
  isGiven: boolean
}

/** Flags of a run that follows sessions. */
export interface FollowFlags extends SourceFlags {
  /** For how long an ended session has not changed, in milliseconds. Default: 10 minutes. */
  endedAfter?: number
}

/** The longest time between two searches of the folders. */
const longestPauseMs = 30_000

/**
 * The sessions of a tool, each once its files have not changed for a time, and again after each later change. The folders are
 * searched repeatedly instead of watched, because they may appear later and lie on any file system. Ends with the reason of
 * `io.stop`.
 */
export async function* endedSessions(
  io: InputFiles,
  paths: readonly string[],
  flags: FollowFlags,
  { clock, say }: { clock: Required<Clock>; say(line: string): void },
): AsyncGenerator<Round, never, undefined> {
  const { sessions: tool, endedAfter: quietMs = 600_000 } = flags
  if (tool === undefined || paths.length > 0)
    throw new InputProblem('conflicting_options', '--follow requires --sessions and takes no files.', {
      hint: 'name the tool, such as --sessions claude-code',
    })
  const { homes, databases } = placesOf(tool, io)
  const roots = homes.map(({ root }) => root)
  say(
    `following ${tool} sessions in ${roots.join(', ')}; each is uploaded once it has not changed for ${quietMs / 1_000} s`,
  )
  const watched = new Map<string, Watched>()
  for (;;) {
    const existing = new Set<string>()
    const due: Watched[] = []
    const isDue = async (path: string) => {
      const state = await stateOf(io, path, databases)
      const session = watched.get(path)
      if (state === undefined) return false
      existing.add(path)
      if (session?.state !== state) watched.set(path, { state, since: clock.monotonic(), isGiven: false })
      else if (!session.isGiven && clock.monotonic() - session.since >= quietMs) return due.push(session) > 0
      return false
    }
    const input = await sessionsOf(io, tool, flags, clock.now(), isDue)
    for (const path of watched.keys()) if (!existing.has(path)) watched.delete(path)
    for (const each of due) each.isGiven = true
    const again = () => {
      for (const each of due) Object.assign(each, { since: clock.monotonic(), isGiven: false })
    }
    if (input.candidates.length > 0) yield { input: { ...input, notes: [] }, again }
    await sleep(clock, Math.min(longestPauseMs, Math.ceil(quietMs / 4)), io.stop)
  }
}

/** A text that is the same as long as a session does not change; undefined if its file was removed. */
async function stateOf(io: InputFiles, path: string, databases: readonly string[]): Promise<string | undefined> {
  await io.checkpoint()
  const facts: string[] = []
  const session = await storedSession(io, path)
  const log = databases.includes(path) ? [`${path}-wal`] : []
  for (const file of [path, ...((await session?.lastFiles()) ?? []), ...log]) {
    const ends = await io.readEnds(file, 1).catch(() => undefined)
    if (ends === undefined && file === path) return undefined
    facts.push(`${file} ${ends?.size} ${ends?.modified}`)
  }
  return facts.join('\n')
}
