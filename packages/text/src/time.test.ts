import { describe, expect, it } from 'vitest'
import { parseDuration } from './time.js'

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['30', 30_000],
    ['1.5m', 90_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
    ['0', undefined],
    ['-1s', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('%j is %j ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })
})
