import type { TranscriptUpload } from '@svc/client'
import { contentHash, shardFor } from '../../../packages/bulk/src/ledger/index.js'
import type { Load, Outcome } from './load.js'
import { countingModel } from './model.js'
import { fullWorld } from './world.js'

const upload = (_: unknown, i: number): TranscriptUpload => ({
  ...{ name: `Transcript ${i}`, process: false },
  turns: [
    { role: 'user', content: `Where is order ${i}?` },
    { role: 'assistant', content: 'On its way.' },
  ],
})

/** The same load in the counting model and in the full world. */
export async function compare(load: Load): Promise<{ model: Outcome; world: Outcome }> {
  const uploads = Array.from({ length: load.transcripts }, upload)
  const shares = new Array<number>(load.shards).fill(0)
  for (const each of uploads) (shares[shardFor(contentHash(each), load.shards)] as number)++
  const model = await countingModel(load, shares)
  return { model, world: await fullWorld(load, uploads, (index) => ({ index, of: load.shards })) }
}
