import { expect, test } from 'vitest'
import { type JournalEntry, note } from './journal.js'

test('keeps the latest entries', () => {
  const entries: JournalEntry[] = []
  for (let at = 0; at < 5; at += 1) {
    note(entries, { method: 'GET', surface: 'annotation', path: '/', operation: null, status: 404, key: null, at }, 3)
  }
  expect(entries.map(({ at }) => at)).toEqual([2, 3, 4])
})
