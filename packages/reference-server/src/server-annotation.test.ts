import { expect, test } from 'vitest'
import { Refusal } from './core.js'
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

test('what an annotator leaves out of its judgement is left out of the answer, which stays JSON', async () => {
  const info = { annotator_version: '2', taxonomy_version: '3' }
  const annotators = [{ ...info, id: 'silent', description: 'd', annotate: () => ({}) as never }]
  const { send } = setUp({ annotators })
  const { status, body } = await send(`${A}/v1/annotations`, { body: { ...annotation, annotator: 'silent' } })
  const usage = { tokens_in: 1, tokens_out: 1, latency_ms: 0 }
  expect({ status, body }).toEqual({ status: 200, body: { ...info, annotator: 'silent', usage } })
})

test('a turn of a megabyte of # is annotated without trying each of them again', async () => {
  const { send } = setUp()
  const transcript = [{ role: 'user', content: '#'.repeat(2 ** 20) }]
  const { status } = await send(`${A}/v1/annotations`, { body: { annotator: 'structural', transcript } })
  expect(status).toBe(200)
})
