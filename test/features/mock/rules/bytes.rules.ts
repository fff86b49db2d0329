import { withTestAmbiguities } from '@svc/reference-server/testing'
import { expect } from 'chai'
import { anUpload, newProject, onA, onB, read, refusedOnA, refusedOnB } from './asking-fixture.js'
import type { Answered, Ask, Rule, Trial } from './rule.js'

const source = 'Limits › Surface B'
const reading = 'ambiguity: lengths / bytes'
const mega = 2 ** 20

/** Contents of exactly one megabyte of UTF-8, by the bytes of their characters. */
const megabytes: readonly [string, string][] = [
  ['one byte each', 'x'.repeat(mega)],
  ['two bytes each', 'é'.repeat(mega / 2)],
  ['three bytes each', `${'€'.repeat((mega - 1) / 3)}x`],
  ['four bytes each', '😀'.repeat(mega / 4)],
]

async function uploadWith(trial: Trial, more: object): Promise<Answered> {
  const { id } = await newProject(trial)
  return trial.ask(onB(`/projects/${id}/transcripts`, { body: anUpload(more) }))
}

const turnOf = (content: string) => ({ role: 'user', content })
const utf8 = new TextEncoder()

/** A JSON text with blanks after it, so that it has so many bytes of UTF-8. */
function padded(body: unknown, bytes: number): string {
  const text = JSON.stringify(body)
  return text + ' '.repeat(bytes - utf8.encode(text).length)
}

/** The writes of the workspace surface, each with a body of so many bytes. */
const writes: readonly [string, (project: string, bytes: number) => Ask][] = [
  ['an upload', (id, bytes) => onB(`/projects/${id}/transcripts`, { body: padded(anUpload(), bytes) })],
  ['a new project', (_id, bytes) => onB('/projects', { body: padded({ name: 'P' }, bytes) })],
  ['a legacy session', (_id, bytes) => onB('/halfpipe/sessions', { body: padded({ name: 'P' }, bytes) })],
  [
    'a legacy upload',
    (id, bytes) => onB('/halfpipe/transcripts', { body: padded(anUpload({ projectId: id }), bytes) }),
  ],
]

export const rules: readonly Rule[] = [
  ...megabytes.flatMap(([what, content]): Rule[] => [
    {
      name: `a turn may have 2^20 bytes of UTF-8, in characters of ${what}`,
      source: reading,
      async run(trial) {
        const answer = await uploadWith(trial, { turns: [turnOf(content)] })
        expect(answer.status, answer.text.slice(0, 200)).to.equal(201)
      },
    },
    {
      name: `a turn may not have 2^20 + 1 bytes of UTF-8, in characters of ${what}: 413`,
      source: reading,
      run: async (trial) => refusedOnB(await uploadWith(trial, { turns: [turnOf(`${content}x`)] }), 413),
    },
  ]),
  {
    name: 'the last of some turns is measured like the first',
    source,
    async run(trial) {
      const turns = [turnOf('hi'), turnOf('bye'), turnOf('x'.repeat(mega + 1))]
      refusedOnB(await uploadWith(trial, { turns }), 413)
    },
  },
  {
    name: 'a turn is measured by its content and nothing beside it',
    source: reading,
    async run(trial) {
      const turn = {
        ...turnOf('x'.repeat(mega)),
        metadata: { note: 'x'.repeat(100) },
        toolResults: [{ name: 'search', result: 'x'.repeat(mega + 1) }],
      }
      const answer = await uploadWith(trial, { turns: [turn] })
      expect(answer.status, answer.text.slice(0, 200)).to.equal(201)
    },
  },
  {
    name: 'a content is measured as text, not as the JSON that escapes it',
    source: reading,
    async run(trial) {
      const answer = await uploadWith(trial, { turns: [turnOf('\u0001'.repeat(mega / 4))] })
      expect(answer.status, answer.text.slice(0, 200)).to.equal(201)
    },
  },
  {
    name: 'a turn of a legacy upload over 1 MB is 413',
    source: 'ambiguity: legacy routes',
    async run(trial) {
      const { id: projectId } = await newProject(trial)
      const body = anUpload({ projectId, turns: [turnOf('x'.repeat(mega + 1))] })
      refusedOnB(await trial.ask(onB('/halfpipe/transcripts', { body })), 413)
    },
  },
  {
    name: 'an upload may have 5 · 2^20 bytes in total',
    source: reading,
    async run(trial) {
      const { id } = await newProject(trial)
      const body = padded(anUpload(), 5 * mega)
      const answer = await trial.ask(onB(`/projects/${id}/transcripts`, { body }))
      expect(answer.status, answer.text.slice(0, 200)).to.equal(201)
    },
  },
  ...writes.map(
    ([what, asked]): Rule => ({
      name: `${what} may not have 5 · 2^20 + 1 bytes in total: 413`,
      source: reading,
      async run(trial) {
        const { id } = await newProject(trial)
        refusedOnB(await trial.ask(asked(id, 5 * mega + 1)), 413)
        expect(await read(trial, `/projects/${id}`)).to.include({ transcript_count: 0 })
      },
    }),
  ),
  {
    name: 'the total is counted in bytes of UTF-8, not in characters',
    source: reading,
    async run(trial) {
      const body = anUpload({ padding: 'é'.repeat(3 * mega) })
      refusedOnB(await uploadWith(trial, body), 413)
    },
  },
  {
    name: 'the bounds in bytes are moved where that reading is chosen',
    source: `${reading} †`,
    options: { ambiguities: { turnBytes: 100, bodyBytes: 1000 } },
    async run(trial) {
      const { id } = await newProject(trial)
      const status = async (body: unknown) => (await trial.ask(onB(`/projects/${id}/transcripts`, { body }))).status
      expect(await status(anUpload({ turns: [turnOf('é'.repeat(50))] }))).to.equal(201)
      expect(await status(anUpload({ turns: [turnOf(`${'é'.repeat(50)}x`)] }))).to.equal(413)
      for (const [, asked] of writes) {
        expect((await trial.ask(asked(id, 1000))).status).to.equal(201)
        refusedOnB(await trial.ask(asked(id, 1001)), 413)
      }
    },
  },
  {
    name: 'the annotation surface has a bound in bytes where that reading is chosen',
    source: 'Limits › Surface A (size bounds are not shown)',
    options: { ambiguities: withTestAmbiguities({ annotationBodyBytes: 1000 }) },
    async run({ ask }) {
      const body = { annotator: 'structural', transcript: [] }
      expect((await ask(onA('/v1/annotations', { body: padded(body, 1000) }))).status).to.equal(200)
      refusedOnA(await ask(onA('/v1/annotations', { body: padded(body, 1001) })), 413)
    },
  },
  {
    name: 'an annotation may be larger than an upload',
    source: 'Limits › Surface A (size bounds are not shown)',
    async run({ ask }) {
      const body = padded({ annotator: 'structural', transcript: [] }, 5 * mega + 1)
      expect((await ask(onA('/v1/annotations', { body }))).status).to.equal(200)
    },
  },
]
