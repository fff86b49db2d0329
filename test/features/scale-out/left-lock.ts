import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

/** Leaves in a folder of ledgers what a process on a machine that is gone left of its lock, with a short lease. */
export function leaveLock(folder: string): void {
  const name = readdirSync(folder).find((each) => each.endsWith('.jsonl')) ?? expect.fail('no ledger')
  const ledger = name.replace(/(\.g\d+)?\.jsonl$/, '')
  const claim = { pid: 1, host: 'gone', id: '0', ledger, at: '2026-01-01T00:00:00.000Z', leaseMs: 500 }
  writeFileSync(join(folder, `${ledger}.0.lock`), JSON.stringify(claim))
  writeFileSync(join(folder, `${ledger}.0.held`), '')
}
