import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Intent } from './events.js'
import { contentHash, keyOf, type Target } from './identity.js'

export const target: Target = {
  baseUrl: 'https://svc.test/public/api/v1',
  project: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10',
}

/** A folder of its own for a test, and what takes it away. */
export function temporaryFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ledger-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** An item that is about to be sent, told apart by its words. */
export function intentOf(words: string, more: Partial<Intent> = {}): Intent {
  const { occurrence = 1, part = 1 } = more
  const content = contentHash({ turns: [{ role: 'user', content: words }] })
  const key = keyOf(target, content, occurrence, part)
  return {
    key,
    content,
    occurrence,
    part,
    source: undefined,
    name: words,
    turns: 1,
    path: 'a.json',
    record: 1,
    ...more,
  }
}
