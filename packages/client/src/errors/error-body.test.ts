import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorKindOf, readErrorBody } from './create-errors.js'

describe('an error body', () => {
  it('an error body is read from a validation error as readable field paths, without the input', () => {
    const detail = [
      { loc: ['body', 'transcript', 3, 'content'], msg: 'Field required', type: 'missing', input: 'my secret text' },
      { loc: ['path', 'batch_id'], msg: 'too long', type: 'string_too_long' },
    ]
    const read = readErrorBody({ detail })
    expect(read.fields).toEqual([
      { path: 'body.transcript[3].content', message: 'Field required' },
      { path: 'path.batch_id', message: 'too long' },
    ])
    expect(read.detail).toBe('body.transcript[3].content: Field required; path.batch_id: too long')
    expect(JSON.stringify(read)).not.toContain('secret')
  })

  it("an error body is read from a proxy's page by its title", () => {
    expect(readErrorBody('<html><head><title>502 Bad Gateway</title></head></html>').detail).toBe('502 Bad Gateway')
    expect(readErrorBody('<!doctype html>\n<body><p>Request <b>blocked</b>.</p>\nIncident 7').detail).toBe(
      'Request blocked.',
    )
    expect(readErrorBody('<style>p { color: red }</style><p>no title</p>').detail).toBeUndefined()
    expect(readErrorBody('{"error": {"message": "cut o').detail).toBeUndefined()
    expect(readErrorBody('upstream down\nmore').detail).toBe('upstream down')
  })

  it.each<[string, unknown]>([
    ['blocked by rule 7', { error: 'blocked by rule 7' }],
    ['too long; no name', { errors: ['too long', 'no name'] }],
    ['too long; no name; odd', { errors: [{ message: 'too long' }, { detail: 'no name' }, { msg: 'odd' }, 7] }],
    [
      'name is empty; turns is empty',
      { statusCode: 400, message: ['name is empty', 'turns is empty'], error: 'Bad Request' },
    ],
    ['Invalid ApiKey', { fault: { faultstring: 'Invalid ApiKey', detail: { errorcode: 'oauth.v2.InvalidApiKey' } } }],
    ['Invalid Credentials', { fault: { code: 900901, message: 'Invalid Credentials' } }],
    ['no annotator', { detail: 'no annotator', error: 'gone' }],
    ['one; two', { detail: ['one', 'two'] }],
    ['deep', { error: { errors: [{ message: 'deep' }] } }],
    ['Session expired', [{ message: 'Session expired' }]],
  ])('an error body of a gateway has the reason %j', (reason, body) => {
    expect(readErrorBody(body)).toMatchObject({ detail: reason, fields: [] })
  })

  it('an error body without a reason has none, and shows neither other fields nor what lies too deep', () => {
    for (const body of [
      { errors: [] },
      { errors: [{ input: 'my text' }] },
      { error: { error: { error: { error: { error: 'x' } } } } },
    ])
      expect(readErrorBody(body)).toEqual({ fields: [] })
    expect(readErrorBody({ errors: Array.from({ length: 1_000 }, () => 'long') }).detail).toHaveLength(500)
  })

  it('an error body is read from any JSON value without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect(Array.isArray(readErrorBody(body).fields)).toBe(true)
      }),
    )
    for (const body of [null, 7, true, [], '', { detail: [null, 1, {}] }]) {
      expect(() => readErrorBody(body)).not.toThrow()
    }
  })
})

describe('the kind of an error', () => {
  it.each([
    [400, 'invalid_request'],
    [401, 'authentication'],
    [403, 'permission'],
    [404, 'not_found'],
    [413, 'too_large'],
    [422, 'invalid_request'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [501, 'not_implemented'],
    [502, 'unavailable'],
    [503, 'unavailable'],
    [418, 'unexpected'],
    [302, 'unexpected'],
    [200, 'unexpected'],
  ])('the kind of an error of %i is %s', (status, kind) => {
    expect(errorKindOf(status)).toBe(kind)
  })

  it('the kind of an error is the status first and the body second', () => {
    expect(errorKindOf(404, 'invalid_request_error')).toBe('not_found')
    expect(errorKindOf(409, 'invalid_request_error')).toBe('invalid_request')
  })
})
