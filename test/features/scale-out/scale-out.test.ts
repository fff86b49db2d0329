import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { dice } from '../../helpers/chaotic-service.js'
import { casesOf, isLong } from '../../helpers/long.js'
import type { RequestHandler } from '../../helpers/session.js'
import { createShards, type End, remount } from './shards.js'

vi.setConfig({ testTimeout: 120_000 })

const of = 16
/** Calls in a window; `test:full` uses 160. */
const quota = isLong ? 160 : 32
const windowMs = 60_000
const indexes = Array.from({ length: of }, (_, index) => index)
const shardOf = (index: number) => `${index + 1}/${of}`

const removals: (() => void)[] = []
afterEach(() => {
  for (const remove of removals.splice(0)) remove()
})

/** Shards, what they are to store, and what is stored. */
function shardsOn(conversations: number) {
  const shards = createShards(quota, windowMs, conversations)
  removals.push(shards.remove)
  const wanted = Array.from({ length: conversations }, (_, n) => `conversation ${n}`).sort()
  const stored = () =>
    shards.server.world
      .transcripts(shards.project)
      .map(({ record }) => record.name)
      .sort()
  return { ...shards, wanted, stored }
}

it(`${of} shards with one ledger folder use up each window together, and are refused at most once each in it`, async () => {
  const { start, until, pause, folder, windows, wanted, stored } = shardsOn(6 * quota)
  const random = dice(1)
  const network =
    (fetch: RequestHandler): RequestHandler =>
    async (request) => {
      await pause(100 + random() * 200)
      return fetch(request)
    }
  const runs = indexes.map((index) => start(shardOf(index), join(folder, 'ledger'), network).ended)
  const ends = await until(Promise.all(runs))
  expect(ends.map((end) => end !== 'killed' && end.code)).toEqual(indexes.map(() => 0))
  expect(stored()).toEqual(wanted)
  // In the first window nobody knows yet that there are windows, and the last one is not filled.
  const steady = windows.slice(1, -1)
  expect(steady.length).toBeGreaterThan(3)
  expect(steady.filter(({ accepted, refused }) => accepted < quota || refused > of)).toEqual([])
})

const lost = () => new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })

it.each(casesOf([1, 2]))(
  `${of} shards, killed and started again, with answers lost, do each item once (seed %i)`,
  async (seed) => {
    const { start, until, pause, folder, wanted, stored } = shardsOn(5 * quota)
    const random = dice(seed)
    const happened = { lost: 0, killed: 0, codes: new Set<number>() }

    /** One upload in five goes wrong, before the service has it or after. */
    const network =
      (fetch: RequestHandler): RequestHandler =>
      async (request) => {
        await pause(100 + random() * 200)
        const outcome = request.method === 'POST' ? random() : 1
        if (outcome < 0.02) throw lost()
        if (outcome < 0.03) return new Response('{}', { status: 503 })
        const response = await fetch(request)
        if (outcome >= 0.2 || response.status !== 201) return response
        happened.lost++
        if (outcome < 0.12) throw lost()
        return new Response(null, { status: 504 })
      }

    /** Runs a shard until it is through, as a Job does, on the volume of its index. */
    async function shard(index: number): Promise<End> {
      let volume = join(folder, `${index}`)
      for (let run = 1; ; run++) {
        const { ended, kill, terminate } = start(shardOf(index), volume, network)
        const chance = random()
        if (run <= 3 && chance < 0.8) void pause(1_000 + random() * 60_000).then(chance < 0.5 ? kill : terminate)
        const end = await ended
        if (end === 'killed') {
          happened.killed++
          volume = remount(volume, join(folder, `${index}-${run}`))
        } else {
          happened.codes.add(end.code)
          if (end.code === 0 || run === 20) return end
        }
        await pause(5_000)
      }
    }

    const ends = await until(Promise.all(indexes.map(shard)))
    expect(stored()).toEqual(wanted)
    expect(ends.map((end) => end !== 'killed' && end.code)).toEqual(indexes.map(() => 0))
    expect(Math.min(happened.lost, happened.killed)).toBeGreaterThan(5)
    expect([...happened.codes]).toEqual(expect.arrayContaining([0, 143]))
  },
)
