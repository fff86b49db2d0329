import { goals } from './goals.js'
import { median } from './measure.js'
import { heading, remark, row } from './page.js'
import type { Searched } from './programs/search.js'
import { compiled, run } from './programs.js'

/** Search over many transcripts, in process. */
export async function benchSearch(): Promise<void> {
  const { searches, annotations, rss, storedIn } = await run<Searched>(await compiled('search'), [])
  heading('Search in 10 000 transcripts of 50 turns', 'CPU; the first is the first for its words; the answer is read')
  for (const [name, [first = Number.NaN, ...later]] of Object.entries(searches)) {
    row(`${name}, the first`, first, 'ms', { goal: goals.search })
    const note = `the median of 11, the worst ${Math.max(...later).toFixed(1)} ms`
    row(`${name}, a later one`, median(later), 'ms', { note })
  }
  remark(
    `the process took ${(rss / 1e6).toFixed(0)} MB, and ${(storedIn * 1_000).toFixed(0)} µs to make and store each transcript`,
  )

  heading('Search by annotation in the same transcripts', 'CPU; the first is the first for its key; the answer is read')
  for (const [name, [first = Number.NaN, ...later]] of Object.entries(annotations)) {
    row(`${name}, the first`, first, 'ms', { goal: goals.search })
    row(`${name}, a later one`, median(later), 'ms', { note: 'the median of 11' })
  }
}
