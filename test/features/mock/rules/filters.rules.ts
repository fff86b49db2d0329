import { expect } from 'chai'
import { newProject, newTranscript, onB, read, refusedOnB, saying } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'GET /projects/{projectId}/transcripts'
const reading = 'ambiguity: annotation=key:value'

/** The filters by equality: the parameter, the field of an upload. */
const fields = [
  ['model_name', 'modelName'],
  ['language', 'language'],
  ['source_system', 'sourceSystem'],
] as const

const listOf = (trial: Trial, id: string, query: Readonly<Record<string, string>>) =>
  trial.ask(onB(`/projects/${id}/transcripts?${new URLSearchParams(query)}`))

const idOf = ({ id }: { id: string }) => id

/** Every subset of the numbers below `count`. */
const subsets = (count: number) =>
  Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (_, i) => i).filter((i) => bits & (1 << i)),
  )

/** Annotations of some transcripts, and which of them a filter finds. */
const annotated: readonly Readonly<Record<string, unknown>>[] = [
  { outcome: 'poor', score: 3, done: true },
  { outcome: 'Poor', score: 30, done: false, url: 'http://x:80/a' },
  { outcome: 'poor mood', nested: { outcome: 'poor' }, list: ['poor'], none: null },
]

const found: readonly [string, readonly number[]][] = [
  ['outcome:poor', [0]],
  ['outcome:Poor', [1]],
  ['outcome:po', []],
  ['outcome:', []],
  ['Outcome:poor', []],
  ['score:3', [0]],
  ['score:03', []],
  ['done:true', [0]],
  ['done:false', [1]],
  ['url:http://x:80/a', [1]],
  ['url:http', []],
  ['nested:poor', []],
  ['nested:[object Object]', []],
  ['list:poor', []],
  ['none:null', []],
  ['absent:undefined', []],
  ['constructor:', []],
  ['__proto__:', []],
]

export const rules: readonly Rule[] = [
  ...fields.flatMap(([name, field]): Rule[] => [
    {
      name: `${name} keeps the transcripts whose ${name} is that, whole and in its case`,
      source,
      async run(trial) {
        const { id } = await newProject(trial)
        const that = await newTranscript(trial, id, { [field]: 'abc' })
        for (const value of ['abcd', 'ab', 'ABC', 'xabc']) await newTranscript(trial, id, { [field]: value })
        const { json } = await listOf(trial, id, { [name]: 'abc' })
        expect(json.data.map(idOf)).to.deep.equal([that.id])
        expect(json.pagination.total).to.equal(1)
        expect((await listOf(trial, id, { [name]: 'none' })).json.data).to.deep.equal([])
      },
    },
    {
      name: `${name} never matches a transcript that has none`,
      source,
      async run(trial) {
        const { id } = await newProject(trial)
        await newTranscript(trial, id)
        for (const value of ['null', 'undefined', 'x']) {
          expect((await listOf(trial, id, { [name]: value })).json.data, value).to.deep.equal([])
        }
      },
    },
    {
      name: `${name} is decoded from the query`,
      source,
      async run(trial) {
        const { id } = await newProject(trial)
        const value = 'a b+ü&=😀'
        const { id: made } = await newTranscript(trial, id, { [field]: value })
        expect((await listOf(trial, id, { [name]: value })).json.data.map(idOf)).to.deep.equal([made])
      },
    },
  ]),
  {
    name: 'filters together keep what each of them keeps',
    source,
    async run(trial) {
      const { id } = await newProject(trial)
      const wanted = [
        ['model_name', 'm1'],
        ['language', 'de'],
        ['source_system', 'crm'],
        ['q', 'order'],
        ['date_from', '2026-01-02'],
      ] as const
      const made: { id: string; lacks: number }[] = []
      // One is all that is wanted, and each of the others lacks one thing.
      for (const lacks of [-1, ...wanted.keys()]) {
        const record = await newTranscript(trial, id, {
          modelName: lacks === 0 ? 'm2' : 'm1',
          language: lacks === 1 ? 'en' : 'de',
          sourceSystem: lacks === 2 ? 'web' : 'crm',
          ...saying(lacks === 3 ? 'a bill' : 'an order'),
          sourceTimestamp: lacks === 4 ? '2026-01-01T00:00:00Z' : '2026-01-03T00:00:00Z',
        })
        made.push({ id: record.id, lacks })
      }
      for (const chosen of subsets(wanted.length)) {
        const query = Object.fromEntries(chosen.map((i) => wanted[i] ?? ['q', '']))
        const { json } = await listOf(trial, id, { ...query, limit: '100' })
        const expected = made.filter(({ lacks }) => !chosen.includes(lacks)).map(idOf)
        expect(json.data.map(idOf).sort(), JSON.stringify(query)).to.deep.equal(expected.sort())
        expect(json.pagination.total).to.equal(expected.length)
      }
    },
  },
  {
    name: 'parameters that the interface does not name narrow nothing',
    source,
    async run(trial) {
      const { id } = await newProject(trial)
      const made = await newTranscript(trial, id, { externalId: 'e1' })
      const { status, json } = await listOf(trial, id, {
        name: 'x',
        external_id: 'e2',
        processing_status: 'error',
        d: '',
      })
      expect(status).to.equal(200)
      expect(json.data.map(idOf)).to.deep.equal([made.id])
    },
  },
  {
    name: 'the list of projects is not narrowed by the filters of transcripts',
    source: 'GET /projects',
    async run(trial) {
      const { id } = await newProject(trial)
      const listed = await read(trial, '/projects?q=nothing&language=xx&annotation=none&limit=100')
      expect(listed.map(idOf)).to.include(id)
    },
  },
  {
    name: 'annotation keeps the transcripts with that key and that value, exactly, split at the first colon',
    source: reading,
    async run(trial) {
      const { world } = trial.server
      const { id } = await newProject(trial)
      const made: string[] = []
      for (const annotations of annotated) {
        const record = await newTranscript(trial, id, { process: false })
        const stored = world.transcript(record.id)
        if (stored) world.annotate(stored, annotations)
        made.push(record.id)
      }
      for (const [annotation, places] of found) {
        const { status, json, text } = await listOf(trial, id, { annotation })
        expect(status, text).to.equal(200)
        const expected = places.map((place) => made[place])
        expect(json.data.map(idOf), annotation).to.deep.equal(expected)
        expect(json.pagination.total, annotation).to.equal(expected.length)
      }
    },
  },
  {
    name: 'annotation and the other filters keep what both keep',
    source,
    async run(trial) {
      const { world } = trial.server
      const { id } = await newProject(trial)
      const made: string[] = []
      for (const language of ['de', 'en']) {
        const record = await newTranscript(trial, id, { language, process: false })
        const stored = world.transcript(record.id)
        if (stored) world.annotate(stored, { outcome: 'poor' })
        made.push(record.id)
      }
      await newTranscript(trial, id, { language: 'en', process: false })
      const { json } = await listOf(trial, id, { annotation: 'outcome:poor', language: 'en' })
      expect(json.data.map(idOf)).to.deep.equal(made.slice(1))
      expect(json.pagination.total).to.equal(1)
    },
  },
  {
    name: 'annotation without a colon is 400',
    source: reading,
    async run(trial) {
      const { id } = await newProject(trial)
      for (const annotation of ['outcome', 'outcome=poor', ' ']) {
        refusedOnB(await listOf(trial, id, { annotation }), 400)
      }
    },
  },
]
