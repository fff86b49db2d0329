import { setImmediate } from 'node:timers/promises'
import { contentHash, keyOf } from '../../packages/cli/src/ledger/identity.js'
import { openLedger } from '../../packages/cli/src/ledger/ledger.js'

/** Writes a ledger until it is killed, and says after each step what must be there: `intent KEY`, `done KEY`. */
const [folder = '', baseUrl = '', project = '', seed = ''] = process.argv.slice(2)
const target = { baseUrl, project }

async function main(): Promise<void> {
  const ledger = await openLedger({ folder, target, now: () => Date.now() }).catch((error: { exit?: number }) => {
    process.stdout.write(`refused ${error.exit}\n`)
    return undefined
  })
  if (!ledger) return
  process.stdout.write('open\n')
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

void main()
