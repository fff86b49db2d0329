import { cpus, loadavg } from 'node:os'
import { benchCalls } from './client.js'
import { benchBulk, benchCheck, benchLarge, benchStart } from './command.js'
import { row, summary } from './measure.js'
import { benchRateLimit } from './rate-limit.js'
import { benchScale } from './scale.js'
import { benchSearch, benchServer, benchServerStart } from './server.js'
import { benchTranscripts } from './transcripts.js'

/** The numbers that the project promises, in the order of their table; `size-limit` holds those of the client's size. */
const parts: Record<string, () => Promise<void>> = {
  calls: benchCalls,
  start: benchStart,
  bulk: benchBulk,
  'rate-limit': benchRateLimit,
  scale: benchScale,
  large: benchLarge,
  transcripts: benchTranscripts,
  server: benchServer,
  'server-start': benchServerStart,
  search: benchSearch,
  check: benchCheck,
}

// Every part, or those that are named. `-u` writes the table of the page about the simulator, which takes minutes more.
const named = process.argv.slice(2).filter((each) => each !== '-u')
console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2)}`)
for (const [name, bench] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue
  await bench().catch((error: Error) => {
    process.exitCode = 1
    console.log(`The part "${name}" failed: ${error.message}`)
  })
}
// The parts that were named say nothing about the time of all.
if (named.length === 0) row('the time of all parts', performance.now() / 60_000, '≤', 8, 'minutes')
console.log(summary())
