import { describe, expect, it } from 'vitest'
import { timeAgo } from './output.js'

describe('timeAgo', () => {
  const now = Date.parse('2026-03-10T12:00:00Z')
  it.each([
    ['2026-03-10T11:59:30Z', 'just now'],
    ['2026-03-10T11:58:59Z', '1 minute ago'],
    ['2026-03-10T09:00:00Z', '3 hours ago'],
    ['2026-03-08T11:00:00Z', '2 days ago'],
    ['2026-01-31T10:00:00Z', '2026-01-31'],
    ['2026-03-11T10:00:00Z', '2026-03-11'],
    ['', ''],
    ['soon', 'soon'],
  ])('shows %s as "%s"', (iso, text) => {
    expect(timeAgo(iso, now)).toBe(text)
  })
})
