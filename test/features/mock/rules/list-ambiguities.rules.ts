import type { Ambiguities } from '@svc/reference-server/core'
import { withTestAmbiguities } from '@svc/reference-server/testing'
import { expect } from 'chai'
import { newProject, newTranscript, onB, read, refusedOnB } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

interface Row {
  id: string
  name: string
}

/** A project with so many transcripts, each a millisecond after the one before: the path of their list, and their ids. */
async function listOf(trial: Trial, count: number, more: object = {}) {
  const { id } = await newProject(trial)
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) {
    await trial.advance(1)
    ids.push((await newTranscript(trial, id, more)).id)
  }
  return { path: `/projects/${id}/transcripts`, ids, newestFirst: [...ids].reverse() }
}

const idsOf = (rows: Row[]) => rows.map(({ id }) => id)

/** The answer to the request of a list. */
async function page(trial: Trial, path: string): Promise<{ data: Row[]; pagination: unknown }> {
  const { status, json, text } = await trial.ask(onB(path))
  expect(status, text).to.equal(200)
  return json
}

const rows: readonly [Ambiguities['rowFields'], (row: object) => void][] = [
  ['id', (row) => expect(row).to.have.all.keys('id')],
  ['names', (row) => expect(row).to.have.all.keys('id', 'name')],
  ['no metadata', (row) => expect(row).to.include.keys('name', 'turn_count').and.not.have.property('metadata')],
  ['null metadata', (row) => expect(row).to.include({ metadata: null, turn_count: 1 })],
  ['empty metadata', (row) => expect(row).to.deep.include({ metadata: {}, turn_count: 1 })],
  ['full', (row) => expect(row).to.deep.include({ metadata: { team: 'a' }, turn_count: 1 })],
]

/** With 5 rows, of which a page of 2 is asked for. */
const paginations: readonly [string, Partial<Ambiguities>, object | undefined][] = [
  ['full pagination', {}, { page: 1, limit: 2, total: 5 }],
  ['no pagination', { pagination: 'none' }, undefined],
  ['pagination as text', { pagination: 'text' }, { page: '1', limit: '2', total: '5' }],
  ['no total', { total: 'none' }, { page: 1, limit: 2 }],
  ['a total of -1', { total: 'minus one' }, { page: 1, limit: 2, total: -1 }],
  ['a capped total', { total: 'capped', totalCap: 3 }, { page: 1, limit: 2, total: 3 }],
  ['a total below its cap', { total: 'capped', totalCap: 9 }, { page: 1, limit: 2, total: 5 }],
  ['a low total', { total: 'low' }, { page: 1, limit: 2, total: 2 }],
  ['the total of the page', { total: 'of the page' }, { page: 1, limit: 2, total: 2 }],
  ['a total as text that is left out', { pagination: 'text', total: 'none' }, { page: '1', limit: '2' }],
]

const filterQueries = [
  'q=order',
  'model_name=m',
  'language=en',
  'source_system=s',
  'annotation=outcome:strong',
  'date_from=2020-01-01',
  'date_to=2020-01-01',
]

export const rules: readonly Rule[] = [
  ...rows.map(
    ([rowFields, check]): Rule => ({
      name: `a row of a list of transcripts shows what rowFields says, and a single read shows all: ${rowFields}`,
      source: 'ambiguity: rows of GET /projects/{projectId}/transcripts',
      options: { ambiguities: { rowFields } },
      async run(trial) {
        const { path, ids } = await listOf(trial, 1, { metadata: { team: 'a' } })
        const [row] = await read(trial, path)
        check(row)
        expect(row.id).to.equal(ids[0])
        expect(await read(trial, `/transcripts/${ids[0]}`)).to.deep.include({ metadata: { team: 'a' }, turn_count: 1 })
      },
    }),
  ),
  ...paginations.map(
    ([name, ambiguities, expected]): Rule => ({
      name: `both lists show ${name}`,
      source: 'ambiguity: pagination and total',
      options: { ambiguities },
      async run(trial) {
        const { path } = await listOf(trial, 5)
        for (let made = 1; made < 5; made += 1) await newProject(trial)
        for (const list of [path, '/projects']) {
          const { data, pagination } = await page(trial, `${list}?limit=2`)
          expect(data).to.have.length(2)
          expect(pagination).to.deep.equal(expected)
        }
      },
    }),
  ),
  ...[true, false].map(
    (pageCapReported): Rule => ({
      name: `a page has no more rows than the cap, which is ${pageCapReported ? 'reported' : 'silent'}`,
      source: 'ambiguity: page size',
      options: { ambiguities: { pageCap: 2, pageCapReported } },
      async run(trial) {
        const { path, newestFirst } = await listOf(trial, 5)
        const seen: string[] = []
        for (const [number, length] of [
          [1, 2],
          [2, 2],
          [3, 1],
          [4, 0],
        ]) {
          const { data, pagination } = await page(trial, `${path}?limit=3&page=${number}`)
          expect(data).to.have.length(length ?? 0)
          expect(pagination).to.deep.equal({ page: number, limit: pageCapReported ? 2 : 3, total: 5 })
          seen.push(...idsOf(data))
        }
        expect(seen).to.deep.equal(newestFirst)
        expect((await page(trial, `${path}?limit=1`)).pagination).to.deep.equal({ page: 1, limit: 1, total: 5 })
      },
    }),
  ),
  {
    name: 'an ascending list is oldest first, over its pages',
    source: 'ambiguity: list order',
    options: { ambiguities: { order: 'ascending' } },
    async run(trial) {
      const { path, ids } = await listOf(trial, 3)
      expect(idsOf(await read(trial, path))).to.deep.equal(ids)
      expect(idsOf(await read(trial, `${path}?limit=2&page=2`))).to.deep.equal(ids.slice(2))
      const oldest = (await read(trial, '/projects'))[0]
      await trial.advance(1)
      await newProject(trial)
      expect((await read(trial, '/projects'))[0]).to.deep.equal(oldest)
    },
  },
  {
    name: 'an unstable list has all of its rows, in another order at each request',
    source: 'ambiguity: list order',
    options: { ambiguities: { order: 'unstable' } },
    async run(trial) {
      for (const count of [0, 1, 2, 3, 8]) {
        const { path, ids } = await listOf(trial, count)
        let last: string[] = []
        for (let time = 0; time < 9; time += 1) {
          const order = idsOf(await read(trial, path))
          expect([...order].sort()).to.deep.equal([...ids].sort())
          if (count > 1) expect(order).to.not.deep.equal(last)
          last = order
        }
      }
    },
  },
  ...[true, false].map(
    (totalLags): Rule => ({
      name: `a list shows a record some time after it was stored, and its total ${totalLags ? 'too' : 'at once'}`,
      source: 'ambiguity: lists that lag',
      options: { ambiguities: withTestAmbiguities({ listLagMs: 8000, totalLags }) },
      async run(trial) {
        const { path, ids } = await listOf(trial, 1)
        const early = totalLags ? 0 : 1
        for (const list of [path, '/projects']) {
          const { data, pagination } = await page(trial, list)
          expect(data).to.deep.equal([])
          expect(pagination).to.deep.equal({ page: 1, limit: 20, total: early })
        }
        await read(trial, `/transcripts/${ids[0]}`)
        await trial.advance(7999)
        expect(await read(trial, path)).to.deep.equal([])
        await trial.advance(1)
        expect(idsOf(await read(trial, path))).to.deep.equal(ids)
        expect((await page(trial, '/projects')).pagination).to.deep.equal({ page: 1, limit: 20, total: 1 })
      },
    }),
  ),
  {
    name: 'a list that lags shows the records of the seed at once, and others by the lag of this time',
    source: 'ambiguity: lists that lag',
    options: { ambiguities: { listLagMs: 8000 }, seed: { projects: [{ name: 'Seeded' }] } },
    async run(trial) {
      await newProject(trial)
      trial.server.ambiguities.set({ listLagMs: 1000 })
      expect(await read(trial, '/projects')).to.have.length(1)
      await trial.advance(1000)
      expect(await read(trial, '/projects')).to.have.length(2)
    },
  },
  {
    name: 'filters that are ignored list everything, whatever they say',
    source: 'ambiguity: filters',
    options: { ambiguities: { filters: 'ignored' } },
    async run(trial) {
      const { path, newestFirst } = await listOf(trial, 2)
      for (const query of [...filterQueries, 'annotation=x', 'date_from=soon', 'q=a&q=b'])
        expect(idsOf(await read(trial, `${path}?${query}`)), query).to.deep.equal(newestFirst)
      refusedOnB(await trial.ask(onB(`${path}?page=0`)), 400)
    },
  },
  {
    name: 'filters that are refused are 400, and an empty one is none',
    source: 'ambiguity: filters',
    options: { ambiguities: { filters: 'refused' } },
    async run(trial) {
      const { path, newestFirst } = await listOf(trial, 2)
      for (const query of filterQueries) refusedOnB(await trial.ask(onB(`${path}?${query}`)), 400)
      expect(idsOf(await read(trial, `${path}?q=&limit=5`))).to.deep.equal(newestFirst)
    },
  },
  {
    name: 'filters that lag find a record some time after the plain list shows it',
    source: 'ambiguity: filters',
    options: { ambiguities: { filters: 'lagging', filterLagMs: 3000 } },
    async run(trial) {
      const { path, ids } = await listOf(trial, 1)
      expect((await page(trial, `${path}?q=order`)).pagination).to.deep.equal({ page: 1, limit: 20, total: 0 })
      expect(idsOf(await read(trial, path))).to.deep.equal(ids)
      await trial.advance(2999)
      expect(await read(trial, `${path}?q=order`)).to.deep.equal([])
      await trial.advance(1)
      expect(idsOf(await read(trial, `${path}?q=order`))).to.deep.equal(ids)
      expect(await read(trial, `${path}?q=nothing`)).to.deep.equal([])
    },
  },
  {
    name: 'where dates are days only, a bound with a time is 400',
    source: 'ambiguity: filters',
    options: { ambiguities: { filters: 'days only' } },
    async run(trial) {
      const { path, ids } = await listOf(trial, 1, { sourceTimestamp: '2026-01-31T10:00:00Z' })
      const day = 'date_from=2026-01-31&date_to=2026-01-31'
      expect(idsOf(await read(trial, `${path}?${day}`))).to.deep.equal(ids)
      for (const name of ['date_from', 'date_to'])
        refusedOnB(await trial.ask(onB(`${path}?${name}=2026-01-31T10:00:00Z`)), 400)
    },
  },
  ...([404, 400] as const).map(
    (pastEnd): Rule => ({
      name: `a page after the last row is ${pastEnd} where that reading is chosen, but never the first one`,
      source: 'ambiguity: a page past the end',
      options: { ambiguities: { pastEnd, pageCap: 2 } },
      async run(trial) {
        const { path } = await listOf(trial, 3)
        expect(await read(trial, `${path}?limit=5&page=2`)).to.have.length(1)
        refusedOnB(await trial.ask(onB(`${path}?limit=5&page=3`)), pastEnd)
        expect(await read(trial, `${path}?q=nothing`)).to.deep.equal([])
        refusedOnB(await trial.ask(onB(`${path}?q=nothing&page=2`)), pastEnd)
        refusedOnB(await trial.ask(onB('/projects?page=2')), pastEnd)
      },
    }),
  ),
]
