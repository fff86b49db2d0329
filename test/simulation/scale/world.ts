import { createHash } from 'node:crypto'
import { dirname } from 'node:path/posix'
import { BulkError, type Disk, type DiskFile, type Shard, uploadAll } from '@svc/bulk'
import { createClient, type FetchLike, type TranscriptUpload } from '@svc/client'
import { createReferenceServer } from '@svc/reference-server'
import { halfWayMs, type Load, type Outcome, paceOf } from './load.js'
import { seeded, virtualTime } from './virtual-time.js'

/*
 * The full world: `uploadAll` of each shard against the reference server in virtual time, with one ledger folder. It has
 * all that the counting model leaves out, and runs the same load.
 */

const start = Date.parse('2026-01-01T00:00:00Z')
const baseUrl = 'https://svc.test'

/** Run a load in full. `transcripts`: those that each shard is given. */
export async function fullWorld(
  load: Load,
  transcripts: readonly TranscriptUpload[],
  shardOf: (index: number) => Shard,
): Promise<Outcome> {
  const time = virtualTime()
  const clock = { now: () => start + time.now, monotonic: () => time.now, after: time.after }
  const keys = Array.from({ length: load.keys }, (_, n) => `sk-service-api03-scale-${n}`)
  const server = createReferenceServer({
    ...{ clock, baseUrl, journalSize: 1 },
    limits: { requests: load.quota, windowMs: load.windowMs },
    seed: { keys: keys.map((key) => ({ key })) },
  })
  const { id: project } = server.world.createProject({ name: 'P' }).record
  const files = new Map<string, Buffer[]>()
  const counts = { uploads: 0, searches: 0, refusals: 0 }
  const running = new Set<number>()
  let elapsedMs = 0
  let runs = 0
  const sleep = (ms: number) => new Promise<void>((resolve) => time.after(ms, resolve))

  /** One process of a shard. Resolves to true if its work is done. */
  async function runOnce(shard: number): Promise<boolean> {
    runs++
    const pace = paceOf(load, shard)
    let isDead = false
    const after = (ms: number, act: () => void) => time.after(ms, () => isDead || act())
    const random = seeded(load.seed * 7_919 + shard * 104_729 + Math.floor(time.now))
    const latency = seeded(load.seed * 31 + shard)
    const pause = (ms: number) => new Promise<void>((resolve) => after(ms, resolve))
    const fetch: FetchLike = async (input, init) => {
      await pause(halfWayMs(load, pace, latency))
      const response = await server.fetch(new Request(input as string, { ...init, signal: null }))
      if (response.status === 429) counts.refusals++
      else counts[init?.method === 'POST' ? 'uploads' : 'searches']++
      await pause(halfWayMs(load, pace, latency))
      return response
    }
    const ownClock = { now: clock.now, monotonic: clock.monotonic, random, after }
    const publicBaseUrl = server.publicBaseUrl
    const apiKey = keys[shard % keys.length] as string
    const client = createClient({ apiKey, baseUrl, publicBaseUrl, fetch, clock: ownClock, environment: {} })
    async function* read() {
      await pause(load.readMs(shard) * pace)
      yield* transcripts
    }
    const pid = runs
    running.add(pid)
    const run = uploadAll({
      ...{ client, project, transcripts: read(), ledger: '/ledger', concurrency: load.concurrency },
      ...{ shard: shardOf(shard), clock: ownClock, disk: memoryDisk(files, () => isDead) },
      host: {
        self: () => ({ pid, host: 'm', boot: '1' }),
        process: (other) => (running.has(other) ? { isDead: false } : undefined),
      },
      randomId: () =>
        createHash('md5')
          .update(String(random()))
          .digest('hex')
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      turn: async () => {},
    })
    const work = async () => {
      try {
        for await (const { result } of run) if (result === 'failed') throw new Error(`shard ${shard}: an upload failed`)
        return run.summary().not_sent === 0
      } catch (error) {
        if (error instanceof BulkError && error.step === 'try_later') return false
        throw error
      } finally {
        running.delete(pid)
      }
    }
    const kills = load.kills.filter((each) => each.shard === shard && each.atMs > time.now).map(({ atMs }) => atMs)
    const killed = new Promise<boolean>((resolve) => {
      if (kills.length === 0) return
      time.after(Math.min(...kills) - time.now, () => {
        isDead = true
        running.delete(pid)
        resolve(false)
      })
    })
    return Promise.race([work(), killed])
  }

  async function supervise(shard: number): Promise<void> {
    while (!(await runOnce(shard))) await sleep(load.restartMs)
    elapsedMs = time.now
  }

  await time.run(Promise.all(Array.from({ length: load.shards }, (_, shard) => supervise(shard))), 4)
  return { stored: [...server.world.transcripts(project)].length, elapsedMs, ...counts, runs }
}

/** Files in memory. A dead process can no longer write. */
function memoryDisk(files: Map<string, Buffer[]>, isDead: () => boolean): Disk {
  const missing = (path: string) => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT', path })
  const found = (path: string) => {
    const parts = files.get(path)
    if (!parts) throw missing(path)
    return parts
  }
  const write = (path: string, parts: Buffer[]) => {
    if (isDead()) throw new Error('killed')
    files.set(path, parts)
  }
  const fileOf = (parts: Buffer[]): DiskFile => ({
    size: () => parts.reduce((sum, { length }) => sum + length, 0),
    read(buffer, offset, length, position) {
      const all = Buffer.concat(parts)
      parts.splice(0, parts.length, all)
      const part = all.subarray(position, position + length)
      buffer.set(part, offset)
      return part.length
    },
    write(bytes, offset) {
      if (isDead()) throw new Error('killed')
      parts.push(Buffer.from(bytes.subarray(offset)))
      return bytes.length - offset
    },
    truncate: (size) => void parts.splice(0, parts.length, Buffer.concat(parts).subarray(0, size)),
    sync: async () => {},
    syncSync() {},
    close() {},
  })
  return {
    list: (folder) =>
      [...files.keys()].flatMap((path) => (dirname(path) === folder ? path.slice(folder.length + 1) : [])),
    readText: (path) => Buffer.concat(found(path)).toString(),
    create: (path, text) => write(path, [Buffer.from(text)]),
    overwrite: (path, text) => write(path, [Buffer.from(text)]),
    makeFolder() {},
    rename(from, to) {
      write(to, found(from))
      files.delete(from)
    },
    link: (from, to) => write(to, found(from)),
    remove: (path) => void (isDead() || files.delete(path)),
    open(path, mode) {
      if (mode !== 'read' && (mode === 'new' || !files.has(path))) write(path, [])
      return fileOf(found(path))
    },
    syncFolder() {},
  }
}
