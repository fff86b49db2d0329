import { hash } from 'node:crypto'
import { shardFor } from '../../packages/bulk/src/ledger/index.js'
import { type Load, usualLoad } from '../../test/simulation/scale/load.js'
import { countingModel } from '../../test/simulation/scale/model.js'
import { seeded } from '../../test/simulation/scale/virtual-time.js'

/** The parameters that `bench/scale.ts` passes, as JSON. */
export interface Question {
  transcripts: number
  shards: number
  /** True if each machine is given its own part of the input; false if each reads all of it, and sends its shard. */
  isSplit: boolean
  /** The time to read and check one transcript, in milliseconds. */
  transcriptMs: number
  /** The mean time between two kills of a process, in milliseconds. */
  killMs: number
}

/** Runs the counting model once, and prints its result as JSON. */
const { transcripts, shards, isSplit, transcriptMs, killMs } = JSON.parse(process.argv[2] ?? '') as Question

const shares = new Array<number>(shards).fill(0)
for (let n = 0; n < transcripts; n++) {
  const shard = isSplit ? n % shards : shardFor(hash('sha256', String(n)), shards)
  shares[shard] = (shares[shard] ?? 0) + 1
}

const random = seeded(2)
const kills: { atMs: number; shard: number }[] = []
for (let shard = 0; shard < shards; shard++)
  for (let atMs = 0; atMs < 48 * 3_600_000; kills.push({ atMs, shard })) atMs -= killMs * Math.log(1 - random())

const readMs = (shard: number) => (isSplit ? (shares[shard] ?? 0) : transcripts) * transcriptMs
const load: Load = { ...usualLoad, transcripts, shards, kills, readMs }
console.log(JSON.stringify({ ...(await countingModel(load, shares)), largest: Math.max(...shares) }))
