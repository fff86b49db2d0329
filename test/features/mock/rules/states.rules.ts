import { expect } from 'chai'
import { anUpload, newProject, newTranscript, onB, read } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'States and transitions'

/** The status of an upload in its own answer, in the list and in its read. */
async function statuses(trial: Trial, more: object) {
  const project = await newProject(trial)
  const { id, processing_status } = await newTranscript(trial, project.id, more)
  const [listed] = await read(trial, `/projects/${project.id}/transcripts`)
  const whole = await read(trial, `/transcripts/${id}`)
  return [processing_status, listed.processing_status, whole.processing_status]
}

const thrice = (status: string) => [status, status, status]

export const rules: readonly Rule[] = [
  {
    name: 'an upload is queued unless it says otherwise',
    source,
    run: async (trial) => expect(await statuses(trial, {})).to.deep.equal(thrice('queued')),
  },
  {
    name: 'an upload with process true is queued',
    source,
    run: async (trial) => expect(await statuses(trial, { process: true })).to.deep.equal(thrice('queued')),
  },
  {
    name: 'a legacy upload has the same states',
    source: 'ambiguity: legacy routes',
    async run({ ask }) {
      const { id: projectId } = await newProject({ ask })
      const status = async (more: object) =>
        (await ask(onB('/halfpipe/transcripts', { body: anUpload({ projectId, ...more }) }))).json.data
          .processing_status
      expect(await status({})).to.equal('queued')
      expect(await status({ process: false })).to.equal('skipped')
    },
  },
  {
    name: 'an upload whose job cannot be submitted is stored in the state error',
    source,
    options: { submit: () => false },
    run: async (trial) => expect(await statuses(trial, {})).to.deep.equal(thrice('error')),
  },
  {
    name: 'an upload whose job cannot be submitted counts in its project',
    source,
    options: { submit: () => false },
    async run(trial) {
      const project = await newProject(trial)
      const { created_at } = await newTranscript(trial, project.id)
      const after = await read(trial, `/projects/${project.id}`)
      expect(after).to.include({ transcript_count: 1, latest_transcript_at: created_at })
    },
  },
  {
    name: 'an upload with process false is skipped even where no job can be submitted',
    source,
    options: { submit: () => false },
    run: async (trial) => expect(await statuses(trial, { process: false })).to.deep.equal(thrice('skipped')),
  },
  {
    name: 'no job is submitted for an upload with process false',
    source,
    async run(trial) {
      const submitted: string[] = []
      trial.server.world.submit = ({ id }) => submitted.push(id) > 0
      const project = await newProject(trial)
      await newTranscript(trial, project.id, { process: false })
      const { id } = await newTranscript(trial, project.id, { process: true })
      expect(submitted).to.deep.equal([id])
    },
  },
  {
    name: 'a submission that fails for one upload fails for no other',
    source,
    async run(trial) {
      trial.server.world.submit = ({ name }) => name !== 'broken'
      const project = await newProject(trial)
      expect((await newTranscript(trial, project.id, { name: 'broken' })).processing_status).to.equal('error')
      expect((await newTranscript(trial, project.id, { name: 'well' })).processing_status).to.equal('queued')
    },
  },
]
