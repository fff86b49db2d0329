import {
  annotationOf,
  conversation,
  expectAccepted,
  expectEqual,
  expectStatus,
  expectThat,
  type Fields,
  fieldsOf,
  onA,
  type Rule,
  type Trial,
} from '../trial.js'
import { allBut } from './values.js'

const message = { role: 'user', content: 'Where is order 7?' }

const annotate = async ({ ask, annotator }: Trial, fields: Fields) =>
  ask(onA('/v1/annotations', { body: annotationOf(await annotator(), fields) }))

const batchBodies: readonly [string, object][] = [
  ['an empty object', { body: {} }],
  ['no body', {}],
  ['malformed JSON', { body: '{' }],
  ['an array', { body: '[1]' }],
]

const batchIds: readonly [string, string][] = [
  ['of one character', 'b'],
  ['with dots and dashes', 'batch-1.2_3~4'],
]

const outcomes = ['strong', 'mixed', 'poor', 'critical', 'indeterminate']

const isText = (value: unknown) => typeof value === 'string'

function expectTexts(fields: Fields, names: readonly string[]): void {
  for (const name of names) expectThat(isText(fields[name]), `${name}: expected a string`)
}

export const rules: readonly Rule[] = [
  {
    name: 'GET /health needs no key and names the substrate that serves',
    source: 'Endpoints › Surface A',
    async run({ ask }) {
      const answer = await ask(onA('/health', { key: null }))
      expectStatus(answer, 200)
      const { status, substrate } = fieldsOf(answer.json)
      expectThat(isText(status), 'status: expected a string')
      expectThat(substrate === 'fargate' || substrate === 'lambda', 'substrate: expected fargate or lambda')
    },
  },
  {
    name: 'GET /v1/annotators lists annotators by id, versions and description, each id once',
    source: 'AnnotatorListResponse',
    async run({ ask }) {
      const answer = await ask(onA('/v1/annotators'))
      expectStatus(answer, 200)
      const { annotators } = fieldsOf(answer.json)
      expectThat(Array.isArray(annotators), 'annotators: expected an array')
      for (const each of annotators)
        expectTexts(fieldsOf(each), ['id', 'annotator_version', 'taxonomy_version', 'description'])
      const ids = annotators.map((each) => fieldsOf(each).id)
      expectThat(new Set(ids).size === ids.length, 'an id occurs twice')
    },
  },
  {
    name: 'an annotation has every required field, of its type',
    source: 'AnnotationResponse',
    async run({ annotation }) {
      const response = await annotation()
      expectTexts(response, ['outcome_notes', 'annotator', 'annotator_version', 'taxonomy_version'])
      expectThat(outcomes.includes(String(response.outcome)), `outcome: expected one of ${outcomes.join(', ')}`)
      for (const name of ['summary', 'signals', 'usage'])
        expectThat(typeof response[name] === 'object' && response[name] !== null, `${name}: expected an object`)
    },
  },
  {
    name: 'the summary of an annotation has six fields',
    source: 'AnnotationSummary',
    async run({ annotation }) {
      const summary = fieldsOf((await annotation()).summary)
      expectTexts(summary, ['title', 'summary', 'quality_concerns', 'user_intent', 'domain'])
      const { keywords } = summary
      expectThat(Array.isArray(keywords) && keywords.every(isText), 'keywords: expected an array of strings')
    },
  },
  {
    name: 'the usage of an annotation is three whole numbers',
    source: 'UsageInfo',
    async run({ annotation }) {
      const usage = fieldsOf((await annotation()).usage)
      for (const name of ['tokens_in', 'tokens_out', 'latency_ms'])
        expectThat(Number.isInteger(usage[name]), `${name}: expected an integer`)
    },
  },
  {
    name: 'the signals of an annotation have evidence, and a turn that is null or within the transcript',
    source: 'SignalHit',
    async run({ annotation }) {
      for (const [name, hit] of Object.entries(fieldsOf((await annotation()).signals))) {
        const { evidence, turn } = fieldsOf(hit)
        expectThat(isText(evidence), `${name}: expected evidence`)
        const isTurn = Number.isInteger(turn) && Number(turn) >= 1 && Number(turn) <= conversation.length
        expectThat(turn === undefined || turn === null || isTurn, `${name}: expected a turn of the transcript`)
      }
    },
  },
  {
    name: 'an annotation names its annotator with the versions that the registry lists',
    source: 'Versioning',
    async run({ annotation, annotator, ask }) {
      const response = await annotation()
      const id = await annotator()
      const { annotators } = fieldsOf((await ask(onA('/v1/annotators'))).json)
      const listed = fieldsOf((Array.isArray(annotators) ? annotators : []).find((each) => fieldsOf(each).id === id))
      expectEqual(response.annotator, id, 'annotator')
      for (const name of ['annotator_version', 'taxonomy_version']) expectEqual(response[name], listed[name], name)
    },
  },
  {
    name: 'an annotation takes messages of any role, visible or not, and options with any keys',
    source: 'AnnotationRequest',
    async run(trial) {
      const roles = ['user', 'narrator', '', '司会', 'USER'].map((role) => ({ role, content: 'hi' }))
      const visible = [true, false].map((is_user_visible) => ({ ...message, is_user_visible }))
      const options = { depth: 3, nested: { a: [null] }, annotator: 'x' }
      expectAccepted(await annotate(trial, { transcript: [...roles, ...visible], options }))
    },
  },
  ...['transcript', 'annotator'].map(
    (field): Rule => ({
      name: `an annotation without ${field} is 422`,
      source: 'AnnotationRequest',
      run: async (trial) => expectStatus(await annotate(trial, { [field]: undefined }), 422),
    }),
  ),
  ...['role', 'content'].map(
    (field): Rule => ({
      name: `a message without ${field} is 422`,
      source: 'TranscriptMessage',
      run: async (trial) =>
        expectStatus(await annotate(trial, { transcript: [message, { ...message, [field]: undefined }] }), 422),
    }),
  ),
  {
    name: 'a message that is no object is 422',
    source: 'TranscriptMessage',
    async run(trial) {
      for (const [what, item] of allBut('an object'))
        expectStatus(await annotate(trial, { transcript: [message, item] }), 422, what)
    },
  },
  ...batchBodies.map(
    ([what, sent]): Rule => ({
      name: `POST /v1/batches with ${what} is 501`,
      source: 'Endpoints › Surface A',
      run: async ({ ask }) => expectStatus(await ask(onA('/v1/batches', { method: 'POST', ...sent })), 501),
    }),
  ),
  ...batchIds.map(
    ([what, id]): Rule => ({
      name: `GET /v1/batches/{batch_id} with an id ${what} is 501`,
      source: 'Endpoints › Surface A',
      run: async ({ ask }) => expectStatus(await ask(onA(`/v1/batches/${id}`)), 501),
    }),
  ),
]
