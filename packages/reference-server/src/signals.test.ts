import { expect, test } from 'vitest'
import { outcomeOf, type Severity, sentenceAt } from './signals.js'

const fired = (...severities: Severity[]) =>
  Object.fromEntries(severities.map((severity, i) => [`s${i}`, { severity, evidence: 'e' }]))

test.each([
  [[], 'strong'],
  [[0], 'strong'],
  [[1, 1, 0], 'mixed'],
  [[1, 2], 'poor'],
  [[2, 2], 'critical'],
  [[3], 'critical'],
] as [Severity[], string][])('severities %j are %s', (severities, outcome) => {
  expect(outcomeOf(fired(...severities))).toBe(outcome)
})

test('the sentence around a place is cut out verbatim', () => {
  const text = 'Well. I am angry! Now go.\nNext'
  expect(sentenceAt(text, text.indexOf('angry'))).toBe('I am angry!')
  expect(sentenceAt(text, 0)).toBe('Well.')
  expect(sentenceAt(text, text.indexOf('Next'))).toBe('Next')
})

test('evidence from a long text is bounded, contains the place, and cuts no pair in two', () => {
  const text = `${'😀'.repeat(300)}here${'😀'.repeat(300)}`
  const evidence = sentenceAt(text, text.indexOf('here'))
  expect(evidence.length).toBeLessThanOrEqual(200)
  expect(evidence).toContain('here')
  expect(text).toContain(evidence)
  expect(() => encodeURIComponent(evidence)).not.toThrow()
})
