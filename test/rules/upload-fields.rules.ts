import { expect } from 'chai'
import { anUpload, newProject, newTranscript, onB, read, refusedOnB, unknownTranscript } from './asking-fixture.js'
import { allBut, isoTimes, noTimes, type Sent } from './fields-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'POST /projects/{projectId}/transcripts'
const turn = { role: 'assistant', content: 'Hello.' }

/** The status of an upload with some fields in place of the right ones; those that are undefined are left out. */
async function uploading(trial: Trial, more: object) {
  const { id } = await newProject(trial)
  return trial.ask(onB(`/projects/${id}/transcripts`, { body: anUpload(more) }))
}

/** Invalid values for each field of an upload. */
const wrong: readonly [string, readonly Sent[]][] = [
  ['name', allBut('a string')],
  ['turns', allBut('an array')],
  ['modelName', allBut('a string')],
  ['language', allBut('a string')],
  ['sourceSystem', allBut('a string')],
  ['externalId', allBut('a string')],
  ['externalUserId', allBut('a string')],
  ['metadata', allBut('an object')],
  ['process', allBut('true')],
  ['sourceTimestamp', [...allBut('a string'), ...noTimes.map((text): Sent => [`"${text}"`, text])]],
]

/** Invalid values for each field of a turn. */
const wrongInTurn: readonly [string, readonly Sent[]][] = [
  ['role', [...allBut('a string'), ...['human', 'User', 'bot', ''].map((role): Sent => [`"${role}"`, role])]],
  ['content', allBut('a string')],
  [
    'toolCalls',
    [...allBut('an array'), ['an array of strings', ['search']], ['a call without a name', [{ args: {} }]]],
  ],
  ['toolResults', [...allBut('an array'), ['an array of null', [null]], ['a result without a name', [{ result: 1 }]]]],
  ['metadata', allBut('an object')],
  ['createdAt', [...allBut('a string'), ...noTimes.map((text): Sent => [`"${text}"`, text])]],
]

const wholeTurn = {
  role: 'assistant',
  content: 'Let me look.',
  toolCalls: [{ name: 'search', args: { q: 'order 7', deep: [1, { a: null }] } }],
  toolResults: [{ name: 'search', result: 'found' }],
  metadata: { model: 'm' },
  createdAt: '2026-03-01T10:20:30Z',
}

export const rules: readonly Rule[] = [
  ...['name', 'turns'].map(
    (field): Rule => ({
      name: `an upload without ${field} is 400`,
      source,
      run: async (trial) => refusedOnB(await uploading(trial, { [field]: undefined }), 400),
    }),
  ),
  ...['role', 'content'].map(
    (field): Rule => ({
      name: `a turn without ${field} is 400`,
      source: 'Turn',
      run: async (trial) => refusedOnB(await uploading(trial, { turns: [turn, { ...turn, [field]: undefined }] }), 400),
    }),
  ),
  ...wrong.map(
    ([field, sent]): Rule => ({
      name: `an upload with a ${field} of another type or form is 400`,
      source,
      async run(trial) {
        const { id } = await newProject(trial)
        for (const [what, value] of sent) {
          const answer = await trial.ask(onB(`/projects/${id}/transcripts`, { body: anUpload({ [field]: value }) }))
          expect(answer.status, `${field}: ${what}`).to.equal(400)
          refusedOnB(answer, 400)
        }
      },
    }),
  ),
  ...wrongInTurn.map(
    ([field, sent]): Rule => ({
      name: `a turn with a ${field} of another type or form is 400`,
      source: 'Turn',
      async run(trial) {
        const { id } = await newProject(trial)
        for (const [what, value] of sent) {
          const body = anUpload({ turns: [turn, { ...turn, [field]: value }] })
          const answer = await trial.ask(onB(`/projects/${id}/transcripts`, { body }))
          expect(answer.status, `${field}: ${what}`).to.equal(400)
          refusedOnB(answer, 400)
        }
      },
    }),
  ),
  {
    name: 'a turn that is no object is 400',
    source: 'Turn',
    async run(trial) {
      for (const [what, item] of allBut('an object')) {
        expect((await uploading(trial, { turns: [turn, item] })).status, what).to.equal(400)
      }
    },
  },
  ...['user', 'assistant', 'system', 'tool', 'human_agent'].map(
    (role): Rule => ({
      name: `a turn may be of the role ${role}`,
      source: 'Turn',
      async run(trial) {
        const { status, text } = await uploading(trial, { turns: [{ role, content: 'hi' }] })
        expect(status, text).to.equal(201)
      },
    }),
  ),
  {
    name: 'a turn may have an empty content',
    source: 'reading: empty turn content, unknown extra fields',
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
    source: 'reading: empty turn content, unknown extra fields',
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
    name: 'args and results of tools may be of any type',
    source: 'Turn',
    async run(trial) {
      for (const value of ['text', 7, null, true, ['a'], { a: 1 }, {}]) {
        const tools = { toolCalls: [{ name: 'f', args: value }], toolResults: [{ name: 'f', result: value }] }
        const { status, text } = await uploading(trial, { turns: [{ ...turn, ...tools }] })
        expect(status, text).to.equal(201)
      }
    },
  },
  {
    name: 'a tool call without args and a tool result without result are 400',
    source: 'reading: what is required in toolCalls and toolResults (spec/README.md)',
    async run(trial) {
      for (const tools of [{ toolCalls: [{ name: 'f' }] }, { toolResults: [{ name: 'f' }] }]) {
        refusedOnB(await uploading(trial, { turns: [{ ...turn, ...tools }] }), 400)
      }
    },
  },
  {
    name: 'sourceTimestamp and createdAt may be any ISO 8601 date or date-time',
    source,
    async run(trial) {
      const { id } = await newProject(trial)
      for (const time of isoTimes) {
        const made = await newTranscript(trial, id, { sourceTimestamp: time, turns: [{ ...turn, createdAt: time }] })
        expect(Date.parse(made.source_timestamp), time).to.equal(Date.parse(time))
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
  {
    name: 'the projectId of an upload must have the form hp-<uuid>: 400',
    source,
    async run({ ask }) {
      const ids = ['x', 'hp-', 'hp-1', '00000000-0000-4000-8000-000000000000', 'hp-00000000-0000-4000-8000-00000000000']
      const more = ['hp-00000000-0000-4000-8000-0000000000000', 'hp-0000000g-0000-4000-8000-000000000000']
      const upper = ['HP-00000000-0000-4000-8000-000000000000', 'Hp-00000000-0000-4000-8000-000000000000']
      for (const id of [...ids, ...more, ...upper, 'tr_00000000-0000-4000-8000-000000000000', 'hp-%00', '%E0%A4%A']) {
        refusedOnB(await ask(onB(`/projects/${id}/transcripts`, { body: anUpload() })), 400)
      }
    },
  },
]
