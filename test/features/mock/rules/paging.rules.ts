import { expect } from 'chai'
import { newProject, newTranscript, onB, read, refusedOnB, saying } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'GET /projects'
const reading = 'ambiguity: limit over 100 or under 1, page under 1, non-integers'

/** A list: the path of one with so many records at least. */
interface List {
  name: string
  of(trial: Trial, count: number): Promise<string>
}

const lists: readonly List[] = [
  {
    name: 'the list of projects',
    async of(trial, count) {
      for (let made = 0; made < count; made += 1) await newProject(trial)
      return '/projects'
    },
  },
  {
    name: 'the list of transcripts',
    async of(trial, count) {
      const { id } = await newProject(trial)
      for (let made = 0; made < count; made += 1) await newTranscript(trial, id)
      return `/projects/${id}/transcripts`
    },
  },
]

const wrong = [
  'limit=1e1',
  'page=',
  'limit=101',
  'limit=0',
  'limit=-1',
  'limit=1.5',
  'limit=ten',
  'page=0',
  'page=-1',
  'page=1.5',
  'page=x',
]
const lenient: readonly [string, { page: number; limit: number }][] = [
  ['limit=101', { page: 1, limit: 100 }],
  ['limit=0', { page: 1, limit: 1 }],
  ['limit=-5', { page: 1, limit: 1 }],
  ['page=0', { page: 1, limit: 20 }],
  ['page=-3&limit=200', { page: 1, limit: 100 }],
  ['page=x&limit=ten', { page: 1, limit: 20 }],
]

const idOf = ({ id }: { id: string }) => id

export const rules: readonly Rule[] = [
  ...lists.flatMap(({ name, of }): Rule[] => [
    {
      name: `${name} gives page 1 with 20 records unless asked otherwise`,
      source,
      async run(trial) {
        const { status, json } = await trial.ask(onB(await of(trial, 21)))
        expect(status).to.equal(200)
        expect(json.data).to.have.length(20)
        expect(json.pagination).to.include({ page: 1, limit: 20 })
        expect(json.pagination.total).to.be.at.least(21)
      },
    },
    ...['limit=1', 'limit=100', 'page=1', 'page=1&limit=100'].map(
      (query): Rule => ({
        name: `${name} takes ${query}`,
        source,
        async run(trial) {
          const { status, json } = await trial.ask(onB(`${await of(trial, 1)}?${query}`))
          expect(status).to.equal(200)
          const asked = Object.fromEntries(new URLSearchParams(query))
          expect(json.pagination.limit).to.equal(Number(asked.limit ?? 20))
          expect(json.pagination.page).to.equal(1)
          expect(json.data.length).to.be.within(1, json.pagination.limit)
        },
      }),
    ),
    ...wrong.map(
      (query): Rule => ({
        name: `${name} answers 400 to ${query}`,
        source: reading,
        run: async (trial) => refusedOnB(await trial.ask(onB(`${await of(trial, 0)}?${query}`)), 400),
      }),
    ),
    {
      name: `${name} is empty past its end, and says the total`,
      source: reading,
      async run(trial) {
        const path = await of(trial, 2)
        const { total } = (await trial.ask(onB(`${path}?limit=1`))).json.pagination
        for (const page of [10_000_000, 2 ** 40]) {
          const { status, json } = await trial.ask(onB(`${path}?page=${page}&limit=1`))
          expect(status).to.equal(200)
          expect(json.data).to.deep.equal([])
          expect(json.pagination).to.include({ page, limit: 1 })
          expect(json.pagination.total).to.be.at.least(total)
        }
      },
    },
    {
      name: `${name} moves page and limit into their bounds where that reading is chosen`,
      source: `${reading} †`,
      options: { ambiguities: { lenientPaging: true } },
      async run(trial) {
        const path = await of(trial, 1)
        for (const [query, expected] of lenient) {
          const { status, json } = await trial.ask(onB(`${path}?${query}`))
          expect(status, query).to.equal(200)
          expect(json.pagination, query).to.include(expected)
          expect(json.data, query).to.have.length(1)
        }
      },
    },
    {
      name: `${name} is newest first, and of those made in the same moment the greater id first`,
      source: 'ambiguity: list order',
      async run(trial) {
        const path = await of(trial, 3)
        await trial.advance(1)
        if (path === '/projects') await of(trial, 3)
        else for (let made = 0; made < 3; made += 1) await newTranscript(trial, path.split('/')[2] ?? '')
        const records: { id: string; created_at: string }[] = await read(trial, path)
        expect(records).to.have.length(6)
        const sorted = [...records].sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id))
        expect(records.map(idOf)).to.deep.equal(sorted.map(idOf))
      },
    },
  ]),
  {
    name: 'the pages of a list of transcripts make the whole, each record once and in order',
    source,
    async run(trial) {
      const { id } = await newProject(trial)
      const made = new Set<string>()
      for (let count = 0; count < 7; count += 1) made.add((await newTranscript(trial, id)).id)
      const path = `/projects/${id}/transcripts`
      const whole = (await read(trial, path)).map(idOf)
      expect(new Set(whole)).to.deep.equal(made)
      for (const limit of [1, 2, 3, 7]) {
        const pages: string[] = []
        for (let page = 1; page <= Math.ceil(7 / limit); page += 1) {
          const { json } = await trial.ask(onB(`${path}?page=${page}&limit=${limit}`))
          expect(json.pagination).to.include({ page, limit, total: 7 })
          pages.push(...json.data.map(idOf))
        }
        expect(pages, `limit ${limit}`).to.deep.equal(whole)
      }
    },
  },
  {
    name: 'the last page of a list of transcripts has what is left',
    source,
    async run(trial) {
      const { id } = await newProject(trial)
      for (let count = 0; count < 5; count += 1) await newTranscript(trial, id)
      for (const [page, length] of [
        [2, 2],
        [3, 1],
        [4, 0],
      ]) {
        const { json } = await trial.ask(onB(`/projects/${id}/transcripts?page=${page}&limit=2`))
        expect(json.data).to.have.length(length ?? 0)
        expect(json.pagination).to.include({ total: 5 })
      }
    },
  },
  {
    name: 'the total is counted after the filters, and the pages are of what is left',
    source: 'GET /projects/{projectId}/transcripts',
    async run(trial) {
      const { id } = await newProject(trial)
      for (let count = 0; count < 6; count += 1) {
        await newTranscript(trial, id, { language: count % 2 ? 'de' : 'en', ...saying(`word${count}`) })
      }
      const path = `/projects/${id}/transcripts?language=de`
      const all = (await read(trial, path)).map(idOf)
      expect(all).to.have.length(3)
      const { json } = await trial.ask(onB(`${path}&limit=2&page=2`))
      expect(json.pagination).to.include({ page: 2, limit: 2, total: 3 })
      expect(json.data.map(idOf)).to.deep.equal(all.slice(2))
    },
  },
  {
    name: 'the total of projects is exact',
    source,
    async run(trial) {
      for (let count = 0; count <= 3; count += 1) {
        expect((await trial.ask(onB('/projects?limit=2'))).json.pagination.total).to.equal(count)
        await newProject(trial)
      }
    },
  },
  {
    name: 'a malformed project id is 404 on reads',
    source: 'ambiguity: malformed project id',
    async run({ ask }) {
      for (const id of ['x', 'hp-1', 'constructor', '__proto__', '%E0%A4%A', 'a%2Fb', 'hp-%00']) {
        refusedOnB(await ask(onB(`/projects/${id}`)), 404)
        refusedOnB(await ask(onB(`/projects/${id}/transcripts`)), 404)
        refusedOnB(await ask(onB(`/transcripts/${id}`)), 404)
      }
    },
  },
]

const compare = (a: string, b: string) => Number(a > b) - Number(a < b)
