import { expect } from 'chai'
import { anUpload, newProject, newTranscript, onB, read, saying } from './asking-fixture.js'
import type { Rule } from './rule.js'

const source = 'Project'

export const rules: readonly Rule[] = [
  {
    name: 'a new project has no transcripts, and was changed when it was made',
    source,
    async run(trial) {
      const made = await newProject(trial)
      expect(made).to.include({ transcript_count: 0, latest_transcript_at: null })
      expect(made.updated_at).to.equal(made.created_at)
      expect(await read(trial, `/projects/${made.id}`)).to.deep.include(made)
    },
  },
  {
    name: 'a legacy upload counts like any other',
    source: 'ambiguity: legacy routes',
    async run(trial) {
      const { id: projectId } = await newProject(trial)
      await trial.ask(onB('/halfpipe/transcripts', { body: anUpload({ projectId }) }))
      expect((await read(trial, `/projects/${projectId}`)).transcript_count).to.equal(1)
    },
  },
  {
    name: 'an upload moves the counts of its own project and of no other',
    source,
    async run(trial) {
      const [one, other] = [await newProject(trial), await newProject(trial)]
      await newTranscript(trial, one.id)
      expect(await read(trial, `/projects/${other.id}`)).to.deep.include(other)
    },
  },
  {
    name: 'times are those of the clock: an upload moves updated_at and latest_transcript_at, and never created_at',
    source,
    async run(trial) {
      const made = await newProject(trial)
      await trial.advance(5000)
      const { created_at } = await newTranscript(trial, made.id)
      const after = await read(trial, `/projects/${made.id}`)
      expect(Date.parse(created_at) - Date.parse(made.created_at)).to.equal(5000)
      expect(after).to.include({ latest_transcript_at: created_at, updated_at: created_at })
      expect(after.created_at).to.equal(made.created_at)
      await trial.advance(5000)
      expect(await read(trial, `/projects/${made.id}`)).to.deep.equal(after)
    },
  },
  {
    name: 'the list of projects shows the same counts as the read of one',
    source: 'GET /projects',
    async run(trial) {
      const { id } = await newProject(trial)
      await trial.advance(1000)
      await newTranscript(trial, id)
      const [listed] = await read(trial, '/projects')
      expect(await read(trial, `/projects/${id}`)).to.deep.include(listed)
    },
  },
  {
    name: 'a transcript without a user or an assistant counts none of them',
    source: 'Transcript',
    async run(trial) {
      const { id } = await newProject(trial)
      const made = await newTranscript(trial, id, { turns: [{ role: 'system', content: '' }] })
      expect(made).to.include({ turn_count: 1, user_turn_count: 0, assistant_turn_count: 0 })
    },
  },
  {
    name: 'total_token_count is a whole number that grows with the text',
    source: 'Transcript',
    async run(trial) {
      const { id } = await newProject(trial)
      const short = await newTranscript(trial, id, saying('hello there'))
      const long = await newTranscript(trial, id, saying('hello there', 'a longer text of many more words '.repeat(20)))
      expect(Number.isInteger(short.total_token_count)).to.equal(true)
      expect(short.total_token_count).to.be.above(0)
      expect(long.total_token_count).to.be.above(short.total_token_count)
    },
  },
  {
    name: 'total_token_count is one token for every four bytes begun of a content',
    source: 'ambiguity: how tokens are counted (spec/README.md)',
    async run(trial) {
      const { id } = await newProject(trial)
      const made = await newTranscript(trial, id, saying('', 'a', 'abcd', 'abcde', 'éé', '€€'))
      expect(made.total_token_count).to.equal(0 + 1 + 1 + 2 + 1 + 2)
    },
  },
]
