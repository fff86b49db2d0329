import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTable } from '../test/helpers/markdown-table.js'
import { row } from './measure.js'
import { run, settingsIn, svc, withFolder } from './processes.js'

const folders = 64
const files = 640
const transcripts = 20_000
/** Each machine reads its own part of the folders, or all of them for its shard. */
const ways = ['own part', 'shard'] as const

/** Measures the CPU and memory of processes that read an input on several machines. */
export const benchReading = (): Promise<void> =>
  withFolder(async (folder) => {
    const input = join(folder, 'input')
    writeInput(input)
    const env = settingsIn(folder, 'http://127.0.0.1:9')
    const rows: string[][] = []
    const ratios: number[] = []
    for (const machines of [1, 8, 64]) {
      const used = []
      for (const way of ways) used.push(await usedBy(input, env, way, machines))
      const [ofPart = Number.NaN, ofShard = Number.NaN] = used.map(({ cpu }) => cpu)
      ratios.push(ofPart / ofShard)
      const seconds = used.map(({ cpu }) => `${(cpu / 1_000).toFixed(1)} s`)
      rows.push([String(machines), ...seconds, ...used.map(({ peak }) => `${Math.round(peak)} MB`)])
    }
    row('reading on 64 machines, CPU for own parts', ratios.at(-1) ?? Number.NaN, '≤', 0.3, '× with --shard')
    const heads = ['machines', 'CPU, own part', 'CPU, `--shard`', 'memory, own part', 'memory, `--shard`']
    console.log(`\n${markdownTable([heads, ...rows])}`)
  })

/** The CPU of all machines, in milliseconds, and the memory of the largest, in megabytes: three machines stand for all. */
async function usedBy(input: string, env: NodeJS.ProcessEnv, way: (typeof ways)[number], machines: number) {
  const sample = [...new Set([1, Math.ceil(machines / 2), machines])]
  let [cpu, peak] = [0, 0]
  for (const nth of sample) {
    const own = Array.from({ length: folders / machines }, (_, at) => join(input, String(nth - 1 + at * machines)))
    const argv = way === 'shard' ? [input, '--shard', `${nth}/${machines}`] : own
    const used = await run([svc, 'upload', ...argv, '--dry-run', '--json'], { env })
    cpu += (machines * used.cpu) / sample.length
    peak = Math.max(peak, used.peak)
  }
  return { cpu, peak }
}

function writeInput(input: string): void {
  for (let file = 0; file < files; file++) {
    const [from, to] = [file, file + 1].map((at) => Math.floor((at * transcripts) / files)) as [number, number]
    const lines = Array.from({ length: to - from }, (_, at) => lineOf(from + at))
    const folder = join(input, String(file % folders))
    mkdirSync(folder, { recursive: true })
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
