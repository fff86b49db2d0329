import { row } from './measure.js'
import { compiled, run, serve } from './processes.js'
import type { Windows } from './programs/fixed-window.js'

const quota = 200
/** Windows 2 to 4 of 10 s. */
const [first, last] = [1, 3]

/** Reads under a fixed window, in real time: one process with one key, four with another. */
export async function benchRateLimit(): Promise<void> {
  const server = await serve('fixed-window')
  const program = await compiled('reader')
  const read = (key: string, processes: number) =>
    Promise.all(Array.from({ length: processes }, () => run([program, server.baseUrl, key, '41000'])))
  await Promise.all([read('1', 1), read('4', 4)])
  const counts = (await (await fetch(`${server.baseUrl}/windows`)).json()) as Windows
  server.stop()
  for (const processes of [1, 4]) {
    const windows = (counts[processes] ?? []).slice(first, last + 1)
    const accepted = windows.reduce((sum, window) => sum + window.accepted, 0)
    const who = processes === 1 ? '1 process' : `${processes} processes`
    row(`a fixed window of 200 in 10 s, ${who}`, (100 * accepted) / (quota * windows.length), '≥', 97, '% of the quota')
    row(`refusals of ${who}`, Math.max(...windows.map(({ refused }) => refused)), '≤', 2 * processes, 'a window')
  }
}
