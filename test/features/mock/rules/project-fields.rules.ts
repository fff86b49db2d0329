import { expect } from 'chai'
import { allBut, type Sent } from '../../../../packages/reference-server/src/contract/rules/index.js'
import { onB, refusedOnB } from './asking-fixture.js'
import type { Rule } from './rule.js'

/** Creating a project, and its legacy identical. */
const creating: readonly [string, string][] = [
  ['/projects', 'POST /projects'],
  ['/halfpipe/sessions', 'ambiguity: legacy routes'],
]

const wrong: readonly [string, readonly Sent[]][] = [
  ['name', allBut('a string')],
  ['domain', [...allBut('a string'), ['another domain', 'medical'], ['an empty domain', ''], ['capitals', 'General']]],
]

export const rules: readonly Rule[] = creating.flatMap(([path, source]): Rule[] => [
  {
    name: `POST ${path} without a name is 400`,
    source,
    run: async ({ ask }) => refusedOnB(await ask(onB(path, { body: { domain: 'general' } })), 400),
  },
  ...wrong.map(
    ([field, sent]): Rule => ({
      name: `POST ${path} with a ${field} of another type or value is 400`,
      source,
      async run({ ask }) {
        for (const [what, value] of sent) {
          const answer = await ask(onB(path, { body: { name: 'P', [field]: value } }))
          expect(answer.status, `${field}: ${what}`).to.equal(400)
          refusedOnB(answer, 400)
        }
      },
    }),
  ),
  ...['general', 'ai_coding'].map(
    (domain): Rule => ({
      name: `POST ${path} takes the domain ${domain}`,
      source,
      async run({ ask }) {
        const { status, text } = await ask(onB(path, { body: { name: 'P', domain } }))
        expect(status, text).to.equal(201)
      },
    }),
  ),
  {
    name: `POST ${path} keeps a name as it was sent`,
    source,
    async run({ ask }) {
      for (const name of [' blanks around ', 'line\nbreak', '名前 😀', '"quoted" <b>', 'x']) {
        expect((await ask(onB(path, { body: { name } }))).json.data.name).to.equal(name)
      }
    },
  },
  {
    name: `POST ${path} makes a new project for the same name`,
    source,
    async run({ ask }) {
      const make = async () => (await ask(onB(path, { body: { name: 'Same name' } }))).json.data.id
      expect(await make()).not.to.equal(await make())
    },
  },
])
