import type { Ambiguities } from '@svc/reference-server/core'
import { expect } from 'chai'
import { anAnnotation, newProject, onA, onB, refusedOnA, unknownProject } from './asking-fixture.js'
import type { Rule } from './rule.js'

/** The forms of an error: name, content type, and the start of the text. */
const errors: readonly [Ambiguities['errorBody'], string, RegExp][] = [
  ['detail', 'application/json', /^\{"detail":"[^"]/],
  ['message', 'application/json', /^\{"message":"[^"]/],
  ['text', 'text/plain; charset=utf-8', /^[^{<]/],
  ['html', 'text/html; charset=utf-8', /^<!doctype html><title>\d+<\/title><p>[^<]+$/],
]

/** Requests that are refused at every place that refuses, with their statuses. */
const refused: readonly [ReturnType<typeof onA>, number][] = [
  [onA('/nowhere'), 404],
  [onA('/v1/annotations', { method: 'PUT' }), 405],
  [onA('/v1/annotations', { key: null, body: {} }), 401],
  [onA('/v1/annotations', { body: anAnnotation('<i>none</i>') }), 404],
  [onA('/v1/annotations', { body: '{' }), 422],
  [onA('/v1/batches/%00'), 422],
  [onA('/v1/batches', { body: {} }), 501],
  [onB('/nowhere'), 404],
  [onB('/projects', { key: null }), 401],
  [onB('/projects', { body: { name: '' } }), 400],
  [onB(`/projects/${unknownProject}`), 404],
]

export const rules: readonly Rule[] = [
  {
    name: 'answers have no date where that reading is chosen',
    source: 'ambiguity: clocks',
    options: { ambiguities: { dateHeader: false } },
    async run(trial) {
      await newProject(trial)
      for (const asked of [onA('/health'), onB('/projects'), onB('/nowhere'), onB('/projects', { method: 'OPTIONS' })])
        expect((await trial.ask(asked)).headers).to.not.have.property('date')
      trial.server.ambiguities.clear()
      expect((await trial.ask(onA('/health'))).headers.date).to.match(/^Thu, 01 Jan 2026/)
    },
  },
  {
    name: 'health needs a key where that reading is chosen',
    source: 'ambiguity: /health',
    options: { ambiguities: { healthNeedsKey: true } },
    async run({ ask }) {
      refusedOnA(await ask(onA('/health', { key: null })), 401)
      expect((await ask(onA('/health'))).status).to.equal(200)
      expect((await ask(onA('/openapi.json', { key: null }))).status).to.equal(200)
    },
  },
  {
    name: 'an annotator that is not listed can be named',
    source: 'ambiguity: the registry',
    options: { ambiguities: { listsAnnotators: false } },
    async run({ ask }) {
      expect((await ask(onA('/v1/annotators'))).json).to.deep.equal({ annotators: [] })
      expect((await ask(onA('/v1/annotations', { body: anAnnotation('structural') }))).status).to.equal(200)
      refusedOnA(await ask(onA('/v1/annotations', { body: anAnnotation('nobody') })), 404)
    },
  },
  ...errors.map(
    ([errorBody, type, form]): Rule => ({
      name: `the body of every error has the form of that reading: ${errorBody}`,
      source: 'ambiguity: error bodies',
      options: { ambiguities: { errorBody } },
      async run({ ask }) {
        for (const [asked, status] of refused) {
          const { headers, text, ...answer } = await ask(asked)
          expect([answer.status, headers['content-type']], asked.path).to.deep.equal([status, type])
          expect(text, asked.path).to.match(form)
        }
        expect((await ask(onA('/health'))).json.status).to.equal('ok')
      },
    }),
  ),
]
