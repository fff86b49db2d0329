import { expect } from 'chai'
import { anUpload, newProject, onB, read, refusedOnB } from './asking-fixture.js'
import type { Rule } from './rule.js'

const source = 'Legacy routes'
const reading = 'ambiguity: legacy routes'

const camel = ['createdAt', 'updatedAt', 'modelName', 'turnCount', 'workspaceId', 'workspace_id', 'success']

export const rules: readonly Rule[] = [
  {
    name: 'POST /halfpipe/sessions answers 201 with the shape of POST /projects',
    source,
    async run({ ask }) {
      const legacy = await ask(onB('/halfpipe/sessions', { body: { name: 'S' } }))
      const newer = await ask(onB('/projects', { body: { name: 'S' } }))
      expect(legacy.status, legacy.text).to.equal(201)
      expect(Object.keys(legacy.json).sort()).to.deep.equal(Object.keys(newer.json).sort())
      expect(Object.keys(legacy.json.data).sort()).to.deep.equal(Object.keys(newer.json.data).sort())
      expect(legacy.json.data).to.include({ name: 'S', transcript_count: 0, latest_transcript_at: null })
    },
  },
  {
    name: 'POST /halfpipe/transcripts answers 201 with the shape of an upload',
    source,
    async run({ ask }) {
      const { id } = await newProject({ ask })
      const body = anUpload({ modelName: 'm', metadata: { a: 1 } })
      const legacy = await ask(onB('/halfpipe/transcripts', { body: { ...body, projectId: id } }))
      const newer = await ask(onB(`/projects/${id}/transcripts`, { body }))
      expect(legacy.status, legacy.text).to.equal(201)
      expect(Object.keys(legacy.json).sort()).to.deep.equal(Object.keys(newer.json).sort())
      const made = { id: '', created_at: '' }
      expect({ ...legacy.json.data, ...made }).to.deep.equal({ ...newer.json.data, ...made })
    },
  },
  {
    name: 'legacy answers are in snake_case, without success and workspaceId',
    source,
    async run({ ask }) {
      const session = await ask(onB('/halfpipe/sessions', { body: { name: 'S' } }))
      const body = anUpload({ projectId: session.json.data.id, modelName: 'm' })
      const transcript = await ask(onB('/halfpipe/transcripts', { body }))
      expect(session.json.data).to.have.property('created_at')
      expect(transcript.json.data).to.include({ model_name: 'm', turn_count: 1 })
      for (const { json } of [session, transcript]) {
        for (const name of camel) {
          expect(json).not.to.have.property(name)
          expect(json.data).not.to.have.property(name)
        }
      }
    },
  },
  {
    name: 'a session is a project: it is read, listed and uploaded to as one',
    source: reading,
    async run({ ask }) {
      const { id } = (await ask(onB('/halfpipe/sessions', { body: { name: 'S' } }))).json.data
      expect(id).to.match(/^hp-/)
      expect((await ask(onB(`/projects/${id}/transcripts`, { body: anUpload() }))).status).to.equal(201)
      expect(await read({ ask }, `/projects/${id}`)).to.include({ id, name: 'S', transcript_count: 1 })
      const listed = await read({ ask }, '/projects?limit=100')
      expect(listed.map((project: { id: string }) => project.id)).to.include(id)
    },
  },
  {
    name: 'a legacy upload names its project in projectId, or in sessionId',
    source: reading,
    async run({ ask }) {
      const { id } = await newProject({ ask })
      const made = []
      for (const named of [{ projectId: id }, { sessionId: id }]) {
        const answer = await ask(onB('/halfpipe/transcripts', { body: anUpload(named) }))
        expect(answer.status, answer.text).to.equal(201)
        made.push(answer.json.data.id)
      }
      const listed = await read({ ask }, `/projects/${id}/transcripts`)
      expect(listed.map((record: { id: string }) => record.id)).to.have.members(made)
      expect(await read({ ask }, `/transcripts/${made[0]}`))
        .to.have.property('turns')
        .of.length(1)
    },
  },
  {
    name: 'a legacy upload that names no project, or none of the form hp-<uuid>, is 400',
    source: reading,
    async run({ ask }) {
      for (const named of [{}, { projectId: 'x' }, { projectId: null }, { projectId: 7 }, { sessionId: 'hp-1' }]) {
        refusedOnB(await ask(onB('/halfpipe/transcripts', { body: anUpload(named) })), 400)
      }
    },
  },
  {
    name: 'the legacy routes are no paths where that reading is chosen: 404',
    source: `${reading} †`,
    options: { ambiguities: { legacy: false } },
    async run({ ask }) {
      refusedOnB(await ask(onB('/halfpipe/sessions', { body: { name: 'S' } })), 404)
      refusedOnB(await ask(onB('/halfpipe/transcripts', { body: anUpload() })), 404)
      refusedOnB(await ask(onB('/halfpipe/sessions', { method: 'PUT', key: null })), 404)
      expect((await ask(onB('/projects', { body: { name: 'P' } }))).status).to.equal(201)
    },
  },
]
