// A job that survives a restart: run it again after any interruption, and it sends only what is missing.
import { join } from 'node:path'
import { uploadAll } from '@svc/bulk'
import { createClient } from '@svc/client'

const { SVC_PROJECT: project, SVC_STATE_DIR: state = '.' } = process.env

// Any source that gives the same transcripts again: a file, a table, a queue.
function* transcripts() {
  for (let order = 1; order <= 40; order++) {
    yield {
      name: `Order ${order}`,
      externalId: `order-${order}`,
      turns: [
        { role: 'user', content: `Where is order ${order}?` },
        { role: 'assistant', content: 'It left the warehouse this morning.' },
      ],
    }
  }
}

// Ctrl-C and SIGTERM stop the run after its open requests; `kill -9` at any moment does no harm.
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(signal))

const run = uploadAll({
  client: createClient(),
  project,
  transcripts: transcripts(),
  ledger: join(state, 'orders'),
  signal: stop.signal,
  // After a crash, the next run waits this long before an upload that it cannot find counts as absent.
  timeoutMs: 5_000,
  settleMs: 1_000,
})
for await (const { result, item, ...rest } of run) console.log(result, item.name, 'error' in rest ? rest.error : '')

const { uploaded, already_uploaded, failed, unknown, not_sent } = run.summary()
console.log(`${uploaded} uploaded, ${already_uploaded} already stored`)
// Not 0, so that the scheduler of the job starts it again.
if (failed + unknown > 0 || not_sent !== 0) process.exitCode = 1
