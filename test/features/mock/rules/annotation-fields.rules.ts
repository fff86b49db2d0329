import { expect } from 'chai'
import { allBut, type Sent } from '../../../../packages/reference-server/src/contract/rules/index.js'
import { anAnnotation, onA, refusedOnA, someAnnotator } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const reading = 'ambiguity: invalid body on A'
const message = { role: 'user', content: 'Where is order 7?' }

/** The answer to an annotation with some fields in place of the right ones. */
const annotating = async (trial: Trial, more: object) =>
  trial.ask(onA('/v1/annotations', { body: anAnnotation(await someAnnotator(trial), more) }))

const wrong: readonly [string, readonly Sent[]][] = [
  ['transcript', allBut('an array')],
  ['annotator', allBut('a string')],
  ['options', allBut('an object')],
]

const wrongInMessage: readonly [string, readonly Sent[]][] = [
  ['role', allBut('a string')],
  ['content', allBut('a string')],
  ['is_user_visible', allBut('true')],
]

/** One request for each wrong value: each is 422 in the envelope, whose detail is a text. */
const refusing = async (trial: Trial, bodies: readonly (readonly [string, object])[]) => {
  const annotator = await someAnnotator(trial)
  for (const [what, more] of bodies) {
    const answer = await trial.ask(onA('/v1/annotations', { body: anAnnotation(annotator, more) }))
    expect(answer.status, what).to.equal(422)
    refusedOnA(answer, 422)
  }
}

export const rules: readonly Rule[] = [
  ...wrong.map(
    ([field, sent]): Rule => ({
      name: `an annotation with ${field} of another type is 422, in words`,
      source: reading,
      run: (trial) =>
        refusing(
          trial,
          sent.map(([what, value]) => [what, { [field]: value }] as const),
        ),
    }),
  ),
  ...wrongInMessage.map(
    ([field, sent]): Rule => ({
      name: `a message with ${field} of another type is 422, in words`,
      source: reading,
      run: (trial) =>
        refusing(
          trial,
          sent.map(([what, value]) => [what, { transcript: [message, { ...message, [field]: value }] }] as const),
        ),
    }),
  ),
  {
    name: 'a message is visible unless it says otherwise',
    source: 'TranscriptMessage',
    async run(trial) {
      const outcome = async (more: object) => {
        const transcript = [message, { role: 'assistant', content: 'It is on its way.', ...more }]
        return (await annotating(trial, { annotator: 'structural', transcript })).json.outcome
      }
      expect(await outcome({})).to.equal('strong')
      expect(await outcome({ is_user_visible: true })).to.equal('strong')
      expect(await outcome({ is_user_visible: false })).not.to.equal('strong')
    },
  },
  {
    name: 'an empty transcript is 200 and indeterminate',
    source: reading,
    async run(trial) {
      const { status, json, text } = await annotating(trial, { transcript: [] })
      expect(status, text).to.equal(200)
      expect(json.outcome).to.equal('indeterminate')
    },
  },
  {
    name: 'an annotator that the registry does not have is 404',
    source: 'ambiguity: unknown annotator',
    async run(trial) {
      for (const annotator of ['nobody', '', 'constructor', `${await someAnnotator(trial)} `]) {
        refusedOnA(await annotating(trial, { annotator }), 404)
      }
    },
  },
  {
    name: 'an annotator that the registry does not have is 422 where that reading is chosen',
    source: 'ambiguity: unknown annotator †',
    options: { ambiguities: { unknownAnnotator: 422 } },
    run: async (trial) => refusedOnA(await annotating(trial, { annotator: 'nobody' }), 422),
  },
]
