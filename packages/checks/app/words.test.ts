import { describe, expect, it } from 'vitest'
import { gapTextWithHint } from '../src/report/wording.js'
import { amount, milliseconds, outcomeKind, outcomeSign, share } from './words.js'

describe('words of a report', () => {
  it('group digits the same everywhere', () => {
    expect([0, 999, 1_000, 1_234_567].map((value) => amount(value))).toEqual([
      '0',
      '999',
      '1\u202f000',
      '1\u202f234\u202f567',
    ])
    expect(amount(1_234.567, 1)).toBe('1\u202f234.6')
  })

  it('show a time in a unit that fits its size', () => {
    expect([5, 999, 1_500, 12_345].map(milliseconds)).toEqual(['5 ms', '999 ms', '1.5 s', '12.3 s'])
  })

  it('show no share of zero', () => {
    expect([share(1, 8), share(0, 0)]).toEqual(['12.5 %', '–'])
  })

  it('know an outcome that the interface does not name', () => {
    expect([outcomeKind('poor'), outcomeKind('constructor')]).toEqual(['poor', 'other'])
    expect(outcomeSign('constructor')).toBe('○')
  })

  it('say where running again may help', () => {
    expect(gapTextWithHint({ why: 'indeterminate', detail: null, temporary: false })).toBe('indeterminate')
    expect(gapTextWithHint({ why: 'not annotated', detail: '503.', temporary: true })).toBe(
      'not annotated: 503. (running again may close this)',
    )
  })
})
