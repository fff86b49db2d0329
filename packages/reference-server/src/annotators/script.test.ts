import { expect, test } from 'vitest'
import { A, annotation, setUp } from '../../test/fixtures/server.js'
import type { AnnotatorScript } from './index.js'

function scripted(...annotators: AnnotatorScript[]) {
  const { send, server } = setUp({ seed: { annotators } })
  const ask = async (annotator: string, content = 'Hi', more: object = {}) => {
    const body = { ...annotation, annotator, transcript: [{ role: 'user', content }], ...more }
    const { status, headers, body: answer } = await send(`${A}/v1/annotations`, { body })
    return status === 200 ? answer.outcome : [status, headers.get('retry-after')]
  }
  return { send, server, ask }
}

test('the first answer that fits is given, until it is used up', async () => {
  const { ask } = scripted({
    id: 'mine',
    answers: [
      { when: { contains: 'refund' }, outcome: 'poor' },
      { times: 2, outcome: 'critical' },
      { times: 1, status: 503, retryAfter: 2 },
    ],
    outcome: 'strong',
  })
  expect([await ask('mine'), await ask('mine', 'a refund!'), await ask('mine')]).toEqual([
    'critical',
    'poor',
    'critical',
  ])
  expect([await ask('mine'), await ask('mine'), await ask('mine')]).toEqual([[503, '2'], 'strong', 'strong'])
})

test.each([
  [{ contains: 'order' }, true],
  [{ contains: 'Order' }, false],
  [{ contains: 'order', role: 'user' }, true],
  [{ contains: 'order', role: 'assistant' }, false],
  [{ role: 'assistant' }, true],
  [{ role: 'tool' }, false],
  [{ messages: 2 }, true],
  [{ messages: 1 }, false],
  [{ options: { depth: 3 } }, true],
  [{ options: { depth: '3' } }, false],
  [{ options: { depth: 3 }, messages: 1 }, false],
  [{}, true],
])('the condition %j fits: %s', async (when, fits) => {
  const { ask } = scripted({ id: 'mine', answers: [{ when, outcome: 'poor' }], outcome: 'strong' })
  const transcript = [
    { role: 'user', content: 'my order' },
    { role: 'assistant', content: 'Yes.' },
  ]
  expect(await ask('mine', '', { transcript, options: { depth: 3, mode: 'x' } })).toBe(fits ? 'poor' : 'strong')
})

test('a script without an outcome leaves other requests to the annotator that it replaces, also when it is set again', async () => {
  const { ask, server } = scripted({ id: 'structural', answers: [{ when: { contains: 'Hi' }, outcome: 'strong' }] })
  expect([await ask('structural'), await ask('structural', 'Where is it?')]).toEqual(['strong', 'critical'])
  server.restore({ annotators: [{ id: 'structural', answers: [{ times: 1, outcome: 'mixed' }] }] })
  expect([await ask('structural', 'Where is it?'), await ask('structural', 'Where is it?')]).toEqual([
    'mixed',
    'critical',
  ])
})

test('a script keeps versions and description of the annotator that it replaces, or has its own', async () => {
  const { send } = scripted(
    { id: 'structural', outcome: 'poor' },
    { id: 'mine', outcome: 'poor', description: 'Mine.' },
  )
  const { annotators } = (await send(`${A}/v1/annotators`)).body
  const { annotators: usual } = (await setUp().send(`${A}/v1/annotators`)).body as { annotators: unknown[] }
  expect(annotators).toEqual([
    ...usual,
    { id: 'mine', annotator_version: '1.0.0', taxonomy_version: '1.0.0', description: 'Mine.' },
  ])
})

test.each([
  ['/annotators/0/outcome: expected one of strong', { id: 'a', outcome: 'great' }],
  ['/annotators/0/answers/0: expected either an outcome or a status', { id: 'a', answers: [{}], outcome: 'poor' }],
  ['/answers/0: expected either an outcome or a status', { id: 'a', answers: [{ outcome: 'poor', status: 503 }] }],
  ['/answers/0/retryAfter: only beside a status', { id: 'a', answers: [{ outcome: 'poor', retryAfter: 1 }] }],
  ['/answers/0/status: expected a status from 400 to 599', { id: 'a', answers: [{ status: 200 }] }],
  [
    '/answers/0/when/contain: no such field (did you mean contains?)',
    { id: 'a', answers: [{ when: { contain: 'x' } }] },
  ],
  ['/outcome: required, because this server has no annotator of that name', { id: 'a', answers: [] }],
])('a script that cannot be is refused: %s', (message, script) => {
  expect(() => scripted(script as AnnotatorScript)).toThrow(message)
})
