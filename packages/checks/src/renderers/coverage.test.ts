import { describe, expect, it } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { defaultPolicy } from '../policy/in-force.js'
import { render } from './render.js'

const forms = ['terminal', 'html', 'md', 'junit'] as const
const cases = [caseOf({ path: 'a.jsonl' }), caseOf({ path: 'a.jsonl', record: 2 }), caseOf({ path: 'b.json' })]
const textOf = async (...[report, form]: Parameters<typeof render>) =>
  [...(await render(report, form))].join('').replace(/<script.*?<\/script>/gs, '')

describe('the report of a check that passed', () => {
  it.each(forms)('the report of a check that passed says in the form %s what it covered', async (form) => {
    const requests = { sent: 1, cached: 2, same: 0 }
    const policy = {
      ...{
        ...defaultPolicy,
        forbidden: ['loop', 'rude'],
        required: ['greeting'],
        custom: { rules: ['x'], sha256: '' },
      },
      overrides: [{ files: ['b.json'] }],
    }
    const unread = missingCase({ path: 'c.json' })
    const report = reportOf([...cases, unread], { requests, policy: { ...policy, minJudged: 0.5 } })
    expect(await textOf(report, form)).toContain(
      'judged: 3 transcripts from 2 files by structural 1.0.0; rules: failOn poor, 2 forbidden signals, ' +
        '1 required signal, 1 rule in code, 1 override; 2 answers from the cache',
    )
  })

  it.each(forms)(
    'the report of a check in the form %s says nothing of it if it failed or judged nothing',
    async (form) => {
      expect(await textOf(reportOf([...cases, failedCase()]), form)).not.toContain('judged: ')
      expect(await textOf(reportOf([], { mayBeEmpty: true }), form)).not.toContain('judged: ')
    },
  )
})
