import { expect } from 'chai'
import {
  anUpload,
  newProject,
  newTranscript,
  onB,
  read,
  refusedOnB,
  saying,
  unknownProject,
  unknownTranscript,
} from './asking-fixture.js'
import type { Answered, Rule } from './rule.js'

const source = 'What the service does'
const reading = 'ambiguity: foreign workspace'

/** Asserts that two answers are equal, apart from the time. */
const sameBytes = (one: Answered, other: Answered) => {
  const { date: _one, ...headers } = one.headers
  const { date: _other, ...others } = other.headers
  expect({ ...one, headers }).to.deep.equal({ ...other, headers: others })
}

export const rules: readonly Rule[] = [
  {
    name: 'a project of another workspace looks like a missing one',
    source: 'GET /projects/{projectId}',
    async run({ ask, keys: { foreign } }) {
      const { id } = await newProject({ ask }, foreign)
      const answer = await ask(onB(`/projects/${id}`))
      refusedOnB(answer, 404)
      sameBytes(answer, await ask(onB(`/projects/${unknownProject}`)))
      expect((await ask(onB(`/projects/${id}`, { key: foreign }))).status).to.equal(200)
    },
  },
  {
    name: 'a transcript of another workspace looks like a missing one',
    source: 'GET /transcripts/{transcriptId}',
    async run({ ask, keys: { foreign } }) {
      const project = await newProject({ ask }, foreign)
      const { id } = await newTranscript({ ask }, project.id, {}, foreign)
      const answer = await ask(onB(`/transcripts/${id}`))
      refusedOnB(answer, 404)
      sameBytes(answer, await ask(onB(`/transcripts/${unknownTranscript}`)))
      expect((await ask(onB(`/transcripts/${id}`, { key: foreign }))).status).to.equal(200)
    },
  },
  {
    name: "the list of a foreign project's transcripts looks like that of a missing project",
    source: `${reading}: 404`,
    async run({ ask, keys: { foreign } }) {
      const project = await newProject({ ask }, foreign)
      await newTranscript({ ask }, project.id, {}, foreign)
      const answer = await ask(onB(`/projects/${project.id}/transcripts`))
      refusedOnB(answer, 404)
      sameBytes(answer, await ask(onB(`/projects/${unknownProject}/transcripts`)))
    },
  },
  {
    name: 'a legacy upload into a project of another workspace is 403, into one that does not exist 404',
    source: 'ambiguity: legacy routes',
    async run({ ask, keys: { foreign } }) {
      const { id } = await newProject({ ask }, foreign)
      refusedOnB(await ask(onB('/halfpipe/transcripts', { body: anUpload({ projectId: id }) })), 403)
      refusedOnB(await ask(onB('/halfpipe/transcripts', { body: anUpload({ projectId: unknownProject }) })), 404)
      expect(await read({ ask }, `/projects/${id}`, foreign)).to.include({ transcript_count: 0 })
    },
  },
  {
    name: 'a key lists the projects of its own workspace and no other',
    source,
    async run({ ask, keys: { foreign } }) {
      const ours = await newProject({ ask })
      const theirs = await newProject({ ask }, foreign)
      const listed = async (key?: string) => (await read({ ask }, '/projects?limit=100', key)).map(idOf)
      expect(await listed())
        .to.include(ours.id)
        .and.not.include(theirs.id)
      expect(await listed(foreign))
        .to.include(theirs.id)
        .and.not.include(ours.id)
    },
  },
  {
    name: 'totals count nothing of another workspace',
    source,
    async run({ ask, keys: { foreign } }) {
      await newProject({ ask })
      for (let made = 0; made < 3; made += 1) await newProject({ ask }, foreign)
      expect((await ask(onB('/projects'))).json.pagination.total).to.equal(1)
      expect((await ask(onB('/projects', { key: foreign }))).json.pagination.total).to.equal(3)
    },
  },
  {
    name: 'what belongs to a workspace is seen by every key of it, not by the key alone that made it',
    source,
    async run({ ask, keys: { writer, reader, legacy } }) {
      const project = await newProject({ ask }, writer)
      const transcript = await newTranscript({ ask }, project.id, {}, legacy)
      expect(await read({ ask }, `/projects/${project.id}`, reader)).to.include({ id: project.id, transcript_count: 1 })
      expect((await read({ ask }, `/projects/${project.id}/transcripts`, reader)).map(idOf)).to.deep.equal([
        transcript.id,
      ])
      expect(await read({ ask }, `/transcripts/${transcript.id}`)).to.include({ id: transcript.id })
    },
  },
  {
    name: 'a search in one project finds nothing of another project of the workspace',
    source: 'GET /projects/{projectId}/transcripts',
    async run({ ask }) {
      const [one, other] = [await newProject({ ask }), await newProject({ ask })]
      const { id } = await newTranscript({ ask }, one.id, saying('a needle'))
      expect((await read({ ask }, `/projects/${one.id}/transcripts?q=needle`)).map(idOf)).to.deep.equal([id])
      expect(await read({ ask }, `/projects/${other.id}/transcripts?q=needle`)).to.deep.equal([])
    },
  },
  {
    name: "a foreign key that may only read is refused like any other key at another workspace's resources",
    source: reading,
    async run({ ask, server }) {
      const { key } = server.world.createKey({ workspace: 'other', permissions: ['projects-read'] })
      const project = await newProject({ ask })
      const transcript = await newTranscript({ ask }, project.id)
      refusedOnB(await ask(onB(`/projects/${project.id}`, { key })), 404)
      refusedOnB(await ask(onB(`/transcripts/${transcript.id}`, { key })), 404)
      expect(await read({ ask }, '/projects', key)).to.deep.equal([])
    },
  },
  {
    name: "another workspace's project is 403 in a list of its transcripts where that reading is chosen, an unknown one still 404",
    source: `${reading}, 403`,
    options: { ambiguities: { foreignList403: true } },
    async run({ ask, keys: { foreign } }) {
      const { id } = await newProject({ ask }, foreign)
      refusedOnB(await ask(onB(`/projects/${id}/transcripts`)), 403)
      refusedOnB(await ask(onB(`/projects/${unknownProject}/transcripts`)), 404)
      refusedOnB(await ask(onB(`/projects/${id}`)), 404)
    },
  },
]

const idOf = ({ id }: { id: string }) => id
