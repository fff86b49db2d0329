import { expect } from 'chai'
import { newProject, newTranscript, onB, read, saying } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'What the service does'
const reading = 'ambiguity: GET /transcripts/{id} (annotations are open)'
const stageMs = 1000
const slow = { pipeline: { afterMs: stageMs } }

/** A conversation in which something fires. */
const angry = saying('Where is order 7? This is ridiculous.', 'And?')

type Annotations = Record<string, unknown>

const annotationsOf = async (trial: Trial, id: string): Promise<Annotations> =>
  (await read(trial, `/transcripts/${id}`)).annotations

/** How many transcripts of a project a filter by annotation finds. */
async function found({ ask }: Trial, project: string, key: string, value: unknown): Promise<number> {
  const annotation = encodeURIComponent(`${key}:${value}`)
  return (await ask(onB(`/projects/${project}/transcripts?annotation=${annotation}`))).json.pagination.total
}

const scalars = (annotations: Annotations) =>
  Object.entries(annotations).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))

/** A project with one transcript. */
async function uploaded(trial: Trial, more: object = {}) {
  const project = await newProject(trial)
  const record = await newTranscript(trial, project.id, { ...angry, ...more })
  return { project: project.id as string, id: record.id as string, status: record.processing_status as string }
}

export const rules: readonly Rule[] = [
  {
    name: 'an upload is annotated in three steps, each after its time by the clock',
    source,
    options: slow,
    async run(trial) {
      const { id } = await uploaded(trial)
      const sizes: number[] = []
      for (let stage = 0; stage <= 3; stage += 1) {
        sizes.push(Object.keys(await annotationsOf(trial, id)).length)
        await trial.advance(stageMs - 1)
        expect(Object.keys(await annotationsOf(trial, id)), `before step ${stage + 1}`).to.have.length(
          sizes[stage] ?? 0,
        )
        await trial.advance(1)
      }
      expect(sizes[0]).to.equal(0)
      expect(sizes).to.deep.equal([...new Set(sizes)].sort((a, b) => a - b))
      expect(Object.keys(await annotationsOf(trial, id))).to.have.length(sizes[3] ?? 0)
    },
  },
  {
    name: 'each annotation of a transcript finds it by key:value, and no other value does',
    source: 'ambiguity: annotation=key:value',
    async run(trial) {
      const { project, id } = await uploaded(trial)
      const annotations = scalars(await annotationsOf(trial, id))
      expect(annotations.length).to.be.above(2)
      for (const [key, value] of annotations) {
        expect(await found(trial, project, key, value), key).to.equal(1)
        expect(await found(trial, project, key, `${value}x`), key).to.equal(0)
      }
    },
  },
  {
    name: 'an annotation finds its transcript from the moment that it shows',
    source,
    options: slow,
    async run(trial) {
      const { project, id } = await uploaded(trial)
      await trial.advance(3 * stageMs)
      const all = scalars(await annotationsOf(trial, id))
      const later = await newTranscript(trial, project, angry)
      for (let stage = 0; stage <= 3; stage += 1) {
        const now = await annotationsOf(trial, later.id)
        for (const [key, value] of all) {
          expect(await found(trial, project, key, value), `${key}, step ${stage}`).to.equal(now[key] === value ? 2 : 1)
        }
        await trial.advance(stageMs)
      }
    },
  },
  {
    name: 'processing_status keeps its first value when the pipeline is through',
    source: 'States and transitions',
    options: slow,
    async run(trial) {
      const { project, id, status } = await uploaded(trial)
      expect(status).to.equal('queued')
      await trial.advance(10 * stageMs)
      expect(await read(trial, `/transcripts/${id}`)).to.include({ processing_status: 'queued' })
      expect((await read(trial, `/projects/${project}/transcripts`))[0]).to.include({ processing_status: 'queued' })
    },
  },
  {
    name: 'the pipeline changes nothing of a transcript but its annotations, and nothing of its project',
    source: 'States and transitions',
    options: slow,
    async run(trial) {
      const { project, id } = await uploaded(trial)
      const before = [await read(trial, `/transcripts/${id}`), await read(trial, `/projects/${project}`)]
      await trial.advance(10 * stageMs)
      const [transcript, after] = [await read(trial, `/transcripts/${id}`), await read(trial, `/projects/${project}`)]
      expect({ ...transcript, annotations: {} }).to.deep.equal(before[0])
      expect(after).to.deep.equal(before[1])
    },
  },
  {
    name: 'an upload with process false is never annotated',
    source: 'States and transitions',
    options: slow,
    async run(trial) {
      const { id, status } = await uploaded(trial, { process: false })
      expect(status).to.equal('skipped')
      await trial.advance(100 * stageMs)
      expect(await annotationsOf(trial, id)).to.deep.equal({})
    },
  },
  {
    name: 'an upload whose job could not be submitted is never annotated',
    source: 'States and transitions',
    options: { ...slow, submit: () => false },
    async run(trial) {
      const { id, status } = await uploaded(trial)
      expect(status).to.equal('error')
      await trial.advance(100 * stageMs)
      expect(await annotationsOf(trial, id)).to.deep.equal({})
    },
  },
  {
    name: 'a model of your own annotates each upload once, and finds it by what it said',
    source: reading,
    options: { pipeline: { model: ({ record, turns }) => ({ mood: `${record.name}: ${turns.length} turns` }) } },
    async run(trial) {
      const { project, id } = await uploaded(trial)
      await trial.advance(1)
      expect(await annotationsOf(trial, id)).to.include({ mood: 'A conversation: 2 turns' })
      expect(await found(trial, project, 'mood', 'A conversation: 2 turns')).to.equal(1)
    },
  },
  {
    name: 'a model of your own that fails harms neither the upload nor the other steps',
    source: reading,
    options: {
      pipeline: {
        model: () => {
          throw new Error('no capacity')
        },
      },
    },
    async run(trial) {
      const { id, status } = await uploaded(trial)
      expect(status).to.equal('queued')
      await trial.advance(1)
      expect(Object.keys(await annotationsOf(trial, id))).to.have.length.above(1)
      expect(await read(trial, `/transcripts/${id}`)).to.include({ processing_status: 'queued' })
    },
  },
  {
    name: 'each upload is annotated by its own time',
    source,
    options: slow,
    async run(trial) {
      const { project, id } = await uploaded(trial)
      await trial.advance(stageMs)
      const later = await newTranscript(trial, project, angry)
      expect(await annotationsOf(trial, id)).not.to.deep.equal({})
      expect(await annotationsOf(trial, later.id)).to.deep.equal({})
      await trial.advance(3 * stageMs)
      expect(await annotationsOf(trial, later.id)).to.deep.equal(await annotationsOf(trial, id))
    },
  },
]
