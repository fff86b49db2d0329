import { expect } from 'chai'
import { anUpload, newProject, onB, read, refusedOnB } from './asking-fixture.js'
import type { Answered, Rule, Trial } from './rule.js'

const source = 'Limits › Surface B'
const reading = 'ambiguity: lengths / bytes'

/** A field with a bound on its characters, and how it is sent and answered. */
interface Bounded {
  what: string
  max: number
  send(trial: Trial, text: unknown): Promise<Answered>
  /** Its name in the record. */
  answered: string
}

async function uploadWith(trial: Trial, more: object): Promise<Answered> {
  const { id } = await newProject(trial)
  return trial.ask(onB(`/projects/${id}/transcripts`, { body: anUpload(more) }))
}

const ofUpload = (name: string, max: number, answered: string): Bounded => ({
  what: `${name} of an upload`,
  max,
  answered,
  send: (trial, text) => uploadWith(trial, { [name]: text }),
})

const bounded: readonly Bounded[] = [
  {
    what: 'name of a project',
    max: 500,
    answered: 'name',
    send: ({ ask }, name) => ask(onB('/projects', { body: { name } })),
  },
  {
    what: 'name of a legacy session',
    max: 500,
    answered: 'name',
    send: ({ ask }, name) => ask(onB('/halfpipe/sessions', { body: { name } })),
  },
  ofUpload('name', 500, 'name'),
  ofUpload('modelName', 100, 'model_name'),
  ofUpload('language', 10, 'language'),
  ofUpload('sourceSystem', 100, 'source_system'),
  ofUpload('externalId', 500, 'external_id'),
  ofUpload('externalUserId', 500, 'external_user_id'),
]

/** One code point of two UTF-16 units and four bytes. */
const face = '😀'

const taken = ({ answered }: Bounded, answer: Answered, text: string) => {
  expect(answer.status, answer.text).to.equal(201)
  expect(answer.json.data[answered]).to.equal(text)
}

const turnOf = (content: string) => ({ role: 'user', content })

export const rules: readonly Rule[] = [
  ...bounded.flatMap((field): Rule[] => {
    const { what, max, send } = field
    return [
      {
        name: `the ${what} may have ${max} code points of two UTF-16 units each`,
        source: reading,
        run: async (trial) => taken(field, await send(trial, face.repeat(max)), face.repeat(max)),
      },
      {
        name: `the ${what} may not have ${max + 1} code points of two UTF-16 units each`,
        source: reading,
        run: async (trial) => refusedOnB(await send(trial, face.repeat(max + 1)), 400),
      },
    ]
  }),
  ...bounded
    .filter(({ answered }) => answered === 'name')
    .flatMap((field): Rule[] => [
      {
        name: `the ${field.what} may not be empty`,
        source,
        run: async (trial) => refusedOnB(await field.send(trial, ''), 400),
      },
      {
        name: `the ${field.what} may have one character`,
        source,
        run: async (trial) => taken(field, await field.send(trial, face), face),
      },
    ]),
  ...bounded
    .filter(({ answered }) => answered !== 'name')
    .map(
      (field): Rule => ({
        name: `the ${field.what} has no least length`,
        source,
        run: async (trial) => taken(field, await field.send(trial, ''), ''),
      }),
    ),
  {
    name: 'an upload may have 1000 turns, and all come back',
    source,
    async run(trial) {
      const turns = Array.from({ length: 1000 }, (_, index) => turnOf(`turn ${index}`))
      const answer = await uploadWith(trial, { turns })
      expect(answer.status, answer.text).to.equal(201)
      expect(answer.json.data.turn_count).to.equal(1000)
      const { turns: stored } = await read(trial, `/transcripts/${answer.json.data.id}`)
      expect(stored.map(({ content }: { content: string }) => content)).to.deep.equal(turns.map((turn) => turn.content))
    },
  },
  {
    name: 'a legacy upload may not have 1001 turns, nor none',
    source: 'ambiguity: legacy routes',
    async run(trial) {
      const { id: projectId } = await newProject(trial)
      for (const turns of [Array(1001).fill(turnOf('hi')), []]) {
        refusedOnB(await trial.ask(onB('/halfpipe/transcripts', { body: anUpload({ projectId, turns }) })), 400)
      }
    },
  },
  {
    name: 'lengths are counted in UTF-16 units where that reading is chosen',
    source: `${reading} †`,
    options: { ambiguities: { charactersAre: 'utf-16 units' } },
    async run(trial) {
      for (const field of bounded) {
        taken(field, await field.send(trial, face.repeat(field.max / 2)), face.repeat(field.max / 2))
        refusedOnB(await field.send(trial, `${face.repeat(field.max / 2)}x`), 400)
      }
    },
  },
]
