import { expect } from 'chai'
import { onA, refusedOnA } from './asking-fixture.js'
import type { Rule } from './rule.js'

const source = 'Endpoints › Surface A'
const reading = 'ambiguity: batches'

const bodies: readonly [string, object][] = [['a text', { body: 'hello', headers: { 'content-type': 'text/plain' } }]]

const goodIds: readonly [string, string][] = [
  ['of 255 characters', 'b'.repeat(255)],
  ['of 255 characters of four bytes', encodeURIComponent('😀'.repeat(255))],
  ['with an encoded slash', 'a%2Fb'],
  ['with an encoded blank', 'a%20b'],
]

const badIds: readonly [string, string][] = [
  ['that cannot be decoded', '%E0%A4%A'],
  ['that is no UTF-8', '%FF'],
  ['with a NUL', 'a%00b'],
  ['with a line break', 'a%0Ab'],
  ['with a DEL', 'a%7Fb'],
  ['of 256 characters', 'b'.repeat(256)],
  ['of 256 characters of four bytes', encodeURIComponent('😀'.repeat(256))],
]

export const rules: readonly Rule[] = [
  ...bodies.map(
    ([what, sent]): Rule => ({
      name: `POST /v1/batches with ${what} is 501`,
      source,
      run: async ({ ask }) => refusedOnA(await ask(onA('/v1/batches', { method: 'POST', ...sent })), 501),
    }),
  ),
  ...goodIds.map(
    ([what, id]): Rule => ({
      name: `GET /v1/batches/{batch_id} with an id ${what} is 501`,
      source,
      run: async ({ ask }) => refusedOnA(await ask(onA(`/v1/batches/${id}`)), 501),
    }),
  ),
  ...badIds.map(
    ([what, id]): Rule => ({
      name: `GET /v1/batches/{batch_id} with an id ${what} is 422 with HTTPValidationError`,
      source: reading,
      async run({ ask }) {
        const { status, json, text } = await ask(onA(`/v1/batches/${id}`))
        expect(status, text).to.equal(422)
        expect(json).not.to.have.property('error')
        expect(json.detail).to.be.an('array').that.is.not.empty
        for (const problem of json.detail) {
          expect(problem.loc).to.deep.equal(['path', 'batch_id'])
          expect(problem.msg).to.be.a('string')
          expect(problem.type).to.be.a('string')
        }
      },
    }),
  ),
  {
    name: 'both batch endpoints are 501 for a key that may only read',
    source,
    async run({ ask, keys: { reader } }) {
      refusedOnA(await ask(onA('/v1/batches', { key: reader, body: {} })), 501)
      refusedOnA(await ask(onA('/v1/batches/b', { key: reader })), 501)
    },
  },
  {
    name: 'a batch without an id is no path: 404',
    source: 'ambiguity: unknown path',
    run: async ({ ask }) => refusedOnA(await ask(onA('/v1/batches/')), 404),
  },
]
