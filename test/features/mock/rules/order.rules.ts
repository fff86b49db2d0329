import { withTestAmbiguities } from '@svc/reference-server/testing'
import { expect } from 'chai'
import { anUpload, newProject, onA, onB, refused, refusedOnA, refusedOnB, unknownProject } from './asking-fixture.js'
import type { Ask, Keys, Rule } from './rule.js'

const source = 'ambiguity: order of checks'
const tooLong = (limit: number) => 'x'.repeat(limit + 1)
const oneTurn = 2 ** 20
const wholeBody = 5 * 2 ** 20
const transcripts = (id = unknownProject) => `/projects/${id}/transcripts`
const bigTurn = { turns: [{ role: 'user', content: tooLong(oneTurn) }] }
const bigBody = JSON.stringify(anUpload({ padding: tooLong(wholeBody) }))
const one = { limits: { requests: 1, windowMs: 10_000 } }

/** A request in which two neighbours of the order are wrong: the earlier one is answered. */
interface Pair {
  earlier: string
  later: string
  asked(keys: Keys): Ask
  expected: number
}

const pairs: readonly Pair[] = [
  { earlier: 'an unknown path', later: 'its method', asked: () => onB('/none', { method: 'DELETE' }), expected: 404 },
  { earlier: 'an unknown path of A', later: 'its method', asked: () => onA('/v2', { method: 'PUT' }), expected: 404 },
  { earlier: 'an unknown path', later: 'a missing key', asked: () => onB('/none', { key: null }), expected: 404 },
  {
    earlier: 'a wrong method',
    later: 'a missing key',
    asked: () => onB('/projects', { method: 'DELETE', key: null }),
    expected: 405,
  },
  {
    earlier: 'a wrong method of A',
    later: 'a missing key',
    asked: () => onA('/v1/annotations', { method: 'PUT', key: null }),
    expected: 405,
  },
  {
    earlier: 'a wrong method of A',
    later: 'a revoked key',
    asked: ({ revoked }) => onA('/v1/annotations', { method: 'PUT', key: revoked }),
    expected: 405,
  },
  {
    earlier: 'an unknown key',
    later: 'what is wrong in the body',
    asked: () => onB('/projects', { key: 'nobody', body: '{' }),
    expected: 401,
  },
  {
    earlier: 'a revoked key of A',
    later: 'what is wrong in the body',
    asked: ({ revoked }) => onA('/v1/annotations', { key: revoked, body: '{' }),
    expected: 403,
  },
  {
    earlier: 'a revoked key of A',
    later: 'a malformed batch id',
    asked: ({ revoked }) => onA('/v1/batches/%00', { key: revoked }),
    expected: 403,
  },
  {
    earlier: 'a missing key',
    later: 'a malformed batch id',
    asked: () => onA('/v1/batches/%00', { key: null }),
    expected: 401,
  },
  {
    earlier: 'a lacking permission',
    later: 'the form of the project id',
    asked: ({ reader }) => onB(transcripts('x'), { key: reader, body: anUpload() }),
    expected: 403,
  },
  {
    earlier: 'a lacking permission',
    later: 'what is wrong in the body',
    asked: ({ reader }) => onB('/projects', { key: reader, body: '{' }),
    expected: 403,
  },
  {
    earlier: 'a lacking permission',
    later: 'the size of the body',
    asked: ({ reader }) => onB('/projects', { key: reader, body: bigBody }),
    expected: 403,
  },
  {
    earlier: 'the form of the project id',
    later: 'the size of the body',
    asked: () => onB(transcripts('x'), { body: bigBody }),
    expected: 400,
  },
  {
    earlier: 'the size of the body',
    later: 'its JSON',
    asked: () => onB(transcripts(), { body: tooLong(wholeBody) }),
    expected: 413,
  },
  {
    earlier: 'the size of the body',
    later: 'its Content-Type',
    asked: () => onB(transcripts(), { body: bigBody, headers: { 'content-type': 'text/plain' } }),
    expected: 413,
  },
  {
    earlier: 'malformed JSON',
    later: 'the size of a turn',
    asked: () => onB(transcripts(), { body: JSON.stringify(anUpload(bigTurn)).slice(0, -1) }),
    expected: 400,
  },
  {
    earlier: 'a Content-Type that is not JSON',
    later: 'the size of a turn',
    asked: () =>
      onB(transcripts(), { body: JSON.stringify(anUpload(bigTurn)), headers: { 'content-type': 'text/plain' } }),
    expected: 400,
  },
  {
    earlier: 'the size of a turn',
    later: 'a missing field',
    asked: () => onB(transcripts(), { body: bigTurn }),
    expected: 413,
  },
  {
    earlier: 'the size of a turn',
    later: 'a field of the wrong type',
    asked: () => onB(transcripts(), { body: anUpload({ ...bigTurn, process: 'yes' }) }),
    expected: 413,
  },
  {
    earlier: 'a missing field',
    later: 'an unknown project',
    asked: () => onB(transcripts(), { body: { name: 'A conversation' } }),
    expected: 400,
  },
  {
    earlier: 'a page out of bounds',
    later: 'an unknown project',
    asked: () => onB(`${transcripts()}?page=0`),
    expected: 400,
  },
  {
    earlier: 'a missing field of A',
    later: 'an unknown annotator',
    asked: () => onA('/v1/annotations', { body: { annotator: 'nobody' } }),
    expected: 422,
  },
  {
    earlier: 'the form of the project id in a legacy body',
    later: 'an unknown project',
    asked: () => onB('/halfpipe/transcripts', { body: anUpload({ projectId: 'x' }) }),
    expected: 400,
  },
]

export const rules: readonly Rule[] = [
  ...pairs.map(
    ({ earlier, later, asked, expected }): Rule => ({
      name: `${earlier} is answered (${expected}) before ${later}`,
      source,
      async run({ ask, keys }) {
        const request = asked(keys)
        refused(request, await ask(request), expected)
      },
    }),
  ),
  {
    name: 'a missing field is answered (400) before a project of another workspace',
    source,
    async run({ ask, keys: { foreign } }) {
      const { id } = await newProject({ ask }, foreign)
      refusedOnB(await ask(onB(transcripts(id), { body: { name: 'A conversation' } })), 400)
      refusedOnB(await ask(onB(transcripts(id), { body: bigTurn })), 413)
    },
  },
  {
    name: 'a revoked key is answered (401 on B) before its lacking permission',
    source,
    async run({ ask, server }) {
      const { key } = server.world.createKey({ revoked: true, permissions: ['projects-read'] })
      refusedOnB(await ask(onB('/projects', { key, body: { name: 'P' } })), 401)
    },
  },
  {
    name: 'a revoked key of A is answered (403) before its used-up rate',
    source,
    options: one,
    async run({ ask, server }) {
      const { key } = server.world.createKey()
      const asked = onA('/v1/annotations', { key, body: {} })
      refusedOnA(await ask(asked), 422)
      refusedOnA(await ask(asked), 429)
      server.world.revoke(key)
      refusedOnA(await ask(asked), 403)
    },
  },
  {
    name: 'a lacking permission is answered (403) before a used-up rate',
    source,
    options: one,
    async run({ ask, keys: { reader } }) {
      expect((await ask(onB('/projects', { key: reader }))).status).to.equal(200)
      refusedOnB(await ask(onB('/projects', { key: reader })), 429)
      refusedOnB(await ask(onB('/projects', { key: reader, body: { name: 'P' } })), 403)
    },
  },
  {
    name: 'a used-up rate is answered (429) before the form of the project id, the body and the resource',
    source,
    options: one,
    async run({ ask }) {
      expect((await ask(onB('/projects'))).status).to.equal(200)
      refusedOnB(await ask(onB(transcripts('x'), { body: anUpload() })), 429)
      refusedOnB(await ask(onB('/projects', { body: '{' })), 429)
      refusedOnB(await ask(onB(transcripts(), { body: bigBody })), 429)
      refusedOnB(await ask(onB(`/projects/${unknownProject}`)), 429)
      refusedOnB(await ask(onB('/projects?page=0')), 429)
    },
  },
  {
    name: 'the size of the body is answered (413) before its JSON, on A too where that has a bound',
    source,
    options: { ambiguities: withTestAmbiguities({ annotationBodyBytes: 100 }) },
    async run({ ask }) {
      refusedOnA(await ask(onA('/v1/annotations', { body: tooLong(100) })), 413)
      refusedOnA(await ask(onA('/v1/annotations', { body: 'x' })), 422)
    },
  },
  {
    name: 'a used-up rate of A is answered (429) before the body and the annotator',
    source,
    options: one,
    async run({ ask }) {
      refusedOnA(await ask(onA('/v1/annotations', { body: {} })), 422)
      refusedOnA(await ask(onA('/v1/annotations', { body: '{' })), 429)
      refusedOnA(await ask(onA('/v1/annotations', { body: { annotator: 'nobody', transcript: [] } })), 429)
    },
  },
]
