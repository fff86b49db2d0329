import { compare } from '../../test/simulation/scale/compare.js'
import { type Load, usualLoad } from '../../test/simulation/scale/load.js'

/** Prints what a load of 10 000 transcripts comes to in the counting model and in the full world, as JSON. */
const kills = [2, 5, 7].map((shard) => ({ atMs: 70_000 * shard, shard }))
const load: Load = { ...usualLoad, transcripts: 10_000, shards: 8, quota: 1_000, kills, readMs: () => 5_000 }
console.log(JSON.stringify(await compare(load)))
