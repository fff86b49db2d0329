import { expect } from 'chai'
import { anAnnotation, newProject, onA, onB, refusedOnA, refusedOnB } from './asking-fixture.js'
import type { Rule } from './rule.js'

export const rules: readonly Rule[] = [
  {
    name: 'the registry is public where that reading is chosen, and only the registry',
    source: 'ambiguity: GET /v1/annotators without a key †',
    options: { ambiguities: { annotatorsNeedKey: false } },
    async run({ ask, keys: { revoked } }) {
      for (const key of [null, 'sk-service-api03-nobody', revoked]) {
        const { status, json } = await ask(onA('/v1/annotators', { key }))
        expect(status).to.equal(200)
        expect(json.annotators).to.be.an('array').that.is.not.empty
      }
      refusedOnA(await ask(onA('/v1/annotations', { key: null, body: anAnnotation('structural') })), 401)
      refusedOnA(await ask(onA('/v1/batches/b', { key: null })), 401)
      refusedOnB(await ask(onB('/projects', { key: null })), 401)
    },
  },
  {
    name: 'a key is 401 on the surface that it is not for, where that reading is chosen',
    source: 'ambiguity: key of one surface on the other †',
    options: { ambiguities: { separateKeys: true } },
    async run({ ask, server }) {
      const { key: ofA } = server.world.createKey({ surfaces: ['annotation'] })
      const { key: ofB } = server.world.createKey({ surfaces: ['workspace'] })
      const { key: ofBoth } = server.world.createKey()
      for (const key of [ofA, ofBoth]) expect((await ask(onA('/v1/annotators', { key }))).status).to.equal(200)
      for (const key of [ofB, ofBoth]) expect((await ask(onB('/projects', { key }))).status).to.equal(200)
      refusedOnA(await ask(onA('/v1/annotators', { key: ofB })), 401)
      refusedOnB(await ask(onB('/projects', { key: ofA })), 401)
    },
  },
  {
    name: 'the surfaces of a key are not looked at unless that reading is chosen',
    source: 'ambiguity: key of one surface on the other †',
    async run({ ask, server }) {
      const { key } = server.world.createKey({ surfaces: ['annotation'] })
      expect((await ask(onB('/projects', { key }))).status).to.equal(200)
    },
  },
  {
    name: 'a key that is for the other surface and revoked is 401, not 403, where keys are apart',
    source: 'ambiguity: key of one surface on the other †',
    options: { ambiguities: { separateKeys: true } },
    async run({ ask, server }) {
      const { key } = server.world.createKey({ surfaces: ['workspace'], revoked: true })
      refusedOnA(await ask(onA('/v1/annotators', { key })), 401)
    },
  },
  {
    name: 'readings that are switched leave the others as they are',
    source: 'ambiguity: †',
    options: {
      ambiguities: { annotatorsNeedKey: false, foreignList403: true, lenientPaging: true, unknownAnnotator: 422 },
    },
    async run({ ask, keys: { foreign } }) {
      const { id } = await newProject({ ask }, foreign)
      refusedOnB(await ask(onB(`/projects/${id}`)), 404)
      refusedOnB(await ask(onB('/projects', { key: null })), 401)
      refusedOnB(await ask(onB('/projects', { body: { name: 'x'.repeat(501) } })), 400)
      expect((await ask(onB('/halfpipe/sessions', { body: { name: 'S' } }))).status).to.equal(201)
    },
  },
]
