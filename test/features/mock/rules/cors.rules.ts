import { expect } from 'chai'
import { onA, onB, refusedOnA, refusedOnB, unknownProject } from './asking-fixture.js'
import { noIds, operations } from './operations-fixture.js'
import type { Answered, Rule } from './rule.js'

const source = 'ambiguity: OPTIONS with CORS'
const origin = 'http://localhost:5173'
const foreign = 'https://app.example'

/** The interface says nothing of pages of other origins, so no other service is held to it. */
const here = {
  source,
  only: { transports: ['direct', 'setupServer', 'http'], because: 'a page cannot say itself which origin it has' },
} as const

/** In process nobody else can ask. */
const overHttp = {
  source: 'ambiguity: order of checks (host and origin 403, HTTP edge only)',
  only: { transports: ['http'], because: 'only a port has foreign callers' },
} as const

const foreigners: readonly Readonly<Record<string, string>>[] = [
  { origin: foreign },
  { origin: 'null' },
  { origin: 'http://localhost.evil.example' },
  { origin: 'http://applocalhost:5173' },
  { origin: 'http://.localhost' },
  { origin: 'http://127.0.0.1.evil.example:4010' },
  { host: 'evil.example' },
  { host: 'evil.example:4010', origin: 'http://evil.example:4010' },
  { host: 'localhost.evil.example' },
  { host: '127.0.0.256' },
]

const words = (header: string | undefined) => (header ?? '').toLowerCase().split(/\s*,\s*/)

const readable = ({ status, headers }: Answered, expected: number, by = origin) => {
  expect(status).to.equal(expected)
  expect(headers['access-control-allow-origin']).to.equal(by)
  expect(words(headers.vary)).to.include('origin')
  expect(words(headers['access-control-expose-headers'])).to.include('retry-after')
  // With it a browser would send cookies.
  expect(headers).not.to.have.property('access-control-allow-credentials')
}

export const rules: readonly Rule[] = [
  {
    name: 'a page of loopback may read an answer, and its Retry-After',
    ...here,
    async run({ ask }) {
      readable(await ask(onA('/health', { key: null, headers: { origin } })), 200)
      readable(await ask(onB('/projects', { headers: { origin } })), 200)
      for (const by of [
        'http://127.0.0.1:3000',
        'https://localhost',
        'http://[::1]:8080',
        'http://app.localhost:5173',
      ]) {
        readable(await ask(onB('/projects', { headers: { origin: by } })), 200, by)
      }
    },
  },
  {
    name: 'a page of loopback may read a refusal',
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
    name: 'a page of loopback may read when to come again after a 429',
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
    name: 'a request without an origin gets no header about origins',
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
        expect(headers['access-control-allow-origin']).to.equal(origin)
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
      expect(headers['access-control-allow-origin']).to.equal(origin)
    },
  },
  {
    name: 'a foreign Origin or Host is refused before all else, and nothing is stored',
    ...overHttp,
    async run({ ask, server }) {
      for (const headers of foreigners) {
        for (const answer of [
          await ask(onB('/projects', { body: { name: 'P' }, headers })),
          await ask(onB('/none', { key: null, headers })),
          await ask(
            onB('/projects', {
              method: 'OPTIONS',
              key: null,
              headers: { 'access-control-request-method': 'POST', ...headers },
            }),
          ),
        ]) {
          refusedOnB(answer, 403)
          expect(answer.headers).not.to.have.property('access-control-allow-origin')
        }
        refusedOnA(await ask(onA('/health', { key: null, headers })), 403)
      }
      expect(server.world.projects()).to.deep.equal([])
      expect(server.requests.every(({ status, operation }) => status === 403 && operation === null)).to.equal(true)
    },
  },
  {
    name: 'a Host below localhost is this machine',
    ...overHttp,
    async run({ ask }) {
      for (const host of ['app.localhost:4010', 'A.b.LOCALHOST'])
        expect((await ask(onB('/projects', { headers: { host } }))).status).to.equal(200)
    },
  },
  {
    name: 'allowedHosts and allowedOrigins let others in, and nobody else',
    ...overHttp,
    options: { allowedHosts: ['mock.internal'], allowedOrigins: [foreign] },
    async run({ ask }) {
      readable(await ask(onB('/projects', { headers: { origin: foreign } })), 200, foreign)
      const own = 'http://mock.internal:4010'
      readable(await ask(onB('/projects', { headers: { host: 'MOCK.internal:4010', origin: own } })), 200, own)
      for (const origin of ['http://app.example', `${foreign}:8443`])
        refusedOnB(await ask(onB('/projects', { headers: { origin } })), 403)
      const otherPort = { host: 'mock.internal:4010', origin: 'http://mock.internal:4011' }
      refusedOnB(await ask(onB('/projects', { headers: otherPort })), 403)
      refusedOnB(await ask(onB('/projects', { headers: { host: 'other.internal' } })), 403)
    },
  },
]
