import { expect } from 'chai'
import {
  anUpload,
  newProject,
  newTranscript,
  onA,
  onB,
  read,
  refusedOnA,
  refusedOnB,
  unknownProject,
} from './asking-fixture.js'
import { operationsOfB } from './operations-fixture.js'
import type { Answered, Ask, Keys, Rule } from './rule.js'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/
const projectFields = ['id', 'name', 'transcript_count', 'latest_transcript_at', 'created_at', 'updated_at']
const nullable = ['model_name', 'language', 'source_system', 'external_id', 'external_user_id', 'source_timestamp']
const counts = ['turn_count', 'user_turn_count', 'assistant_turn_count', 'total_token_count']
const transcriptFields = ['id', 'name', 'metadata', 'created_at', 'processing_status', ...nullable, ...counts]

const whole = {
  modelName: 'model-1',
  language: 'de',
  sourceSystem: 'crm',
  externalId: 'ext-1',
  externalUserId: 'user-1',
  metadata: { team: 'a', tags: ['x'] },
  sourceTimestamp: '2026-01-02T03:04:05Z',
}

const isJson = ({ headers }: Answered) => expect(headers['content-type']).to.match(/^application\/json\b/)

const largeTurn = () => anUpload({ turns: [{ role: 'user', content: 'x'.repeat(2 ** 20 + 1) }] })

/** A request for each refusal of each surface. */
const refusalsOfB: readonly [number, (keys: Keys) => Ask][] = [
  [400, () => onB('/projects', { body: {} })],
  [401, () => onB('/projects', { key: null })],
  [403, ({ reader }) => onB('/projects', { key: reader, body: { name: 'P' } })],
  [404, () => onB(`/projects/${unknownProject}`)],
  [405, () => onB('/projects', { method: 'PUT' })],
  [413, () => onB(`/projects/${unknownProject}/transcripts`, { body: largeTurn() })],
]
const refusalsOfA: readonly [number, (keys: Keys) => Ask][] = [
  [401, () => onA('/v1/annotators', { key: 'nobody' })],
  [403, ({ revoked }) => onA('/v1/batches/b', { key: revoked })],
  [404, () => onA('/v1/none')],
  [405, () => onA('/health', { method: 'PUT' })],
  [422, () => onA('/v1/annotations', { body: {} })],
  [501, () => onA('/v1/batches/b')],
]

export const rules: readonly Rule[] = [
  ...operationsOfB.map(
    ({ name, ask: asked, answers }): Rule => ({
      name: `${name} answers with data and processing_time_ms, as JSON`,
      source: 'Surface B: records',
      async run(trial) {
        const { id: project } = await newProject(trial)
        const { id: transcript } = await newTranscript(trial, project)
        const answer = await trial.ask(asked({ project, transcript }))
        expect(answer.status, answer.text).to.equal(answers)
        isJson(answer)
        expect(answer.json).to.include.all.keys('data', 'processing_time_ms')
        expect(answer.json.processing_time_ms).to.be.a('number').that.is.at.least(0)
        expect(answer.json).not.to.have.property('success')
      },
    }),
  ),
  {
    name: 'lists add page, limit and total to their envelope, and single records do not',
    source: 'Surface B: records',
    async run(trial) {
      const { id } = await newProject(trial)
      for (const path of ['/projects?limit=1', `/projects/${id}/transcripts?limit=1`]) {
        const { json } = await trial.ask(onB(path))
        expect(json.data).to.be.an('array')
        for (const field of ['page', 'limit', 'total']) expect(json.pagination[field], field).to.be.a('number')
      }
      expect((await trial.ask(onB(`/projects/${id}`))).json).not.to.have.property('pagination')
    },
  },
  {
    name: 'a project has its six fields, in its own answer, its read and the list',
    source: 'Project',
    async run(trial) {
      const made = await newProject(trial)
      const listed = await read(trial, '/projects?limit=100')
      for (const record of [made, await read(trial, `/projects/${made.id}`), listed.find(byId(made.id))]) {
        expect(record).to.include.all.keys(...projectFields)
        expect(record.id).to.match(/^hp-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i)
        expect(record).to.include({ id: made.id, name: 'A project' })
        expect(record.created_at).to.match(iso)
        expect(record.updated_at).to.match(iso)
      }
    },
  },
  {
    name: 'a transcript has its fifteen fields, in its own answer, its read and the list',
    source: 'Transcript',
    async run(trial) {
      const { id: project } = await newProject(trial)
      const made = await newTranscript(trial, project)
      const [listed] = await read(trial, `/projects/${project}/transcripts`)
      for (const record of [made, listed, await read(trial, `/transcripts/${made.id}`)]) {
        expect(record).to.include.all.keys(...transcriptFields)
        expect(record.id).to.match(/^tr_./)
        expect(record).to.include({ id: made.id, name: 'A conversation' })
        expect(record.created_at).to.match(iso)
        for (const field of counts) expect(record[field], field).to.be.a('number')
      }
    },
  },
  {
    name: 'what was not uploaded is null, and metadata is empty',
    source: 'Transcript',
    async run(trial) {
      const { id: project } = await newProject(trial)
      const made = await newTranscript(trial, project)
      const [listed] = await read(trial, `/projects/${project}/transcripts`)
      for (const record of [made, listed, await read(trial, `/transcripts/${made.id}`)]) {
        for (const field of nullable) expect(record[field], field).to.equal(null)
        expect(record.metadata).to.deep.equal({})
      }
    },
  },
  {
    name: 'what was uploaded comes back, in snake_case',
    source: 'Transcript',
    async run(trial) {
      const { id: project } = await newProject(trial)
      const made = await newTranscript(trial, project, whole)
      const [listed] = await read(trial, `/projects/${project}/transcripts`)
      for (const record of [made, listed, await read(trial, `/transcripts/${made.id}`)]) {
        expect(record).to.include({ model_name: 'model-1', language: 'de', source_system: 'crm' })
        expect(record).to.include({ external_id: 'ext-1', external_user_id: 'user-1' })
        expect(record.metadata).to.deep.equal(whole.metadata)
        expect(record.source_timestamp).to.match(iso)
        expect(Date.parse(record.source_timestamp)).to.equal(Date.parse(whole.sourceTimestamp))
        for (const field of ['modelName', 'sourceTimestamp', 'workspaceId', 'workspace', 'success']) {
          expect(record).not.to.have.property(field)
        }
      }
    },
  },
  {
    name: 'the read of a transcript adds its turns and annotations, and the list does not',
    source: 'ambiguity: GET /transcripts/{id}',
    async run(trial) {
      const { id: project } = await newProject(trial)
      const made = await newTranscript(trial, project)
      const record = await read(trial, `/transcripts/${made.id}`)
      expect(record.turns).to.be.an('array').of.length(1)
      expect(record.turns[0]).to.include({ role: 'user', content: 'Where is order 7?' })
      expect(record).to.have.property('annotations')
      const [listed] = await read(trial, `/projects/${project}/transcripts`)
      expect(listed).not.to.have.property('turns')
    },
  },
  {
    name: 'a project without a completed report has no executive summary',
    source: 'ambiguity: executive summary',
    async run(trial) {
      const { id } = await newProject(trial)
      expect(await read(trial, `/projects/${id}`)).to.have.all.keys(...projectFields)
    },
  },
  {
    name: 'the executive summary stands in the single read only, and takes the place of no field',
    source: 'ambiguity: executive summary',
    async run(trial) {
      const extra = { executive_summary: { text: 'Calm.' }, name: 'not this', transcript_count: 99 }
      const { record } = trial.server.world.createProject({ workspace: 'reference', name: 'P', extra })
      const single = await read(trial, `/projects/${record.id}`)
      expect(single).to.deep.include({ executive_summary: { text: 'Calm.' }, name: 'P', transcript_count: 0 })
      expect((await read(trial, '/projects'))[0]).to.have.all.keys(...projectFields)
    },
  },
  ...refusalsOfB.map(
    ([status, asked]): Rule => ({
      name: `a ${status} of the workspace surface has the whole envelope: message, type and code`,
      source: status === 401 || status === 403 ? 'Errors › Surface B' : 'ambiguity: other errors on B',
      async run({ ask, keys }) {
        const answer = await ask(asked(keys))
        refusedOnB(answer, status)
        isJson(answer)
        expect(answer.json).to.have.all.keys('error')
        expect(answer.json.error).to.have.all.keys('message', 'type', 'code')
        expect(answer.json.error.message).to.be.a('string').that.is.not.empty
        expect(answer.json.error.type).to.be.a('string').that.is.not.empty
        expect(answer.json.error.code).to.equal(status)
      },
    }),
  ),
  ...refusalsOfA.map(
    ([status, asked]): Rule => ({
      name: `a ${status} of the annotation surface has the whole envelope: error and detail`,
      source: 'Errors › Surface A',
      async run({ ask, keys }) {
        const answer = await ask(asked(keys))
        refusedOnA(answer, status)
        isJson(answer)
        expect(answer.json.error).to.not.equal('')
        expect(answer.json.detail).to.not.equal('')
      },
    }),
  ),
]

const byId =
  (id: string) =>
  (record: { id: string }): boolean =>
    record.id === id
