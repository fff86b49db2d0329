import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openLedger } from './ledger.js'
import { intentOf, target, temporaryFolder } from './ledger-fixture.js'

it('writes down before it returns that an item is sent later than its intent says', async () => {
  const { folder, remove } = temporaryFolder()
  let time = Date.parse('2026-01-01T00:00:00Z')
  const ledger = await openLedger({ folder, target, now: () => time })
  try {
    const item = intentOf('a')
    await ledger.intend([item])
    const lines = () => readFileSync(ledger.file, 'utf8').trim().split('\n').length
    const before = lines()
    ledger.sending(item.key)
    expect(lines()).toBe(before)
    time += 60_000
    ledger.sending(item.key)
    expect(lines()).toBe(before + 1)
    // Nothing was closed: as after the death of the process.
    const later = await openLedger({ folder, target, shard: undefined, now: () => time }).catch(
      (error: unknown) => error,
    )
    expect(later).toMatchObject({ name: 'CliError' })
    expect(ledger.open()).toMatchObject([
      { key: item.key, at: '2026-01-01T00:01:00.000Z', since: '2026-01-01T00:00:00.000Z' },
    ])
  } finally {
    await ledger.release()
    remove()
  }
})
