import { cpus, loadavg } from 'node:os'
import { benchAbort } from './abort.js'
import { benchBulk } from './bulk.js'
import { benchBulkPlan } from './bulk-plan.js'
import { benchBulkStdin } from './bulk-stdin.js'
import { benchCalls } from './calls.js'
import { benchCheck } from './check.js'
import { benchCli } from './cli.js'
import { benchExit } from './exit.js'
import { benchFixedWindow } from './fixed-window.js'
import { benchHeap } from './heap.js'
import { benchImports } from './imports.js'
import { conclude, remark } from './page.js'
import { benchReportHtml } from './report-html.js'
import { benchServer } from './server.js'
import { benchContract } from './server-contract.js'
import { benchServerFetch } from './server-fetch.js'
import { benchServerHeap } from './server-heap.js'
import { benchSearch } from './server-search.js'
import { benchServerStart } from './server-start.js'
import { benchServerUpload } from './server-upload.js'
import { benchSize } from './size.js'
import { benchTranscripts } from './transcripts.js'

const parts: Record<string, () => Promise<void>> = {
  size: benchSize,
  imports: benchImports,
  calls: benchCalls,
  abort: benchAbort,
  heap: benchHeap,
  exit: benchExit,
  window: benchFixedWindow,
  server: benchServer,
  'server-start': benchServerStart,
  'server-fetch': benchServerFetch,
  'server-upload': benchServerUpload,
  'server-heap': benchServerHeap,
  'server-search': benchSearch,
  'server-contract': benchContract,
  transcripts: benchTranscripts,
  cli: benchCli,
  'report-html': benchReportHtml,
  bulk: benchBulk,
  'bulk-stdin': benchBulkStdin,
  'bulk-plan': benchBulkPlan,
  check: benchCheck,
}

// Every part, or those that are named.
const named = process.argv.slice(2)
console.log(`node ${process.version}, ${cpus().length} cores; every ratio is measured side by side in this run`)
console.log(`load before: ${loadavg()[0]?.toFixed(2)} (a busy machine blurs what follows)`)
for (const [name, bench] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue
  await bench().catch((error: Error) => remark(`The part "${name}" is not complete: ${error.message}`))
}
conclude()
