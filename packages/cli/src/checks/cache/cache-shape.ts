import type { Annotation } from '@svc/client'

/**
 * Whether a value is an annotation with all that the interface declares; more may be in it, and its outcome may be one
 * that is not listed.
 */
export function isWhole(value: unknown): value is Annotation {
  if (!isRecord(value)) return false
  const { summary, signals, usage } = value
  return (
    hasTexts(value, ['outcome', 'outcome_notes', 'annotator', 'annotator_version', 'taxonomy_version']) &&
    isRecord(summary) &&
    hasTexts(summary, ['title', 'summary', 'quality_concerns', 'user_intent', 'domain']) &&
    Array.isArray(summary.keywords) &&
    summary.keywords.every((keyword) => typeof keyword === 'string') &&
    isRecord(signals) &&
    Object.values(signals).every(isHit) &&
    isRecord(usage) &&
    ['tokens_in', 'tokens_out', 'latency_ms'].every((name) => Number.isFinite(usage[name]))
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasTexts = (record: Record<string, unknown>, names: readonly string[]): boolean =>
  names.every((name) => typeof record[name] === 'string')

const isHit = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.evidence === 'string' &&
  (value.turn === undefined || value.turn === null || Number.isInteger(value.turn))
