import { type Outcome, usualLoad } from '../test/simulation/scale/load.js'
import { isPublished, publish } from './guide.js'
import { row } from './measure.js'
import { compiled, run } from './processes.js'
import type { Question } from './programs/counting-model.js'

/** 0.3 ms of CPU to read a transcript of 2 kB, and a kill every eight hours. */
const usual = { transcriptMs: 0.3, killMs: 8 * 3_600_000 }

/** 1 000 000 transcripts over 64 shards, by the counting model. Equal in each run. With `-u` also a table for 2 000 000. */
export async function benchScale(): Promise<void> {
  await benchModel()
  const model = await compiled('counting-model', { fromSources: true })
  const ask = async (question: Pick<Question, 'transcripts' | 'shards' | 'isSplit'>) => {
    const { out, wall, peak } = await run([model, JSON.stringify({ ...usual, ...question })])
    const outcome = JSON.parse(out) as Outcome & { largest: number }
    if (outcome.stored !== question.transcripts)
      throw new Error(`${outcome.stored} of ${question.transcripts} are stored`)
    return { ...outcome, wall, peak }
  }
  const { wall, peak } = await ask({ transcripts: 1_000_000, shards: 64, isSplit: false })
  row('the counting model, 1 000 000 transcripts over 64 shards', wall / 60_000, '≤', 10, 'minutes')
  row('its memory', peak, '≤', 1_000, 'MB')
  if (!isPublished) return
  const transcripts = 2_000_000
  const memory = await compiled('ledger-memory', { fromSources: true })
  const ledgerMb = 8 * Number((await run(['--expose-gc', memory, String(transcripts / 8)])).out)
  const rows: string[][] = []
  for (const machines of [1, 8, 64]) {
    const parts = await ask({ transcripts, shards: machines, isSplit: true })
    const shards = await ask({ transcripts, shards: machines, isSplit: false })
    rows.push([
      String(machines),
      ...[parts, shards].map(({ elapsedMs }) => hours(elapsedMs)),
      ...[transcripts / machines, transcripts].map((read) => minutes(read * usual.transcriptMs)),
      ...[ledgerMb / machines, ledgerMb].map((mb) => `${Math.round(mb)} MB`),
      part(parts.uploads + parts.searches, (usualLoad.quota * parts.elapsedMs) / usualLoad.windowMs),
    ])
  }
  const heads = ['total time, own part', 'total time, `--shard`']
  const costs = [
    'reading, own part',
    'reading, `--shard`',
    'ledger, own part',
    'ledger, `--shard`',
    'quota used, own part',
  ]
  publish('scale', [['machines', ...heads, ...costs], ...rows])
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

const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} min`
const hours = (ms: number): string => `${(ms / 3_600_000).toFixed(1)} h`
const part = (some: number, all: number): string => `${((100 * some) / all).toFixed(1)} %`
