import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureOf, json, networkError, type Scripted, scripted } from '../test/fixtures/scripted.js'
import { createFailureClassifier } from './failures.js'

const failure = (answer: Scripted) => failureOf(scripted([answer], { retry: false }).svc.projects.list())
const ofGateway = await failure(new Response('<html>Forbidden</html>', { status: 403 }))
const ofKey = await failure(json({ error: { message: 'Revoked.', type: 'authorization_error', code: 403 } }, 403))
const ofNetwork = await failure(networkError('ECONNREFUSED'))

describe('createFailureClassifier', () => {
  it('takes the 403 of a gateway for a matter of its item, until it is the answer to the first ten', () => {
    const failures = createFailureClassifier()
    const ten = Array.from({ length: 10 }, () => failures.failed(ofGateway))
    expect(ten.slice(0, 9).every(({ step, allRefused }) => step === 'fix_request' && !allRefused)).toBe(true)
    expect(ten[9]).toEqual({ error: ofGateway, step: 'check_key', allRefused: 10 })
  })

  it('never stops a run in which one request was answered, in any order of the answers before the tenth', () => {
    const answers = fc.array(fc.constantFrom('refused', 'answered', 'unreachable'), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(answers, (all) => {
        const failures = createFailureClassifier()
        let refusedFirst = 0
        let isAnswered = false
        for (const answer of all) {
          if (answer === 'answered') failures.succeeded()
          isAnswered ||= answer === 'answered'
          if (answer === 'unreachable') expect(failures.failed(ofNetwork).step).toBe('try_later')
          if (answer !== 'refused') continue
          if (!isAnswered) refusedFirst++
          const stops = !isAnswered && refusedFirst >= 10
          expect(failures.failed(ofGateway).step).toBe(stops ? 'check_key' : 'fix_request')
        }
      }),
    )
  })

  it('gives the next step of any other error, or the one that it is told for an error of the caller', () => {
    const failures = createFailureClassifier()
    expect(failures.failed(ofKey)).toEqual({ error: ofKey, step: 'check_key' })
    const own = new Error('cannot be read')
    expect(failures.failed(own).step).toBe('report_bug')
    expect(failures.failed(own, 'fix_input')).toEqual({ error: own, step: 'fix_input' })
  })
})
