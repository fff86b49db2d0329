import { expect } from 'chai'
import { onA, onB, unknownProject } from './asking-fixture.js'
import { noIds, operations } from './operations-fixture.js'
import type { Answered, Rule } from './rule.js'

const source = 'reading: OPTIONS with CORS'
const origin = 'https://app.example'

/** The interface says nothing of pages of other origins, so no other service is held to it. */
const here = {
  source,
  reference: true,
  only: { transports: ['direct', 'setupServer', 'http'], because: 'a page cannot say itself which origin it has' },
} as const

const words = (header: string | undefined) => (header ?? '').toLowerCase().split(/\s*,\s*/)

const readable = ({ status, headers }: Answered, expected: number) => {
  expect(status).to.equal(expected)
  expect(headers['access-control-allow-origin']).to.equal('*')
  expect(words(headers['access-control-expose-headers'])).to.include('retry-after')
  // With it a browser would send cookies, and refuse the `*` beside it.
  expect(headers).not.to.have.property('access-control-allow-credentials')
}

export const rules: readonly Rule[] = [
  {
    name: 'a page of any origin may read an answer, and its Retry-After',
    ...here,
    async run({ ask }) {
      readable(await ask(onA('/health', { key: null, headers: { origin } })), 200)
      readable(await ask(onB('/projects', { headers: { origin } })), 200)
      readable(await ask(onB('/projects', { headers: { origin: 'null' } })), 200)
    },
  },
  {
    name: 'a page of any origin may read a refusal',
    ...here,
    async run({ ask, keys: { reader } }) {
      const headers = { origin }
      readable(await ask(onB('/projects', { key: null, headers })), 401)
      readable(await ask(onB('/projects', { key: reader, body: { name: 'P' }, headers })), 403)
      readable(await ask(onB('/none', { headers })), 404)
      readable(await ask(onA('/none', { headers })), 404)
      readable(await ask(onB('/projects', { method: 'PUT', headers })), 405)
      readable(await ask(onB('/projects', { body: '{', headers })), 400)
      readable(await ask(onA('/v1/annotations', { body: '{', headers })), 422)
    },
  },
  {
    name: 'a page of any origin may read when to come again after a 429',
    ...here,
    options: { limits: { requests: 1, windowMs: 10_000 } },
    async run({ ask }) {
      await ask(onB('/projects'))
      const answer = await ask(onB('/projects', { headers: { origin } }))
      readable(answer, 429)
      expect(answer.headers['retry-after']).to.equal('10')
    },
  },
  {
    name: 'whoever names no origin is told nothing of origins',
    ...here,
    async run({ ask }) {
      const { headers } = await ask(onB('/projects'))
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([])
    },
  },
  ...operations.map(
    ({ name, ask: asked }): Rule => ({
      name: `a browser may ask without a key whether a page may send ${name}`,
      ...here,
      async run({ ask }) {
        const { surface, path, body } = asked(noIds)
        const method = body === undefined ? 'GET' : 'POST'
        const { status, headers, text } = await ask({
          surface,
          path,
          method: 'OPTIONS',
          key: null,
          headers: {
            origin,
            'access-control-request-method': method,
            'access-control-request-headers': 'authorization,content-type',
          },
        })
        expect(status).to.equal(204)
        expect(text).to.equal('')
        expect(headers['access-control-allow-origin']).to.equal('*')
        expect(words(headers['access-control-allow-methods'])).to.include(method.toLowerCase())
        expect(words(headers['access-control-allow-headers'])).to.include.members(['authorization', 'content-type'])
      },
    }),
  ),
  {
    name: 'an OPTIONS that is no question of a browser is answered with Allow, to a page too',
    ...here,
    async run({ ask }) {
      const path = `/projects/${unknownProject}`
      const { status, headers } = await ask(onB(path, { method: 'OPTIONS', key: null, headers: { origin } }))
      expect(status).to.equal(204)
      expect(words(headers.allow)).to.include.members(['get', 'head', 'options'])
      expect(headers['access-control-allow-origin']).to.equal('*')
    },
  },
]
