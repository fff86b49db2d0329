import { goals } from './goals.js'
import { median, quantile, sideBySide } from './measure.js'
import { heading, remark, row } from './page.js'
import type { Ending } from './programs/exit.js'
import { compiled, run, serve } from './programs.js'

const endings: Ending[] = ['success', 'refusal', 'ECONNREFUSED', 'time-out', 'abort']
const transports = { default: '@svc/client', node: '@svc/client over nodeTransport()', fetch: 'raw fetch' }
/** Without it, a process that has used Node's fetch ends only once the WebAssembly parser in there is optimised. */
const parserAsItIs = '--liftoff-only'

/** How long a process lives after its last await. */
export async function benchExit(): Promise<void> {
  const server = await serve('loopback')
  const program = await compiled('exit')
  const ended =
    (how: Ending, transport: string, flags: string[] = []) =>
    () =>
      run<number>(program, [how, transport, server.baseUrl], flags)
  heading('Life after the last await', 'medians of 9 processes; in brackets the quartiles')
  for (const [transport, name] of Object.entries(transports)) {
    const variants: Record<string, () => Promise<number>> = {}
    for (const how of endings) variants[`${name}, ${how}`] = ended(how, transport)
    const lived = await sideBySide(variants, 9)
    for (const [ending, ms] of Object.entries(lived)) {
      row(ending, median(ms), 'ms', { note: spread(ms), ...(transport !== 'fetch' && { goal: goals.exit }) })
    }
  }
  const unoptimised = await sideBySide(
    {
      [`@svc/client, success, node ${parserAsItIs}`]: ended('success', 'default', [parserAsItIs]),
      [`raw fetch, success, node ${parserAsItIs}`]: ended('success', 'fetch', [parserAsItIs]),
    },
    9,
  )
  for (const [ending, ms] of Object.entries(unoptimised)) row(ending, median(ms), 'ms', { note: spread(ms) })
  remark(`${parserAsItIs} leaves the HTTP parser of Node's own fetch as it is; optimising it holds up the end.`)
  server.stop()
}

const spread = (ms: number[]): string => `(${quantile(ms, 0.25).toFixed(1)}–${quantile(ms, 0.75).toFixed(1)})`
