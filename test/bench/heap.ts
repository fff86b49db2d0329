import { goals } from './goals.js'
import { heading, row } from './page.js'
import { compiled, run } from './programs.js'

/** What 100 000 calls leave behind. */
export async function benchHeap(): Promise<void> {
  const program = await compiled('heap')
  heading('Heap over 100 000 calls', 'growth from call 10 000 to 100 000; in use after 10 000, 50 000, 100 000')
  const kinds = { plain: 'plain calls', signal: 'with one long-lived signal', missing: 'each ending in a 404' }
  for (const [kind, name] of Object.entries(kinds)) {
    const used = await run<number[]>(program, [kind], ['--expose-gc'])
    const [first = Number.NaN, , last = Number.NaN] = used
    const note = used.map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`).join(', ')
    row(name, (last - first) / 90_000, 'B a call', { goal: goals.heapGrowth, note })
  }
}
