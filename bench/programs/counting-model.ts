import { hash } from 'node:crypto'
import { shardFor } from '../../packages/bulk/src/ledger/index.js'
import { fileShard } from '../../packages/bulk/src/shard.js'
import { type Load, usualLoad } from '../../test/simulation/scale/load.js'
import { countingModel } from '../../test/simulation/scale/model.js'
import { seeded } from '../../test/simulation/scale/virtual-time.js'

/** The parameters that `bench/scale.ts` passes, as JSON. */
export interface Question {
  transcripts: number
  shards: number
  /** Files of equal length; undefined if the content of a transcript decides its shard. */
  files: number | undefined
  /** Of one transcript that a shard reads and checks, and of one file whose shard it finds out, in milliseconds. */
  transcriptMs: number
  fileMs: number
  /** The mean time between two kills of a process, in milliseconds. */
  killMs: number
  /** Take a third of the workers away at this time. */
  lossAtMs?: number
}

/** Runs the counting model once, and prints its result as JSON. */
const { transcripts, shards, files, transcriptMs, fileMs, killMs, lossAtMs } = JSON.parse(
  process.argv[2] ?? '',
) as Question

const shares = new Array<number>(shards).fill(0)
const add = (shard: number, count: number) => (shares[shard] = (shares[shard] ?? 0) + count)
if (files === undefined) for (let n = 0; n < transcripts; n++) add(shardFor(hash('sha256', String(n)), shards), 1)
else
  for (let n = 0; n < files; n++)
    add(
      fileShard(String(n), shards),
      Math.floor(((n + 1) * transcripts) / files) - Math.floor((n * transcripts) / files),
    )

const random = seeded(2)
const kills: { atMs: number; shard: number }[] = []
for (let shard = 0; shard < shards; shard++)
  for (let atMs = 0; atMs < 48 * 3_600_000; kills.push({ atMs, shard })) atMs -= killMs * Math.log(1 - random())

const readMs = (shard: number) =>
  files === undefined ? transcripts * transcriptMs : files * fileMs + (shares[shard] ?? 0) * transcriptMs
const load: Load = { ...usualLoad, transcripts, shards, kills, readMs, ...(lossAtMs !== undefined && { lossAtMs }) }
console.log(JSON.stringify({ ...(await countingModel(load, shares)), largest: Math.max(...shares) }))
