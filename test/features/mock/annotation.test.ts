import { expect, onTestFinished, test } from 'vitest'
import { Refusal, structural } from '../../../packages/reference-server/src/core.js'
import { A, annotation, setUp } from '../../../packages/reference-server/test/fixtures/server.js'

test('lets an annotator judge, refuse, or fail without showing the failure', async () => {
  const errors: unknown[] = []
  const info = { annotator_version: '2', taxonomy_version: '3', description: 'd' }
  const failure = new Error('secret')
  const annotators = [
    {
      ...info,
      id: 'busy',
      annotate: () => Promise.reject(new Refusal(503, 'Busy.', { headers: { 'retry-after': '2' } })),
    },
    { ...info, id: 'broken', annotate: () => Promise.reject(failure) },
  ]
  const { send } = setUp({ annotators, onError: (error) => errors.push(error) })
  const create = (annotator: string) => send(`${A}/v1/annotations`, { body: { ...annotation, annotator } })
  expect(await create('busy')).toMatchObject({ status: 503, body: { error: 'unavailable', detail: 'Busy.' } })
  expect(await create('broken')).toMatchObject({
    status: 500,
    body: { error: 'internal_error', detail: 'The server failed.' },
  })
  expect(errors).toEqual([failure])
})

const whole = {
  summary: { title: '', keywords: [], summary: '', quality_concerns: '', user_intent: '', domain: '' },
  outcome: 'strong',
  outcome_notes: '',
  signals: {},
}

test.each<[string, unknown]>([
  ['/outcome: expected one of strong, mixed, poor, critical, indeterminate', { ...whole, outcome: 'great' }],
  ['/outcome_notes: required', { ...whole, outcome_notes: undefined }],
  ['/summary/keywords/0: expected a string', { ...whole, summary: { ...whole.summary, keywords: [1] } }],
  ['/signals: expected an object', { ...whole, signals: ['rude'] }],
  ['/signals/rude: expected an object', { ...whole, signals: { rude: null } }],
  ['/signals/rude/evidence: required', { ...whole, signals: { rude: { turn: 1 } } }],
  ['/signals/rude/turn: expected a whole number from 1', { ...whole, signals: { rude: { evidence: '', turn: 0 } } }],
  ['/signals/rude/turn: expected one of 1 turns', { ...whole, signals: { rude: { evidence: '', turn: 2 } } }],
  [
    '/usage/tokens_in: expected a whole number from 0',
    { ...whole, usage: { tokens_in: -1, tokens_out: 1, latency_ms: 1 } },
  ],
  ['answer: expected an object', undefined],
])('the error of an invalid answer names its field: %s', async (problem, given) => {
  const errors: unknown[] = []
  const info = { id: 'mine', annotator_version: '2', taxonomy_version: '3', description: 'd' }
  const annotators = [{ ...info, annotate: () => given as never }]
  const { send } = setUp({ annotators, onError: (error) => errors.push(error) })
  const { status, body } = await send(`${A}/v1/annotations`, { body: { ...annotation, annotator: 'mine' } })
  expect([status, body]).toEqual([500, { error: 'internal_error', detail: 'The server failed.' }])
  expect(errors).toEqual([new TypeError(`The answer of the annotator "mine" is invalid: ${problem}.`)])
})

test('the failure of an annotator goes to console.error, with its stack, unless onError takes it', async () => {
  const failure = new Error('mine to mend')
  const annotators = [{ ...structural, annotate: () => Promise.reject(failure) }]
  const said: unknown[] = []
  const { error } = console
  console.error = (...values) => said.push(...values)
  onTestFinished(() => {
    console.error = error
  })
  const { status } = setUp({ annotators })
  expect(await status(`${A}/v1/annotations`, { body: annotation })).toBe(500)
  expect(said).toEqual([failure])
})

test('a turn of a megabyte of # is annotated without trying each of them again', async () => {
  const { send } = setUp()
  const transcript = [{ role: 'user', content: '#'.repeat(2 ** 20) }]
  const { status } = await send(`${A}/v1/annotations`, { body: { annotator: 'structural', transcript } })
  expect(status).toBe(200)
})
