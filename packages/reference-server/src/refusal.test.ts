import { expect, test } from 'vitest'
import { envelope, Refusal } from './refusal.js'

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'authorization_error'],
  [404, 'not_found_error'],
  [405, 'invalid_request_error'],
  [413, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
])('on the workspace surface %d is a %s', (code, type) => {
  expect(envelope('workspace', new Refusal(code, 'm'))).toEqual({ error: { message: 'm', type, code } })
})

test('on the annotation surface a refusal is error and detail', () => {
  expect(envelope('annotation', new Refusal(404, 'm'))).toEqual({ error: 'not_found', detail: 'm' })
  expect(envelope('annotation', new Refusal(418, 'm'))).toEqual({ error: 'error', detail: 'm' })
})

test('a parameter that fails validation is HTTPValidationError', () => {
  const validation = [{ loc: ['path', 'id'], msg: 'm', type: 't' }]
  expect(envelope('annotation', new Refusal(422, 'm', { validation }))).toEqual({ detail: validation })
})
