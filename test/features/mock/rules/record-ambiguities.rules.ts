import type { Ambiguities } from '@svc/reference-server/core'
import { withTestAmbiguities } from '@svc/reference-server/testing'
import { expect } from 'chai'
import { anUpload, newProject, newTranscript, onB, read, refusedOnB } from './asking-fixture.js'
import type { Rule } from './rule.js'

const sent = { team: 'a', size: 3, svc: { key: 'k', write: { id: 1, list: [true] }, none: {} }, empty: null }

const stored: readonly [Ambiguities['metadata'], object][] = [
  ['kept', sent],
  ['stripped', {}],
  ['strings', { team: 'a', size: '3', svc: '{"key":"k","write":{"id":1,"list":[true]},"none":{}}', empty: 'null' }],
  [
    'flat',
    { team: 'a', size: 3, 'svc.key': 'k', 'svc.write.id': 1, 'svc.write.list': [true], 'svc.none': {}, empty: null },
  ],
]

const turnsShown: readonly [Ambiguities['turns'], (data: { turns?: unknown; messages?: unknown }) => void][] = [
  ['turns', ({ turns }) => expect(turns).to.deep.equal(anUpload().turns)],
  ['messages', (data) => expect(data).to.deep.include({ messages: anUpload().turns }).and.not.have.property('turns')],
  ['none', (data) => expect(data).to.not.have.any.keys('turns', 'messages')],
  ['redacted', ({ turns }) => expect(turns).to.deep.equal([{ role: 'user', content: null }])],
]

/** The requests that create records: of a project, and of a transcript of it. */
const creating = (id: string) => [
  { path: '/projects', body: { name: 'P' }, single: '/projects' },
  { path: `/projects/${id}/transcripts`, body: anUpload(), single: '/transcripts' },
  { path: '/halfpipe/sessions', body: { name: 'P' }, single: '/projects' },
  { path: '/halfpipe/transcripts', body: { ...anUpload(), projectId: id }, single: '/transcripts' },
]

const seededId = 'hp-11111111-1111-4111-8111-111111111111'
const seed = { projects: [{ id: seededId, name: 'Seeded' }] }

export const rules: readonly Rule[] = [
  ...stored.map(
    ([metadata, expected]): Rule => ({
      name: `every answer shows metadata as that reading stores it: ${metadata}`,
      source: 'ambiguity: metadata',
      options: { ambiguities: { metadata } },
      async run(trial) {
        const { id } = await newProject(trial)
        const uploaded = await newTranscript(trial, id, { metadata: sent })
        expect(uploaded.metadata).to.deep.equal(expected)
        expect((await read(trial, `/transcripts/${uploaded.id}`)).metadata).to.deep.equal(expected)
        expect((await read(trial, `/projects/${id}/transcripts`))[0].metadata).to.deep.equal(expected)
        expect((await newTranscript(trial, id)).metadata).to.deep.equal({})
      },
    }),
  ),
  {
    name: 'metadata with the name svc is 400 where it is reserved, and names it',
    source: 'ambiguity: metadata',
    options: { ambiguities: { metadata: 'svc refused' } },
    async run(trial) {
      const { id } = await newProject(trial)
      for (const [path, more] of [
        [`/projects/${id}/transcripts`, {}],
        ['/halfpipe/transcripts', { projectId: id }],
      ] as const) {
        const answer = await trial.ask(onB(path, { body: { ...anUpload({ metadata: sent }), ...more } }))
        refusedOnB(answer, 400)
        expect(answer.json.error.message).to.include('metadata.svc')
      }
      const metadata = { team: { svc: 1 } }
      expect((await newTranscript(trial, id, { metadata })).metadata).to.deep.equal(metadata)
      expect(await read(trial, `/projects/${id}/transcripts`)).to.have.length(1)
    },
  },
  ...turnsShown.map(
    ([turns, check]): Rule => ({
      name: `a single read shows the turns as that reading says: ${turns}`,
      source: 'ambiguity: GET /transcripts/{id}',
      options: { ambiguities: { turns } },
      async run(trial) {
        const { id } = await newTranscript(trial, (await newProject(trial)).id)
        const data = await read(trial, `/transcripts/${id}`)
        check(data)
        expect(data).to.include({ id, turn_count: 1 }).and.to.have.property('annotations')
      },
    }),
  ),
  ...([200, 202] as const).map(
    (created): Rule => ({
      name: `a record that is created is answered with ${created} where that reading is chosen`,
      source: 'ambiguity: the status of a creation',
      options: { ambiguities: { created }, seed },
      async run(trial) {
        for (const { path, body, single } of creating(seededId)) {
          const { status, json } = await trial.ask(onB(path, { body }))
          expect(status, path).to.equal(created)
          expect((await read(trial, `${single}/${json.data.id}`)).created_at).to.equal(json.data.created_at)
        }
      },
    }),
  ),
  {
    name: 'a record that is created may be answered with its path alone',
    source: 'ambiguity: the status of a creation',
    options: { ambiguities: { created: 'empty' }, seed },
    async run(trial) {
      for (const { path, body, single } of creating(seededId)) {
        const { status, headers, text } = await trial.ask(onB(path, { body }))
        expect([status, text, headers['content-type']]).to.deep.equal([201, '', undefined])
        const base = '/public/api/v1'
        expect(headers.location?.startsWith(`${base}${single}/`), headers.location).to.equal(true)
        await read(trial, headers.location?.slice(base.length) ?? '')
      }
    },
  },
  {
    name: 'a second upload with an external id is 409 in its project where ids are unique',
    source: 'ambiguity: external_id',
    options: { ambiguities: { externalIdUnique: true } },
    async run(trial) {
      const { id } = await newProject(trial)
      const { id: other } = await newProject(trial)
      const body = anUpload({ externalId: 'e1' })
      const uploadTo = (project: string, more = {}) =>
        trial.ask(onB(`/projects/${project}/transcripts`, { body: { ...body, ...more } }))
      expect((await uploadTo(id)).status).to.equal(201)
      refusedOnB(await uploadTo(id, { name: 'another' }), 409)
      refusedOnB(await trial.ask(onB('/halfpipe/transcripts', { body: { ...body, projectId: id } })), 409)
      expect((await uploadTo(id, { externalId: 'e2' })).status).to.equal(201)
      expect((await uploadTo(other)).status).to.equal(201)
      for (let time = 0; time < 2; time += 1) await newTranscript(trial, id)
      expect(await read(trial, `/projects/${id}/transcripts`)).to.have.length(4)
    },
  },
  ...[-600_000, 90_000].map(
    (databaseSkewMs): Rule => ({
      name: `the times of new records are ${databaseSkewMs} ms ahead of the clock, and nothing else is`,
      source: 'ambiguity: clocks',
      options: { ambiguities: withTestAmbiguities({ databaseSkewMs }) },
      async run(trial) {
        const { ask } = trial
        const { id } = await newProject(trial)
        const uploaded = await ask(onB(`/projects/${id}/transcripts`, { body: anUpload() }))
        const now = Date.parse(uploaded.headers.date ?? '')
        const { data } = uploaded.json
        const project = await read(trial, `/projects/${id}`)
        for (const time of [data.created_at, project.created_at, project.updated_at, project.latest_transcript_at])
          expect(Date.parse(time) - now).to.equal(databaseSkewMs)
        expect((await read(trial, `/transcripts/${data.id}`)).annotations).to.have.property('outcome')
      },
    }),
  ),
]
