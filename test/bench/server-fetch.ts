import { goals } from './goals.js'
import { median, type Samples } from './measure.js'
import { compare, heading, row } from './page.js'
import { compiled, run } from './programs.js'

/** What a call costs in process, without a port. */
export async function benchServerFetch(): Promise<void> {
  const program = await compiled('direct-fetch')
  const direct = await run<Record<string, Samples>>(program, [])
  const throughMsw = await run<Record<string, Samples>>(program, ['msw'])
  for (const [kind, samples] of Object.entries(direct)) {
    heading(
      `A call in process: ${kind}`,
      'CPU; 15 rounds; the making of the Request and the reading of the JSON included',
    )
    compare(samples, { unit: 'µs CPU', over: ['a Fetch that only answers'] })
    compare(throughMsw[kind] ?? {}, { unit: 'µs CPU', over: ['a Fetch that only answers'] })
    row('server.fetch, whole', median(samples['server.fetch'] ?? []), 'µs', { goal: goals.serverFetch })
  }
}
