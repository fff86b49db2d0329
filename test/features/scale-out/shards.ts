import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getActiveResourcesInfo } from 'node:process'
import type { Clock } from '@svc/client'
import { dice } from '../../helpers/chaotic-service.js'
import { type CliResult, createShell } from '../../helpers/run-cli.js'
import { createSession, type RequestHandler } from '../../helpers/session.js'

/** How a run of a shard ended: with its exit code, or killed without a word. */
export type End = CliResult | 'killed'

/** A run that can be stopped: as by SIGTERM, or as by `kill -9`, after which nothing of it is heard or sent. */
export interface Running {
  ended: Promise<End>
  terminate(): void
  kill(): void
}

/** The calls that the service let through and those it refused, window by window. */
export interface WindowCount {
  accepted: number
  refused: number
}

/**
 * Many runs of the real command side by side in this process, on one reference server with one quota. Time stands still
 * while anything is written to disk, so that it goes by what happens and not by how quick this machine is.
 */
export function createShards(quota: number, windowMs: number, conversations: number) {
  const session = createSession({ limits: { requests: quota, windowMs } })
  const { server, clock } = session
  const folder = mkdtempSync(join(tmpdir(), 'svc-shards-'))
  const input = join(folder, 'conversations.jsonl')
  const conversation = (n: number) => ({
    name: `conversation ${n}`,
    turns: [{ role: 'user', content: `This is conversation ${n}.` }],
  })
  writeFileSync(input, Array.from({ length: conversations }, (_, n) => JSON.stringify(conversation(n))).join('\n'))
  const project = server.world.createProject({ name: 'Shards' }).record.id

  let starts = 0
  const windows: WindowCount[] = []
  let startedAt = Number.NEGATIVE_INFINITY
  const counted: RequestHandler = async (request) => {
    const now = clock.now()
    if (now >= startedAt + windowMs) {
      startedAt = now
      windows.push({ accepted: 0, refused: 0 })
    }
    const response = await server.fetch(request)
    const window = windows.at(-1)
    if (window) window[response.status === 429 ? 'refused' : 'accepted']++
    return response
  }

  /** Starts a shard on its ledger; `network` stands between it and the service. */
  function start(shard: string, ledger: string, network: (fetch: RequestHandler) => RequestHandler): Running {
    let isAlive = true
    // Each process has its own chance; of one for all they would do everything at the same moment.
    const random = dice(++starts)
    let die = () => {}
    const dead = new Promise<'killed'>((resolve) => {
      die = () => resolve('killed')
    })
    const never = () => new Promise<never>(() => {})
    const reached = network(counted)
    const fetch: RequestHandler = async (request) => {
      if (!isAlive) return never()
      const outcome = await reached(request).then(
        (response) => () => response,
        (error: unknown) => () => {
          throw error
        },
      )
      return isAlive ? outcome() : never()
    }
    const own: Clock = {
      now: clock.now,
      random,
      after: (ms, callback) => clock.after(ms, () => isAlive && callback()),
    }
    const stop = new AbortController()
    const { svc } = createShell({ ...session, fetch, clock: { ...clock, ...own } })
    const argv = ['upload', input, '--project', project, '--shard', shard, '--ledger', ledger]
    return {
      ended: Promise.race([svc(argv, { signal: stop.signal }), dead]),
      terminate: () => stop.abort('SIGTERM'),
      kill() {
        isAlive = false
        die()
      },
    }
  }

  return {
    ...session,
    folder,
    project,
    windows,
    start,
    /** Waits on the clock. */
    pause: (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve)),
    /** Moves time on from timer to timer, and only when nothing else is under way, until the work is done. */
    async until<T>(work: Promise<T>): Promise<T> {
      let isDone = false
      const watched = work.finally(() => {
        isDone = true
      })
      watched.catch(() => {})
      while (!isDone) {
        await quiet()
        const [next] = clock.pending
        if (!isDone && next !== undefined) await clock.advance(next)
      }
      return watched
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** A ledger as another machine finds it on the volume of one that was killed: what was written, and no lock that lives. */
export function remount(from: string, to: string): string {
  mkdirSync(to, { recursive: true })
  if (!existsSync(from)) return to
  for (const file of readdirSync(from)) if (file.endsWith('.jsonl')) copyFileSync(join(from, file), join(to, file))
  return to
}

/** Lets all that is ready run, until the disk has nothing to do either. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < 10; turns++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))) turns = 0
  }
}
