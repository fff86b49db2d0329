import { expect, it } from 'vitest'
import { failureOf, json, networkError, type Scripted, scripted, upload } from '../test/fixtures/scripted.js'
import { InputError } from './errors/index.js'
import { nextStep } from './next-step.js'
import type { ClientOptions } from './options.js'

const refusal = (status: number) => json({ error: { message: 'No.', type: 'x', code: null } }, status)
const list = (answer: Scripted, options: ClientOptions = {}) =>
  failureOf(scripted([answer], { retry: false, ...options }).svc.projects.list())

it.each([
  ['a key that is not valid', () => refusal(401), 'check_key'],
  ['a key that may not do this', () => refusal(403), 'check_key'],
  ['an id that does not exist', () => refusal(404), 'check_id'],
  ['a request that the service refuses', () => refusal(400), 'fix_request'],
  ['an answer of another server', () => new Response('<html>'), 'fix_request'],
  ['a service that is down', () => refusal(503), 'try_later'],
  ['a server that is not reached', () => networkError('ECONNREFUSED'), 'try_later'],
  ['a certificate that is not trusted', () => networkError('SELF_SIGNED_CERT_IN_CHAIN'), 'fix_input'],
  ['a port that speaks no TLS', () => networkError('ERR_SSL_WRONG_VERSION_NUMBER'), 'fix_input'],
] as const)('the next step after %s', async (_, answer, step) => {
  expect(nextStep(await list(answer()))).toBe(step)
})

it('the next step is to wait if the rate limit was reached, and to reconcile a write without an answer', async () => {
  const limited = json({}, 429, { 'retry-after': '3600' })
  expect(nextStep(await list(limited))).toBe('try_later')
  const { svc } = scripted([networkError('ECONNRESET')])
  expect(nextStep(await failureOf(svc.transcripts.upload('hp-1', upload)))).toBe('reconcile')
})

it('the next step is to correct the input that the client refuses, or to set a key', async () => {
  expect(nextStep(await failureOf(scripted([]).svc.projects.get('..')))).toBe('fix_input')
  expect(nextStep(await list('never', { apiKey: undefined }))).toBe('check_key')
})

it('the next step is to correct the one request whose id was used for other content', () => {
  expect(nextStep(new InputError('id_reused', 'x', 'transcripts.upload'))).toBe('fix_request')
})

it('the next step is to report a bug for any error that is not one of the client', () => {
  for (const error of [new TypeError('x'), 'text', undefined, null, { kind: 'not_found' }]) {
    expect(nextStep(error)).toBe('report_bug')
  }
})
