import { expect } from 'chai'
import { anAnnotation, newProject, onA, onB, read, refused } from './asking-fixture.js'
import { noIds, type Operation, operations, operationsOfB } from './operations-fixture.js'
import type { Keys, Rule } from './rule.js'

/** Some operations with a key of some kind are refused. */
const refusedTo = (
  what: string,
  kind: keyof Keys | null,
  status: (surface: string) => number,
  some: readonly Operation[] = operations,
) =>
  some.map((operation): Rule => {
    const asked = operation.ask(noIds)
    const code = status(asked.surface)
    return {
      name: `${operation.name} with ${what} is ${code}`,
      source: sourceOf(operation, kind),
      async run({ ask, keys }) {
        refused(asked, await ask({ ...asked, key: kind && keys[kind] }), code)
      },
    }
  })

function sourceOf({ name, ask }: Operation, kind: keyof Keys | null): string {
  if (name === 'GET /v1/annotators' && kind === null) return 'ambiguity: GET /v1/annotators without a key'
  if (kind === 'deleted') return 'ambiguity: revoked key'
  return ask(noIds).surface === 'annotation' ? 'Authentication › Surface A' : 'Authentication › Surface B'
}

/** Headers in place of `Authorization: Bearer KEY` that name no key. */
const nameless: readonly [string, (key: string) => string][] = [
  ['a scheme that runs into the key', (key) => `Bearer${key}`],
  ['an empty key', () => 'Bearer '],
  ['an empty Authorization', () => ''],
]

/** Keys that are not quite one. */
const almost: readonly [string, (key: string) => string][] = [
  ['a key in capitals', (key) => key.toUpperCase()],
  ['a JWT-style token', () => 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
]

const probes = [onA('/v1/batches/b1'), onB('/projects')]
const surfaceB = 'Authentication › Surface B'

/** The one operation of which the interface leaves open whether it needs a key. */
const registry = operations.filter(({ name }) => name === 'GET /v1/annotators')

export const rules: readonly Rule[] = [
  ...refusedTo('no key', null, () => 401, registry),
  ...registry.map((operation): Rule => {
    const asked = operation.ask(noIds)
    return {
      name: `${operation.name} with an unknown key is 401`,
      source: sourceOf(operation, 'full'),
      async run({ ask }) {
        refused(asked, await ask({ ...asked, key: 'sk-service-api03-nobody' }), 401)
      },
    }
  }),
  ...refusedTo('a revoked key', 'revoked', (surface) => (surface === 'annotation' ? 403 : 401), [
    ...registry,
    ...operationsOfB,
  ]),
  ...refusedTo('a deleted key', 'deleted', () => 401),
  ...nameless.map(
    ([what, header]): Rule => ({
      name: `${what} is 401 on both surfaces`,
      source: 'Authentication',
      async run({ ask, keys: { full } }) {
        for (const probe of probes) {
          refused(probe, await ask({ ...probe, key: null, headers: { authorization: header(full) } }), 401)
        }
      },
    }),
  ),
  ...almost.map(
    ([what, change]): Rule => ({
      name: `${what} is 401 on both surfaces`,
      source: what.includes('JWT') ? surfaceB : 'Authentication',
      async run({ ask, keys: { full } }) {
        for (const probe of probes) refused(probe, await ask({ ...probe, key: change(full) }), 401)
      },
    }),
  ),
  ...['BEARER', 'bEaReR'].map(
    (scheme): Rule => ({
      name: `the scheme may be written ${scheme}`,
      source: 'Authentication (RFC 9110, 11.1: a scheme is read without regard to case)',
      async run({ ask, keys: { full } }) {
        for (const [probe, status] of [
          [onA('/v1/batches/b1'), 501],
          [onB('/projects?limit=1'), 200],
        ] as const) {
          const answer = await ask({ ...probe, key: null, headers: { authorization: `${scheme} ${full}` } })
          expect(answer.status).to.equal(status)
        }
      },
    }),
  ),
  {
    name: 'a key in the query or in another header is no key',
    source: 'Authentication',
    async run({ ask, keys: { full } }) {
      const headers = { 'x-api-key': full, 'api-key': full }
      const query = `?api_key=${full}&key=${full}&authorization=Bearer%20${full}`
      refused(onB(''), await ask(onB(`/projects${query}`, { key: null, headers })), 401)
      refused(onA(''), await ask(onA(`/v1/batches/b1${query}`, { key: null, headers })), 401)
    },
  },
  {
    name: 'a refusal does not say the key that was sent',
    source: surfaceB,
    async run({ ask, keys: { revoked, reader } }) {
      for (const key of ['sk-service-api03-0123456789abcdef', revoked]) {
        for (const probe of probes) expect((await ask({ ...probe, key })).text).not.to.include(key)
      }
      expect((await ask(onB('/projects', { key: reader, body: { name: 'P' } }))).text).not.to.include(reader)
    },
  },
  {
    name: 'a revoked key that is active again is served again, on both surfaces',
    source: surfaceB,
    async run({ ask, server }) {
      const { key } = server.world.createKey({ workspace: 'reference' })
      const statuses = async () => [
        (await ask(onB('/projects', { key }))).status,
        (await ask(onA('/v1/annotations', { key, body: anAnnotation('structural') }))).status,
      ]
      expect(await statuses()).to.deep.equal([200, 200])
      server.world.revoke(key)
      expect(await statuses()).to.deep.equal([401, 403])
      server.world.restore(key)
      expect(await statuses()).to.deep.equal([200, 200])
    },
  },
  {
    name: 'a key that was revoked and then deleted is unknown: 401 on both surfaces',
    source: 'ambiguity: revoked key',
    async run({ ask, server }) {
      const { key } = server.world.createKey({ workspace: 'reference', revoked: true })
      server.world.delete(key)
      for (const probe of probes) refused(probe, await ask({ ...probe, key }), 401)
    },
  },
  {
    name: 'what a deleted key has made stays in its workspace',
    source: surfaceB,
    async run({ ask, server }) {
      const { key } = server.world.createKey({ workspace: 'reference' })
      const { id } = await newProject({ ask }, key)
      server.world.delete(key)
      expect(await read({ ask }, `/projects/${id}`)).to.include({ id })
    },
  },
  {
    name: 'a new key begins with sk-service-api03-',
    source: surfaceB,
    async run({ server }) {
      const [one, other] = [server.world.createKey().key, server.world.createKey().key]
      expect(one).to.match(/^sk-service-api03-.{8,}/)
      expect(one).not.to.equal(other)
    },
  },
  {
    name: 'a key with the legacy prefix is accepted for all that its permissions allow',
    source: surfaceB,
    async run({ ask, server }) {
      const { key } = server.world.createKey({ key: 'sk-legacy-api03-old', workspace: 'reference' })
      const project = await newProject({ ask }, key)
      for (const operation of operationsOfB) {
        const { status } = await ask({ ...operation.ask({ ...noIds, project: project.id }), key })
        expect(status, operation.name).to.equal(operation.name.includes('transcriptId') ? 404 : operation.answers)
      }
    },
  },
  {
    name: 'the time when a key was last used is visible, and is not that of a refused request',
    source: surfaceB,
    async run({ ask, server, advance }) {
      const { key } = server.world.createKey({ workspace: 'reference' })
      const lastUsed = () => server.world.key(key)?.last_used_at
      expect(lastUsed()).to.equal(null)
      await advance(1000)
      const { headers } = await ask(onB('/projects', { key }))
      expect(lastUsed()).to.equal(Date.parse(headers.date ?? ''))
      const before = lastUsed()
      server.world.revoke(key)
      await advance(1000)
      await ask(onB('/projects', { key }))
      expect(lastUsed()).to.equal(before)
    },
  },
  {
    name: 'a key of one surface is accepted on the other',
    source: 'ambiguity: key of one surface on the other',
    async run({ ask, keys: { full } }) {
      expect((await ask(onB('/projects?limit=1', { key: full }))).status).to.equal(200)
      expect((await ask(onA('/v1/batches/b1', { key: full }))).status).to.equal(501)
    },
  },
]
