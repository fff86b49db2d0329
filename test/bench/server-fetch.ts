import { nodes } from '../runtimes/cache.js'
import { goals } from './goals.js'
import { median, type Samples } from './measure.js'
import { compare, heading, remark, row } from './page.js'
import { compiled, run } from './programs.js'

const ways = ['server.fetch(url, init)', 'server.fetch(request)']
const unit = 'µs CPU'
const over = ['a Fetch that only answers']

/** What a call costs in process, without a port; under the Nodes of today too, whose own fetch costs a third. */
export async function benchServerFetch(): Promise<void> {
  const program = await compiled('direct-fetch')
  const direct = await run<Record<string, Samples>>(program, [])
  const throughMsw = await run<Record<string, Samples>>(program, ['msw'])
  for (const [kind, samples] of Object.entries(direct)) {
    heading(
      `A call in process: ${kind}`,
      'CPU; 15 rounds; the reading of the JSON, and the making of a Request included',
    )
    compare(samples, { unit, over })
    compare(throughMsw[kind] ?? {}, { unit, over })
    judge('', samples)
  }
  for (const node of nodes()) {
    heading(`A call in process, ${node.name}`, 'CPU; 15 rounds')
    if ('missing' in node) {
      remark(`not measured: ${node.missing}`)
      continue
    }
    for (const [kind, samples] of Object.entries(await run<Record<string, Samples>>(program, [], [], node.binary))) {
      judge(`${kind}, `, samples)
    }
  }
}

function judge(prefix: string, samples: Samples): void {
  for (const way of ways) {
    row(`${prefix}${way}`, median(samples[way] ?? []), 'µs', { goal: goals.serverFetch })
  }
}
