import { defaultLeaseMs, mostEarlyPages } from '../../../packages/bulk/src/ledger/index.js'
import { readyAhead } from '../../../packages/bulk/src/upload/index.js'
import { rateLimiting } from '../../../packages/client/src/rate-limit/index.js'
import { decide, defaultRetry, parseRetryAfter, spreadOver } from '../../../packages/client/src/retry/index.js'
import { RateLimiter } from '../../../packages/reference-server/src/rate-limit.js'
import { Refusal } from '../../../packages/reference-server/src/refusal.js'
import { halfWayMs, type Load, type Outcome, paceOf } from './load.js'
import { seeded, type VirtualTime, virtualTime } from './virtual-time.js'

/*
 * The counting model. It has no bodies, no ledger and no client: an upload is a number. The product decides what the model
 * asks it: rate limiter, back-off, `Retry-After`, the number of uploads that are made ready ahead, and the server's windows.
 *
 * It can be wrong in what it says itself:
 * - a process that was killed leaves its uploads under way and those made ready ahead open, and the next one searches for
 *   them at its start and again at its end;
 * - an upload that the service received before its process was killed is found, and any other is certainly absent;
 * - a call that waits for the answer to another one asks the limiter every 50 ms instead of every 10 ms;
 * - another machine that takes a shard over waits for the lease of the lost one;
 * - nothing else is lost, disks cost no time, and a worker runs one shard at a time.
 */

/** Of one call, as the client sets them by default. */
const deadlineMs = 600_000
/** From the first query of a process until an upload can no longer arrive: time-out and lag of the list. */
const absentAfterMs = 75_000
const rowsPerPage = 100

/** The work of a shard, over all its processes. */
interface ShardState {
  /** Not known to be stored, and not open. */
  remaining: number
  /** Open after a kill, and not stored. */
  absent: number
  /** Open after a kill, and stored. */
  unnoticed: number
  runs: number
  isDone: boolean
}

/** The limiter lets a waiting call ask again after 10 ms; here it asks more seldom, which makes the model four times faster. */
const pollMs = 10
const seldomMs = 50

class Stopped extends Error {}

/** A worker without a shard looks for one so often. */
const idleMs = 10_000

/** Run a load and count what happens. `shares`: how many transcripts each shard has. */
export async function countingModel(load: Load, shares: readonly number[]): Promise<Outcome> {
  const time = virtualTime()
  const service = serviceOf(load, time)
  const states = shares.map((remaining): ShardState => ({ remaining, absent: 0, unnoticed: 0, runs: 0, isDone: false }))
  const waiting = states.map((_, shard) => shard)
  let elapsedMs = 0
  const sleep = (ms: number) => new Promise<void>((resolve) => time.after(ms, resolve))
  // A single worker that is lost is replaced at once.
  const isLost = (worker: number) => load.shards > 1 && worker % 3 === 0 && time.now >= (load.lossAtMs ?? Infinity)

  async function work(worker: number): Promise<void> {
    while (!isLost(worker) && states.some(({ isDone }) => !isDone)) {
      const shard = waiting.includes(worker) ? worker : waiting[0]
      if (shard === undefined) {
        await sleep(idleMs)
        continue
      }
      waiting.splice(waiting.indexOf(shard), 1)
      const state = states[shard] as ShardState
      if (shard !== worker && state.runs > 0) await sleep(defaultLeaseMs)
      while (!state.isDone && !isLost(worker)) {
        await sleep(state.runs++ === 0 ? 0 : load.restartMs)
        await runShard(load, { time, service, state, shard, worker })
        elapsedMs = time.now
      }
      if (!state.isDone) waiting.push(shard)
    }
  }

  await time.run(Promise.all(states.map((_, worker) => work(worker))))
  return { ...service.counts, elapsedMs, runs: states.reduce((sum, { runs }) => sum + runs, 0) }
}

function serviceOf({ quota, windowMs }: Load, time: VirtualTime) {
  const limiter = new RateLimiter({ requests: quota, windowMs })
  const counts = { stored: 0, uploads: 0, searches: 0, refusals: 0 }
  return {
    counts,
    /** Undefined if the request is accepted, else its `Retry-After`. */
    receive(kind: 'upload' | 'search', key: number): string | undefined {
      try {
        limiter.count('workspace', String(key), time.now, false)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        counts.refusals++
        return error.headers['retry-after']
      }
      if (kind === 'upload') counts.stored++
      counts[kind === 'upload' ? 'uploads' : 'searches']++
      return undefined
    },
  }
}

interface ShardRun {
  time: VirtualTime
  service: ReturnType<typeof serviceOf>
  state: ShardState
  shard: number
  worker: number
}

/** One process of a shard: read, search for what an earlier one left open, send, and search again. */
async function runShard(load: Load, { time, service, state, shard, worker }: ShardRun): Promise<void> {
  const random = seeded(load.seed * 7_919 + shard * 104_729 + Math.floor(time.now))
  const pace = paceOf(load, worker)
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let isOver = false
  /** Uploads that are under way: true once the service has them. */
  const underWay = new Set<{ isStored: boolean }>()

  const clock = {
    now: () => time.now,
    monotonic: () => time.now,
    random,
    after: (ms: number, act: () => void) => time.after(ms <= pollMs ? seldomMs : ms, () => isOver || act()),
  }
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve))
  const limiters = rateLimiting.createRateLimiters()

  async function call(kind: 'upload' | 'search', upload?: { isStored: boolean }): Promise<void> {
    const deadlineAt = time.now + deadlineMs
    let notBefore = Number.NEGATIVE_INFINITY
    for (let refusals = 0; ; ) {
      const admitted = await limiters.acquire('workspace', undefined, {
        ...{ clock, deadlineAt, notBefore, longestMs: defaultRetry.maxRetryAfterMs },
        signal: undefined,
        onWait() {},
      })
      if ('closedForMs' in admitted) throw new Stopped()
      const { release } = admitted
      await sleep(halfWayMs(load, pace, random))
      const retryAfter = service.receive(kind, shard % load.keys)
      if (upload && retryAfter === undefined) upload.isStored = true
      await sleep(halfWayMs(load, pace, random))
      if (retryAfter === undefined) return release()
      const retryAfterMs = parseRetryAfter(retryAfter, 0) ?? 0
      const chance = random()
      const history = { attempts: 0, refusals: ++refusals, lost: 0 }
      const decision = decide('write', { status: 429, retryAfterMs }, history, defaultRetry, chance)
      const opensAt = time.now + spreadOver(retryAfterMs, chance)
      release({ resetAt: time.now + retryAfterMs, opensAt })
      if (decision.next !== 'retry') throw new Stopped()
      notBefore = time.now + decision.waitMs
    }
  }

  /** Send as many as there are, so many at a time. */
  const sendAll = (count: 'remaining' | 'absent') =>
    Promise.all(
      Array.from({ length: load.concurrency }, async () => {
        while (state[count] > 0) {
          state[count]--
          const upload = { isStored: false }
          underWay.add(upload)
          await call('upload', upload)
          underWay.delete(upload)
        }
      }),
    )

  async function read(pages: number): Promise<void> {
    for (let page = 0; page < pages; page++) await call('search')
  }

  /**
   * Search for open uploads in the first page and the last two; where these do not show all of them, in more of the list, and
   * once those that are not found can no longer arrive to its end: twice if it grows meanwhile.
   */
  async function search(isDue: boolean): Promise<void> {
    const { counts } = service
    await read(Math.min(3, Math.max(1, Math.ceil(counts.stored / rowsPerPage))))
    if (state.absent > 0) {
      const { stored } = counts
      const most = isDue ? Infinity : mostEarlyPages
      await read(Math.min(pagesOf(stored), most))
      if (pagesOf(stored) <= most && counts.stored > stored) await read(pagesOf(counts.stored))
    }
    state.unnoticed = 0
  }

  async function upload(): Promise<void> {
    await sleep(load.readMs(shard) * pace)
    const absentAt = time.now + absentAfterMs
    if (state.absent + state.unnoticed > 0) await search(false)
    await sendAll('remaining')
    if (state.absent > 0) {
      if (time.now < absentAt) {
        await search(false)
        await sleep(absentAt - time.now)
      }
      await search(true)
    }
    await sendAll('absent')
    state.isDone = true
  }

  const isHit = worker % 3 === 0 && load.lossAtMs !== undefined && load.lossAtMs >= time.now
  const kills = load.kills.flatMap((each) => (each.shard === shard && each.atMs > time.now ? each.atMs : []))
  const killAt = Math.min(...kills, isHit ? (load.lossAtMs ?? Infinity) : Infinity)
  const cancel = killAt === Infinity ? undefined : time.after(killAt - time.now, end)
  const isStopped = await Promise.race([
    upload().then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Stopped)) throw error
        return true
      },
    ),
    ended.then(() => false),
  ])
  isOver = true
  cancel?.()
  for (const { isStored } of underWay) {
    if (!isStopped) state[isStored ? 'unnoticed' : 'absent']++
    // The answer of one that is stored is waited for.
    else if (!isStored) state.remaining++
  }
  if (isStopped) return
  const ready = Math.min(readyAhead, state.remaining)
  state.remaining -= ready
  state.absent += ready
}

/** The pages of the whole list: after a full page it may go on. */
const pagesOf = (stored: number): number => Math.floor(stored / rowsPerPage) + 1
