import { expect, test } from 'vitest'
import { checkTurnBytes, readAnnotationRequest, readProjectCreate, readTranscriptUpload } from './bodies.js'

const turn = { role: 'user', content: 'hello' }
const upload = (body: unknown) => () => readTranscriptUpload(body, 'code points')
const saying = (message: string, status = 400) => expect.objectContaining({ status, message })

test('all violations come in one message, as pointers, without a word of what was sent', () => {
  const body = {
    name: '',
    turns: [{ role: 'robot', content: 7 }, { content: 'x', createdAt: 'soon', toolCalls: [{ name: 'f' }] }, null],
    modelName: 'm'.repeat(101),
    metadata: [],
    process: 'no',
  }
  expect(upload(body)).toThrow(
    saying(
      [
        '/name: expected 1 to 500 characters',
        '/turns/0/role: expected one of user, assistant, system, tool, human_agent',
        '/turns/0/content: expected a string',
        '/turns/1/role: required',
        '/turns/1/toolCalls/0/args: required',
        '/turns/1/createdAt: expected an ISO 8601 date or date-time',
        '/turns/2: expected an object',
        '/modelName: expected at most 100 characters',
        '/metadata: expected an object',
        '/process: expected true or false',
      ].join('; '),
    ),
  )
})

test.each([null, [], 'text', 3])('a body that is %j is no object', (body) => {
  expect(upload(body)).toThrow(saying('body: expected an object'))
})

test.each([
  ['modelName', 100],
  ['language', 10],
  ['sourceSystem', 100],
  ['externalId', 500],
  ['externalUserId', 500],
])('%s holds %d characters, counted as code points', (field, max) => {
  const body = { name: 'n', turns: [turn] }
  expect(upload({ ...body, [field]: '😀'.repeat(max) })).not.toThrow()
  expect(upload({ ...body, [field]: '😀'.repeat(max + 1) })).toThrow(
    saying(`/${field}: expected at most ${max} characters`),
  )
})

test('the reading of lengths can be UTF-16 units', () => {
  expect(() => readProjectCreate({ name: '😀'.repeat(500) }, 'code points')).not.toThrow()
  expect(() => readProjectCreate({ name: '😀'.repeat(500) }, 'utf-16 units')).toThrow()
})

test.each([
  [0, false],
  [1, true],
  [1000, true],
  [1001, false],
])('%d turns are accepted: %s', (length, accepted) => {
  const attempt = upload({ name: 'n', turns: Array.from({ length }, () => turn) })
  if (accepted) expect(attempt).not.toThrow()
  else expect(attempt).toThrow(saying('/turns: expected an array of 1 to 1000 items'))
})

test('empty content, unknown fields and any JSON as args are accepted', () => {
  const toolCalls = [{ name: 'f', args: null }]
  expect(upload({ name: 'n', extra: 1, turns: [{ ...turn, content: '', toolCalls, other: {} }] })).not.toThrow()
})

test('a field that is inherited is not there', () => {
  expect(upload(Object.create({ name: 'n', turns: [turn] }))).toThrow(saying('/name: required; /turns: required'))
})

test('a turn is measured in bytes of its content, whatever else is wrong', () => {
  const body = (content: string) => ({ turns: [turn, { content }] })
  expect(() => checkTurnBytes(body('é'.repeat(512)), 1024)).not.toThrow()
  expect(() => checkTurnBytes(body('é'.repeat(513)), 1024)).toThrow(
    saying('/turns/1/content: exceeds 1024 bytes of UTF-8', 413),
  )
  expect(() => checkTurnBytes({ turns: 'none' }, 1)).not.toThrow()
})

test('an annotation request is refused with 422, and an empty transcript is none of its faults', () => {
  expect(() => readAnnotationRequest({ transcript: [{ role: 1 }], options: 'x' })).toThrow(
    saying(
      '/transcript/0/role: expected a string; /transcript/0/content: required; /annotator: required; /options: expected an object',
      422,
    ),
  )
  expect(() => readAnnotationRequest({ transcript: [], annotator: '' })).not.toThrow()
})

test('a body in which much is wrong is answered with the first of it', () => {
  const transcript = Array.from({ length: 1000 }, () => 1)
  const refusal = catchRefusal(() => readAnnotationRequest({ annotator: 'a', transcript }))
  expect(refusal).toContain('/transcript/0: expected an object')
  expect(refusal).toMatch(/\/transcript\/49: expected an object; and perhaps more$/)
})

function catchRefusal(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}
