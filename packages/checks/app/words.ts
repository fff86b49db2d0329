import type { Level, Result } from '../src/terms.js'

export const resultKind = (result: Result): string => `result-${result.replaceAll(' ', '-')}`

const outcomeSigns: Record<Level | 'indeterminate', string> = {
  strong: '▲',
  mixed: '◆',
  poor: '▼',
  critical: '✕',
  indeterminate: '?',
}

export const outcomes = Object.keys(outcomeSigns)

export const outcomeSign = (outcome: string): string =>
  Object.hasOwn(outcomeSigns, outcome) ? outcomeSigns[outcome as Level] : '○'

export const outcomeKind = (outcome: string): string => (Object.hasOwn(outcomeSigns, outcome) ? outcome : 'other')

export const answerLabels = {
  asked: 'asked in this run',
  cached: 'from the cache',
  same: 'the same text as one before it',
}

export function amount(value: number, digits = 0): string {
  return value.toLocaleString('en', { maximumFractionDigits: digits }).replaceAll(',', '\u202f')
}

export const milliseconds = (value: number): string =>
  value < 1_000 ? `${amount(value)} ms` : `${amount(value / 1_000, value < 10_000 ? 2 : 1)} s`

export const share = (part: number, of: number): string => (of === 0 ? '–' : `${amount((part / of) * 100, 1)} %`)
