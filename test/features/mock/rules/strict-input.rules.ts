import { expect } from 'chai'
import { anUpload, newProject, newTranscript, onB, read, refusedOnB } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const strict = 'ambiguity: a compressed request body, a repeated query parameter, annotation=:x †'
const numbers = 'ambiguity: numbers in free-form bodies'

/** Each free-form place of an upload, with a value in it, as text. */
const places: readonly [name: string, body: (value: string) => string][] = [
  ['metadata', (value) => JSON.stringify(anUpload({ metadata: { n: 0 } })).replace('"n":0', `"n":${value}`)],
  [
    'the metadata of a turn',
    (value) =>
      `{"name":"t","turns":[{"role":"user","content":"\\"7\\" \\\\","metadata":{"deep":[true,false,null,{"n":${value}}]}}]}`,
  ],
  [
    'the arguments of a tool call',
    (value) =>
      `{"name":"t","turns":[{"role":"assistant","content":"","toolCalls":[{"name":"f","args":{"n":${value}}}]}]}`,
  ],
  [
    'the result of a tool',
    (value) => `{"name":"t","turns":[{"role":"tool","content":"","toolResults":[{"name":"f","result":${value}}]}]}`,
  ],
]

const wholeNumbers = [
  '9007199254740991',
  '9007199254740993',
  '-9007199254740993',
  '1152921504606846976',
  '1152921504606847000',
  '18446744073709551615',
  '100000000000000000000000',
  '123456789012345678901234567890',
]

/** The status of an upload of a text, and the text of the stored transcript. */
async function uploaded(trial: Trial, body: string) {
  const { id } = await newProject(trial)
  const answer = await trial.ask(onB(`/projects/${id}/transcripts`, { body }))
  if (answer.status !== 201) return { answer, stored: await read(trial, `/projects/${id}/transcripts`) }
  return { answer, text: (await trial.ask(onB(`/transcripts/${answer.json.data.id}`))).text }
}

/** A list of each kind, and its parameters with a valid value. */
const lists: readonly [name: string, pathOf: (trial: Trial) => Promise<string>, parameters: Record<string, string>][] =
  [
    ['the list of projects', async () => '/projects', { page: '1', limit: '20' }],
    [
      'the list of transcripts',
      async (trial) => `/projects/${(await newProject(trial)).id}/transcripts`,
      {
        page: '1',
        limit: '20',
        q: 'order',
        model_name: 'm',
        language: 'en',
        source_system: 's',
        annotation: 'a:b',
        date_from: '2026-01-01',
        date_to: '2026-01-01',
      },
    ],
  ]

export const rules: readonly Rule[] = [
  ...places.flatMap(([name, body]): Rule[] => [
    {
      name: `whole numbers beyond 2^53 in ${name} come back as they were sent, or are refused`,
      source: numbers,
      async run(trial) {
        for (const value of wholeNumbers) {
          const { answer, text, stored } = await uploaded(trial, body(value))
          if (text !== undefined) expect(text).to.match(new RegExp(`[:,[]${value}[,}\\]]`))
          else {
            refusedOnB(answer, 400)
            expect(stored).to.deep.equal([])
          }
        }
      },
    },
    {
      name: `a number that is out of range in ${name} is 400`,
      source: numbers,
      async run(trial) {
        for (const value of ['1e400', '-1E+400', `1${'0'.repeat(400)}`, '[0,1e999]']) {
          const { answer, stored } = await uploaded(trial, body(value))
          refusedOnB(answer, 400)
          expect(stored).to.deep.equal([])
        }
      },
    },
    {
      name: `numbers in ${name} that fit come back, and so do numbers in strings`,
      source: numbers,
      async run(trial) {
        for (const value of [
          '0',
          '-1',
          '1.5',
          '2e10',
          '1e300',
          '1e-400',
          '"1e400"',
          '"9007199254740993"',
          '"\\\\\\"1e400"',
        ]) {
          const { answer, text } = await uploaded(trial, body(value))
          expect(answer.status, value).to.equal(201)
          expect(text).to.include(JSON.stringify(JSON.parse(value)))
        }
      },
    },
  ]),
  {
    name: 'a refused number is named by its place, with what to send, and not quoted',
    source: numbers,
    async run({ ask }) {
      const body = '{"name":"n","x":9007199254740993}'
      const { json } = await ask(onB('/projects', { body }))
      expect(json.error.message).to.include(`at byte ${body.indexOf('900')}; send it as a string`)
      expect(json.error.message).not.to.include('9007199254740993')
      const tooLarge = await ask(onB('/projects', { body: '{"x":1e400,"name":"n"}' }))
      expect(tooLarge.json.error.message).to.include('out of range, at byte 5')
    },
  },
  ...lists.flatMap(([name, pathOf, parameters]): Rule[] => [
    {
      name: `a repeated parameter of ${name} is 400, and named`,
      source: strict,
      async run(trial) {
        const path = await pathOf(trial)
        for (const [parameter, value] of Object.entries(parameters)) {
          const pair = `${parameter}=${encodeURIComponent(value)}`
          expect((await trial.ask(onB(`${path}?${pair}`))).status).to.equal(200)
          for (const query of [`${pair}&${pair}`, `${pair}&x=1&${parameter}=`]) {
            const answer = await trial.ask(onB(`${path}?${query}`))
            refusedOnB(answer, 400)
            expect(answer.text).to.include(parameter)
          }
        }
      },
    },
    {
      name: `a repeated parameter that ${name} does not have is ignored`,
      source: strict,
      async run(trial) {
        expect((await trial.ask(onB(`${await pathOf(trial)}?x=1&x=2`))).status).to.equal(200)
      },
    },
  ]),
  {
    name: 'annotation with an empty key is 400, with the reason',
    source: strict,
    async run(trial) {
      const { id } = await newProject(trial)
      for (const annotation of [':x', ':', '::x']) {
        const answer = await trial.ask(onB(`/projects/${id}/transcripts?annotation=${encodeURIComponent(annotation)}`))
        refusedOnB(answer, 400)
        expect(answer.text).to.include('annotation')
      }
    },
  },
  {
    name: 'the first of repeated parameters counts, and an annotation may have an empty key, where that reading is chosen',
    source: strict,
    options: { ambiguities: { lenientQueries: true } },
    async run(trial) {
      const { id } = await newProject(trial)
      const path = `/projects/${id}/transcripts`
      const { id: made } = await newTranscript(trial, id, { language: 'de', process: false })
      expect(await read(trial, `${path}?language=en&language=de`)).to.deep.equal([])
      expect(await read(trial, `${path}?language=de&language=en`)).to.have.length(1)
      const stored = trial.server.world.transcript(made)
      if (stored) trial.server.world.annotate(stored, { '': 'empty' })
      expect(await read(trial, `${path}?annotation=:empty`)).to.have.length(1)
      expect(await read(trial, `${path}?annotation=:x`)).to.deep.equal([])
      refusedOnB(await trial.ask(onB(`${path}?annotation=x`)), 400)
    },
  },
]
