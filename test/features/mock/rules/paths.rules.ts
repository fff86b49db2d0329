import { expect } from 'chai'
import { anUpload, newProject, newTranscript, onA, onB, read, refusedOnA, refusedOnB } from './asking-fixture.js'
import type { Rule } from './rule.js'

const source = 'ambiguity: unknown path'

// Not `/`, which leads to the page of the description here.
const unknownOnA = ['/v1', '/v1/', '/v1/annotations/', '/v1/annotation', '/annotators', '/v2/annotators']
const strangeOnA = [
  '/V1/annotators',
  '/Health',
  '/health/',
  '/healthz',
  '//health',
  '/v1//annotators',
  '/v1/annotators/x',
]
const ofBOnA = ['/projects', '/transcripts/tr_x', '/halfpipe/sessions']
const unknownOnB = [
  '',
  '/',
  '/projects/',
  '/Projects',
  '/project',
  '//projects',
  '/projects//transcripts',
  '/transcripts',
]
const strangeOnB = [
  '/transcripts/',
  '/transcripts/a/b',
  '/projects/x/transcripts/',
  '/projects/x/transcripts/y',
  '/halfpipe',
]
const ofAOnB = ['/health', '/v1/annotators', '/v1/batches/b']

/** A text with every character of it percent-encoded. */
const encoded = (text: string) => [...text].map((each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`).join('')

export const rules: readonly Rule[] = [
  ...[...unknownOnA, ...strangeOnA, ...ofBOnA].map(
    (path): Rule => ({
      name: `"${path}" is no path of the annotation surface: 404 in its envelope, with and without a key`,
      source,
      async run({ ask }) {
        refusedOnA(await ask(onA(path)), 404)
        refusedOnA(await ask(onA(path, { key: null })), 404)
      },
    }),
  ),
  ...[...unknownOnB, ...strangeOnB, ...ofAOnB].map(
    (path): Rule => ({
      name: `"${path}" is no path of the workspace surface: 404 in its envelope, with and without a key`,
      source,
      async run({ ask }) {
        refusedOnB(await ask(onB(path)), 404)
        refusedOnB(await ask(onB(path, { key: null })), 404)
      },
    }),
  ),
  {
    name: 'an unknown path is 404 for a body and a method of any kind',
    source,
    async run({ ask }) {
      refusedOnB(await ask(onB('/none', { body: '{' })), 404)
      refusedOnA(await ask(onA('/none', { body: '{' })), 404)
      refusedOnB(await ask(onB('/none', { method: 'OPTIONS' })), 404)
      refusedOnA(await ask(onA('/none', { method: 'OPTIONS' })), 404)
      expect((await ask(onB('/none', { method: 'HEAD' }))).status).to.equal(404)
    },
  },
  {
    name: 'a percent-encoded id is the id',
    source: 'ambiguity: percent-encoding (RFC 3986, 6.2.2.2)',
    async run({ ask }) {
      const { id } = await newProject({ ask })
      const transcript = await newTranscript({ ask }, id)
      expect(await read({ ask }, `/projects/${encoded(id)}`)).to.include({ id })
      expect(await read({ ask }, `/projects/${encoded(id)}/transcripts`)).to.have.length(1)
      expect(await read({ ask }, `/transcripts/${encoded(transcript.id)}`)).to.include({ id: transcript.id })
      expect((await ask(onB(`/projects/${encoded(id)}/transcripts`, { body: anUpload() }))).status).to.equal(201)
    },
  },
  {
    name: 'an encoded slash parts no path',
    source: 'ambiguity: percent-encoding (RFC 3986, 2.2)',
    async run({ ask }) {
      const { id } = await newProject({ ask })
      refusedOnB(await ask(onB(`/projects%2F${id}`)), 404)
      refusedOnB(await ask(onB(`/projects/${id}%2Ftranscripts`)), 404)
      refusedOnB(await ask(onB(`/projects/${id}%2Ftranscripts`, { body: anUpload() })), 405)
    },
  },
  {
    name: 'percent-encoding that is broken is a no in the envelope, and no failure of the server',
    source: 'ambiguity: malformed project id',
    async run({ ask }) {
      for (const id of ['%', '%G0', '%E0%A4%A', '%FF', '%C3%28', '%ED%A0%80']) {
        refusedOnB(await ask(onB(`/projects/${id}`)), 404)
        refusedOnB(await ask(onB(`/transcripts/${id}`)), 404)
        refusedOnB(await ask(onB(`/projects/${id}/transcripts`, { body: anUpload() })), 400)
      }
      expect((await ask(onB('/projects?limit=1&q=%E0%A4%A'))).status).to.equal(200)
    },
  },
  {
    name: 'a query is no part of the path',
    source: 'Endpoints',
    async run({ ask }) {
      expect((await ask(onA('/health?x=1&y', { key: null }))).status).to.equal(200)
      expect((await ask(onA('/health?', { key: null }))).status).to.equal(200)
      expect((await ask(onB('/projects?x=/transcripts', { body: { name: 'P' } }))).status).to.equal(201)
      refusedOnB(await ask(onB('/none?/projects')), 404)
    },
  },
  {
    name: 'a request line with the whole URL is answered like one with the path',
    source: 'Endpoints (RFC 9112, 3.2.2: a server takes the absolute form)',
    only: { transports: ['http'], because: 'only over HTTP is there a request line' },
    async run({ ask }) {
      expect((await ask(onA('/health', { key: null, absoluteForm: true }))).status).to.equal(200)
      const created = await ask(onB('/projects', { body: { name: 'P' }, absoluteForm: true }))
      expect(created.status, created.text).to.equal(201)
      refusedOnB(await ask(onB('/none', { absoluteForm: true })), 404)
      refusedOnA(await ask(onA('/none', { absoluteForm: true })), 404)
    },
  },
  {
    name: 'a header of any length and name changes nothing',
    source: 'Endpoints',
    async run({ ask }) {
      const headers = { 'x-odd': 'y'.repeat(4000), accept: 'text/html', 'accept-language': 'de' }
      expect((await ask(onA('/health', { key: null, headers }))).json.status).to.be.a('string')
      expect((await ask(onB('/projects?limit=1', { headers }))).status).to.equal(200)
    },
  },
]
