import { type Outcome, usualLoad } from '../test/simulation/scale/load.js'
import { publish } from './guide.js'
import { row } from './measure.js'
import { compiled, run } from './processes.js'
import type { Question } from './programs/counting-model.js'

const transcripts = 1_000_000
/** A usual load: the costs of reading are those that `bench reading` measures. */
const usual = { transcripts, files: 32_000, transcriptMs: 0.3, fileMs: 0.3, killMs: 8 * 3_600_000 }

/** 1 000 000 transcripts in shards, by the counting model. Equal in each run. */
export async function benchScale(): Promise<void> {
  const model = await compiled('counting-model', { fromSources: true })
  const memory = await compiled('ledger-memory', { fromSources: true })
  const ask = async (question: Pick<Question, 'shards' | 'lossAtMs'>) => {
    const { out, wall, peak } = await run([model, JSON.stringify({ ...usual, ...question })])
    const outcome = JSON.parse(out) as Outcome & { largest: number }
    if (outcome.stored !== transcripts) throw new Error(`${outcome.stored} of ${transcripts} transcripts are stored`)
    return { ...outcome, wall, peak }
  }
  const rows: string[][] = []
  for (const shards of [1, 8, 64, 256]) {
    const [whole, afterLoss] = await Promise.all([ask({ shards }), ask({ shards, lossAtMs: leastMs(shards) / 2 })])
    if (shards === 64) {
      row('the counting model, 1 000 000 transcripts over 64 shards', whole.wall / 60_000, '≤', 10, 'minutes')
      row('its memory', whole.peak, '≤', 1_000, 'MB')
    }
    rows.push(rowOf(shards, whole, afterLoss))
  }
  await benchModel()
  const { out } = await run(['--expose-gc', memory, String(transcripts / 4)])
  row('memory of a shard for the ledgers of 1 000 000 uploads', 4 * Number(out), '≤', 600, 'MB')
  const all = ['total time', 'quota used', '429 per window', 'searches']
  const afterLoss = ['total time, a third lost', 'searches, a third lost']
  const heads = ['shards', 'reading, by content', 'reading, by file', ...all, ...afterLoss]
  publish('scale', [heads, ...rows])
}

/** The counting model beside the full world. */
async function benchModel(): Promise<void> {
  const { out } = await run([await compiled('full-world', { fromSources: true })])
  const { model, world } = JSON.parse(out) as { model: Outcome; world: Outcome }
  const difference = (of: 'elapsedMs' | 'refusals' | 'searches') => (100 * Math.abs(model[of] - world[of])) / world[of]
  row('the time of the model beside a full world of 10 000', difference('elapsedMs'), '≤', 5, '%')
  row('its refusals', difference('refusals'), '≤', 15, '%')
  row('its searches', difference('searches'), '≤', 15, '%')
}

/** The time that the quota or the latency takes at least. */
const leastMs = (shards: number): number => {
  const { windowMs, quota, latencyMs, concurrency } = usualLoad
  return transcripts * Math.max(windowMs / quota, latencyMs / concurrency / shards)
}

const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} min`
const hours = (ms: number): string => `${(ms / 3_600_000).toFixed(1)} h`
const part = (some: number, all: number): string => `${((100 * some) / all).toFixed(1)} %`

function rowOf(
  shards: number,
  { uploads, searches, refusals, elapsedMs, largest }: Outcome & { largest: number },
  afterLoss: Outcome,
): string[] {
  const { files, fileMs, transcriptMs } = usual
  const windows = elapsedMs / usualLoad.windowMs
  return [
    String(shards),
    minutes(transcripts * transcriptMs),
    minutes(files * fileMs + largest * transcriptMs),
    hours(elapsedMs),
    part(uploads + searches, usualLoad.quota * windows),
    (refusals / windows).toFixed(1),
    part(searches, uploads),
    hours(afterLoss.elapsedMs),
    part(afterLoss.searches, uploads),
  ]
}
