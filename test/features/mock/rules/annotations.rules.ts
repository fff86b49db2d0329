import { expect } from 'chai'
import { anAnnotation, onA, refusedOnA, someAnnotator } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const conversation = [
  { role: 'assistant', content: 'Welcome.' },
  { role: 'user', content: 'Where is order 7?' },
  { role: 'assistant', content: 'It is on its way.' },
  { role: 'user', content: 'And order 8?' },
]

async function annotated(trial: Trial) {
  const annotator = await someAnnotator(trial)
  const answer = await trial.ask(
    onA('/v1/annotations', { body: anAnnotation(annotator, { transcript: conversation }) }),
  )
  expect(answer.status, answer.text).to.equal(200)
  return { annotator, ...answer }
}

const stub = {
  id: 'stub',
  annotator_version: '1.2.3',
  taxonomy_version: '4.5.6',
  description: 'A stub.',
}

export const rules: readonly Rule[] = [
  {
    name: 'every annotator of the registry can be named',
    source: 'What the service does',
    async run({ ask }) {
      const { json } = await ask(onA('/v1/annotators'))
      for (const { id } of json.annotators) {
        const answer = await ask(onA('/v1/annotations', { body: anAnnotation(id) }))
        expect(answer.status, answer.text).to.equal(200)
        expect(answer.json.annotator).to.equal(id)
      }
    },
  },
  {
    name: 'the turn of a signal counts from 1, and its evidence stands in that turn',
    source: 'SignalHit',
    async run({ ask }) {
      const body = anAnnotation('structural', { transcript: conversation })
      const { signals } = (await ask(onA('/v1/annotations', { body }))).json
      expect(signals.unanswered_user_turn).to.deep.equal({ evidence: 'And order 8?', turn: 4 })
    },
  },
  {
    name: 'the registry is what the server was given, and what an annotator finds is answered under its name and versions',
    source: 'What the service does',
    options: {
      annotators: [
        {
          ...stub,
          annotate: ({ transcript, options }) => ({
            summary: {
              title: `${transcript.length} messages`,
              keywords: Object.keys(options ?? {}),
              summary: '',
              quality_concerns: '',
              user_intent: '',
              domain: '',
            },
            outcome: 'poor',
            outcome_notes: 'Notes.',
            signals: { odd: { evidence: 'hi', turn: null } },
          }),
        },
      ],
    },
    async run({ ask }) {
      expect((await ask(onA('/v1/annotators'))).json).to.deep.equal({ annotators: [stub] })
      const body = anAnnotation('stub', { options: { depth: 1 } })
      const { json } = await ask(onA('/v1/annotations', { body }))
      expect(json).to.deep.include({ annotator: 'stub', annotator_version: '1.2.3', taxonomy_version: '4.5.6' })
      expect(json).to.deep.include({ outcome: 'poor', signals: { odd: { evidence: 'hi', turn: null } } })
      expect(json.summary).to.deep.include({ title: '1 messages', keywords: ['depth'] })
      refusedOnA(await ask(onA('/v1/annotations', { body: anAnnotation('structural') })), 404)
    },
  },
  {
    name: 'latency_ms is the time that the annotator took',
    source: 'UsageInfo',
    async run({ ask }) {
      const { json } = await ask(onA('/v1/annotations', { body: anAnnotation('structural') }))
      // No time passes for an annotator that only computes: the clock is moved by hand.
      expect(json.usage.latency_ms).to.equal(0)
    },
  },
  {
    name: 'what goes wrong inside an annotator is a 500 in the envelope that does not say what it was',
    source: 'Errors › Surface A',
    options: {
      annotators: [
        {
          ...stub,
          annotate: () => {
            throw new Error('the secret of the house')
          },
        },
      ],
    },
    async run({ ask }) {
      const answer = await ask(onA('/v1/annotations', { body: anAnnotation('stub') }))
      refusedOnA(answer, 500)
      expect(answer.text).not.to.match(/secret|rules\.ts|at annotate/)
    },
  },
  {
    name: 'the same transcript is annotated the same way',
    source: 'What the service does',
    async run(trial) {
      expect((await annotated(trial)).json).to.deep.equal((await annotated(trial)).json)
    },
  },
]
