import { expect, onTestFinished, test } from 'vitest'
import { Refusal, structural } from './core.js'
import { A, annotation, setUp } from './server-fixture.js'

test('an annotation names its annotator and versions, and accounts for itself', async () => {
  const { send } = setUp()
  const { status, body } = await send(`${A}/v1/annotations`, { body: annotation })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    outcome: 'critical',
    signals: { unanswered_user_turn: { evidence: 'Hi', turn: 1 } },
    annotator: 'structural',
    annotator_version: '1.0.0',
    taxonomy_version: '1.0.0',
    usage: { tokens_in: 1, tokens_out: expect.any(Number), latency_ms: 0 },
  })
  expect((await send(`${A}/v1/annotators`)).body.annotators).toEqual([
    { id: 'structural', annotator_version: '1.0.0', taxonomy_version: '1.0.0', description: expect.any(String) },
    { id: 'patterns', annotator_version: '1.0.0', taxonomy_version: '1.0.0', description: expect.any(String) },
  ])
})

test('an annotation is refused with 422 for its body and 404 for its annotator', async () => {
  const { send } = setUp()
  const create = (body: unknown) => send(`${A}/v1/annotations`, { body })
  expect(await create('{')).toMatchObject({
    status: 422,
    body: { error: 'unprocessable', detail: 'The body is not valid JSON.' },
  })
  expect(await create({ transcript: 1 })).toMatchObject({
    status: 422,
    body: { detail: '/transcript: expected an array; /annotator: required' },
  })
  expect(await create({ ...annotation, annotator: 'nope' })).toMatchObject({
    status: 404,
    body: { error: 'not_found' },
  })
  expect(await create({ ...annotation, transcript: [] })).toMatchObject({
    status: 200,
    body: { outcome: 'indeterminate' },
  })
})

test('batches are 501 whatever is sent, and 422 for an id that cannot be one', async () => {
  const { send } = setUp()
  const notYet = { status: 501, body: { error: 'not_implemented', detail: expect.any(String) } }
  expect(await send(`${A}/v1/batches`, { body: '{' })).toMatchObject(notYet)
  expect(await send(`${A}/v1/batches/${'😀'.repeat(255)}`)).toMatchObject(notYet)
  for (const id of ['x'.repeat(256), '%E0%A4%A', 'a%0Ab']) {
    expect(await send(`${A}/v1/batches/${id}`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'batch_id'], msg: expect.any(String), type: expect.any(String) }] },
    })
  }
})

test('an annotator of one’s own may judge, refuse, or fail without a word of the failure', async () => {
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
])('an answer that the interface does not allow names its annotator and field: %s', async (problem, given) => {
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
