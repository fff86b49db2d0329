import { expect } from 'chai'
import { anUpload, newProject, newTranscript, onB, read, refusedOnB, unknownTranscript } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'POST /projects/{projectId}/transcripts'
const turn = { role: 'assistant', content: 'Hello.' }

/** The status of an upload with some fields in place of the right ones; those that are undefined are left out. */
async function uploading(trial: Trial, more: object) {
  const { id } = await newProject(trial)
  return trial.ask(onB(`/projects/${id}/transcripts`, { body: anUpload(more) }))
}

const wholeTurn = {
  role: 'assistant',
  content: 'Let me look.',
  toolCalls: [{ name: 'search', args: { q: 'order 7', deep: [1, { a: null }] } }],
  toolResults: [{ name: 'search', result: 'found' }],
  metadata: { model: 'm' },
  createdAt: '2026-03-01T10:20:30Z',
}

export const rules: readonly Rule[] = [
  {
    name: 'a turn may have an empty content',
    source: 'ambiguity: empty turn content, unknown extra fields',
    async run(trial) {
      const { status, text } = await uploading(trial, { turns: [{ role: 'user', content: '' }] })
      expect(status, text).to.equal(201)
    },
  },
  {
    name: 'a turn may carry tool calls, tool results, metadata, a time and fields of its own, and its read shows them',
    source: 'GET /transcripts/{transcriptId}',
    async run(trial) {
      const { id } = await newProject(trial)
      const made = await newTranscript(trial, id, { turns: [turn, wholeTurn, { ...turn, mood: 'calm' }] })
      const { turns } = await read(trial, `/transcripts/${made.id}`)
      expect(turns).to.have.length(3)
      expect(turns[0]).to.include(turn)
      for (const field of ['role', 'content', 'toolCalls', 'toolResults', 'metadata'] as const) {
        expect(turns[1][field], field).to.deep.equal(wholeTurn[field])
      }
      expect(Date.parse(turns[1].createdAt)).to.equal(Date.parse(wholeTurn.createdAt))
    },
  },
  {
    name: 'an upload cannot choose its id, its annotations or its processing_status',
    source: 'ambiguity: empty turn content, unknown extra fields',
    async run(trial) {
      const { id } = await newProject(trial)
      const own = { id: unknownTranscript, annotations: { planted: 'yes' }, processing_status: 'error', process: false }
      const made = await newTranscript(trial, id, own)
      expect(made.id).not.to.equal(unknownTranscript)
      expect(made.processing_status).to.equal('skipped')
      expect((await read(trial, `/transcripts/${made.id}`)).annotations).not.to.have.property('planted')
    },
  },
  {
    name: 'a tool call without args and a tool result without result are 400',
    source: 'ambiguity: what is required in toolCalls and toolResults (spec/README.md)',
    async run(trial) {
      for (const tools of [{ toolCalls: [{ name: 'f' }] }, { toolResults: [{ name: 'f' }] }]) {
        refusedOnB(await uploading(trial, { turns: [{ ...turn, ...tools }] }), 400)
      }
    },
  },
  {
    name: 'metadata comes back whole, whatever its keys and depth',
    source,
    async run(trial) {
      const { id } = await newProject(trial)
      const metadata = '{"a":{"b":[1,2.5,null,"ü",{"c":false}]},"":"","__proto__":{"x":1},"constructor":"y","名":"前"}'
      const body = `{"metadata":${metadata},"name":"T","turns":[{"role":"user","content":"hi","metadata":${metadata}}]}`
      const answer = await trial.ask(onB(`/projects/${id}/transcripts`, { body }))
      expect(answer.status, answer.text).to.equal(201)
      expect(JSON.stringify(answer.json.data.metadata)).to.equal(metadata)
      const { turns } = await read(trial, `/transcripts/${answer.json.data.id}`)
      expect(JSON.stringify(turns[0].metadata)).to.equal(metadata)
    },
  },
]
