import { setImmediate } from 'node:timers/promises'
import { systemClock } from '@svc/client'
import { contentHash, keyOf, type Ledger, openLedger } from '../../../packages/bulk/src/ledger/index.js'

/** Writes a ledger until it is killed, and says after each step what must be there: `intent KEY`, `done KEY`. */
const [folder = '', baseUrl = '', project = '', seed = ''] = process.argv.slice(2)
const target = { baseUrl, project }
/** Events are written at the next turn of the event loop. */
const clock = {
  ...systemClock,
  after(_: number, act: () => void) {
    const immediate = globalThis.setImmediate(act)
    return () => clearImmediate(immediate)
  },
}

const tell = (said: string) => (error: { code?: string; message: string }) => {
  process.stdout.write(`${said} ${error.code} ${error.message}\n`)
}

async function main(): Promise<void> {
  const ledger = await openLedger({ folder, target, clock })
  process.stdout.write('open\n')
  await write(ledger).catch(tell('stopped'))
  await ledger.release().catch(tell('lost'))
}

async function write(ledger: Ledger): Promise<void> {
  for (let i = 0; ; i++) {
    const batch = Array.from({ length: 4 }, (_, j) => {
      const content = contentHash({ turns: [seed, i, j] })
      const key = keyOf(target, content, 1, 1)
      return { key, content, occurrence: 1, part: 1, source: undefined, name: `ü ${i}`, turns: 1, path: 'a', record: 1 }
    })
    await ledger.intend(batch)
    process.stdout.write(batch.map(({ key }) => `intent ${key}\n`).join(''))
    for (const { key } of batch) ledger.close(key, { event: 'done', id: `tr_${key}`, status: 'queued' })
    await setImmediate()
    await setImmediate()
    process.stdout.write(batch.map(({ key }) => `done ${key}\n`).join(''))
  }
}

void main().catch(tell('refused'))
