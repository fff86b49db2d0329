import { describe, expect, it } from 'vitest'
import { failedCase, reportOf } from '../../test/fixtures/report.js'
import { render } from './render.js'

const forms = ['terminal', 'gitlab', 'md', 'junit', 'github', 'sarif'] as const
const textOf = async (...args: Parameters<typeof render>) => [...(await render(...args))].join('')

describe('the reason of the annotator', () => {
  it.each(forms)('stands in the form %s beside a transcript that fails by its outcome', async (form) => {
    expect(await textOf(reportOf([failedCase({ outcome_notes: 'It never said why.' })]), form)).toContain(
      form === 'terminal' || form === 'gitlab' ? '“It never said why.”' : 'It never said why.',
    )
  })

  it.each(['terminal', 'gitlab'] as const)('stands in the form %s beside no other failure', async (form) => {
    const reasons = [{ rule: 'forbidden' as const, signal: 'unresolved', known: false }]
    const knownReason = { rule: 'outcome' as const, outcome: 'poor', known: true }
    for (const each of [reasons, [...reasons, knownReason]])
      expect(await textOf(reportOf([failedCase({ reasons: each })]), form)).not.toContain('Never answered.')
    expect(await textOf(reportOf([failedCase({ outcome_notes: ' ' })]), form)).not.toContain('“ ”')
  })
})
