import { expect } from 'chai'
import { anAnnotation, onA, onB, refusedOnA } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'Limits › Surface A'
const annotating = (key: string) => onA('/v1/annotations', { key, body: anAnnotation('structural') })
const limits = (requests: number, saturation: number) => ({
  limits: { requests, windowMs: 60_000, saturation: { requests: saturation, windowMs: 10_000 } },
})

/** Annotates with a key: 200, or a 429 with the seconds to wait and the reason. */
async function annotate({ ask }: Trial, key: string) {
  const answer = await ask(annotating(key))
  if (answer.status === 200) return { seconds: 0, detail: '' }
  refusedOnA(answer, 429)
  return { seconds: Number(answer.headers['retry-after']), detail: String(answer.json.detail) }
}

export const rules: readonly Rule[] = [
  {
    name: 'the capacity of the provider is shared by all keys: beyond it 429 with Retry-After',
    source,
    options: limits(100, 3),
    async run(trial) {
      const { full, reader, foreign, legacy } = trial.keys
      for (const key of [full, reader, foreign]) expect((await annotate(trial, key)).seconds).to.equal(0)
      for (const key of [full, reader, foreign, legacy]) expect((await annotate(trial, key)).seconds).to.equal(10)
    },
  },
  {
    name: 'Retry-After of a saturated provider is right to the second, and it opens exactly at the end of its window',
    source,
    options: limits(100, 1),
    async run(trial) {
      const { full, foreign } = trial.keys
      expect((await annotate(trial, full)).seconds).to.equal(0)
      await trial.advance(2500)
      expect((await annotate(trial, foreign)).seconds).to.equal(8)
      await trial.advance(7499)
      expect((await annotate(trial, foreign)).seconds).to.equal(1)
      await trial.advance(1)
      expect((await annotate(trial, foreign)).seconds).to.equal(0)
    },
  },
  {
    name: "a saturated provider says something else than a key's used-up rate",
    source,
    options: limits(1, 2),
    async run(trial) {
      const { full, reader, foreign } = trial.keys
      await annotate(trial, full)
      const own = await annotate(trial, full)
      await annotate(trial, reader)
      const all = await annotate(trial, foreign)
      expect([own.seconds, all.seconds]).to.deep.equal([60, 10])
      expect(all.detail).not.to.equal(own.detail)
    },
  },
  {
    name: "a request that the provider cannot take uses up nothing of its key's rate",
    source,
    options: limits(1, 1),
    async run(trial) {
      const { full, foreign } = trial.keys
      await annotate(trial, full)
      expect((await annotate(trial, foreign)).seconds).to.equal(10)
      await trial.advance(10_000)
      expect((await annotate(trial, foreign)).seconds).to.equal(0)
    },
  },
  {
    name: 'a request beyond the rate of its key uses up nothing of the provider',
    source,
    options: limits(1, 2),
    async run(trial) {
      const { full, foreign } = trial.keys
      await annotate(trial, full)
      for (let time = 0; time < 5; time += 1) expect((await annotate(trial, full)).seconds).to.equal(60)
      expect((await annotate(trial, foreign)).seconds).to.equal(0)
    },
  },
  {
    name: 'a saturated provider holds back annotations alone, also where keys have no limit',
    source,
    options: { limits: { saturation: { requests: 1, windowMs: 10_000 } } },
    async run(trial) {
      const { full } = trial.keys
      await annotate(trial, full)
      expect((await annotate(trial, full)).seconds).to.equal(10)
      expect((await trial.ask(onA('/health', { key: null }))).status).to.equal(200)
      expect((await trial.ask(onA('/v1/annotators'))).status).to.equal(200)
      expect((await trial.ask(onA('/v1/batches/b'))).status).to.equal(501)
      for (let time = 0; time < 3; time += 1) {
        expect((await trial.ask(onB('/projects', { body: { name: 'P' } }))).status).to.equal(201)
      }
    },
  },
]
