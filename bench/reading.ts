import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publish } from './guide.js'
import { row } from './measure.js'
import { run, settingsIn, svc, withFolder } from './processes.js'

const files = 640
const transcripts = 20_000
const ways = ['content', 'file'] as const

/** Measures the CPU and memory of processes that read an input in shards. */
export const benchReading = (): Promise<void> =>
  withFolder(async (folder) => {
    const input = join(folder, 'input')
    writeInput(input)
    const env = settingsIn(folder, 'http://127.0.0.1:9')
    const rows: string[][] = []
    const ratios: number[] = []
    for (const shards of [1, 8, 64]) {
      const used = []
      for (const way of ways) used.push(await usedBy(input, env, way, shards))
      const [byContent = Number.NaN, byFile = Number.NaN] = used.map(({ cpu }) => cpu)
      ratios.push(byFile / byContent)
      const seconds = used.map(({ cpu }) => `${(cpu / 1_000).toFixed(1)} s`)
      rows.push([String(shards), ...seconds, ...used.map(({ peak }) => `${Math.round(peak)} MB`)])
    }
    row('reading in 64 shards, CPU by file', ratios.at(-1) ?? Number.NaN, '≤', 0.3, '× by content')
    const heads = ['shards', 'CPU, by content', 'CPU, by file', 'memory, by content', 'memory, by file']
    publish('reading', [heads, ...rows])
  })

/** The CPU of all shards, in milliseconds, and the memory of the largest, in megabytes: three shards stand for all. */
async function usedBy(input: string, env: NodeJS.ProcessEnv, way: (typeof ways)[number], shards: number) {
  const sample = [...new Set([1, Math.ceil(shards / 2), shards])]
  let [cpu, peak] = [0, 0]
  for (const shard of sample) {
    const argv = ['upload', input, '--dry-run', '--json', '--shard', `${shard}/${shards}`, '--shard-by', way]
    const used = await run([svc, ...argv], { env })
    cpu += (shards * used.cpu) / sample.length
    peak = Math.max(peak, used.peak)
  }
  return { cpu, peak }
}

function writeInput(folder: string): void {
  mkdirSync(folder)
  for (let file = 0; file < files; file++) {
    const [from, to] = [file, file + 1].map((at) => Math.floor((at * transcripts) / files)) as [number, number]
    const lines = Array.from({ length: to - from }, (_, at) => lineOf(from + at))
    writeFileSync(join(folder, `${file}.jsonl`), lines.join(''))
  }
}

/** A conversation of about 2 kB. */
const lineOf = (n: number): string => {
  const turns = Array.from({ length: 6 }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: `${n}.${turn}: ${'the order has not arrived yet. '.repeat(9)}`,
  }))
  return `${JSON.stringify({ name: `Conversation ${n}`, turns })}\n`
}
