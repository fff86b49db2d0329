import { NotTried } from '../service.js'
import { type Fields, onB, once, type Trial } from '../trial.js'
import { filterNames, isListed, type ListSurvey, listOf, rowsNeeded, surveyList, uploadProbes } from './list-survey.js'
import type { Filters, Questions, Survey, Total } from './question.js'

/** Begin a survey: nothing is asked until a question needs it, and then once. */
export function createSurvey(trial: Trial): Survey {
  const probes = once(() => uploadProbes(trial))
  const list = once(async () => surveyList(trial, await probes()))
  return {
    trial,
    probes,
    list,
    filters: once(async () => filtersOf(trial, await list())),
    total: once(async () => totalOf(trial, await list())),
  }
}

const read = async (trial: Trial, path: string) => listOf(await trial.ask(onB(path)))

/** The form in which both lists show `pagination`. */
async function paginationOf({ trial, probes }: Survey): Promise<'full' | 'none' | 'text'> {
  const { path } = await probes()
  const forms: ('full' | 'none' | 'text')[] = []
  for (const each of [`${path}?limit=1`, '/projects?limit=1']) {
    const { pagination } = await read(trial, each)
    const types = new Set(Object.values(pagination ?? {}).map((value) => typeof value))
    if (pagination === undefined) forms.push('none')
    else if (types.size === 1 && types.has('number')) forms.push('full')
    else if (types.size === 1 && types.has('string')) forms.push('text')
    else throw new NotTried('pagination has values of other types')
  }
  const [first = 'none', second] = forms
  if (first !== second) throw new NotTried('the two lists show pagination in different forms')
  return first
}

/** The rows and the total of a page. */
async function counted(trial: Trial, path: string) {
  const { rows, pagination } = await read(trial, path)
  if (!pagination) throw new NotTried('the list shows no pagination')
  const { total } = pagination
  return { rows: rows.length, total: total === undefined ? undefined : Number(total) }
}

async function totalOf(trial: Trial, { path, count }: ListSurvey): Promise<Total> {
  const [one, some] = [await counted(trial, `${path}?limit=1`), await counted(trial, `${path}?limit=7`)]
  if (one.total === undefined && some.total === undefined) return { total: 'none' }
  if (one.total === -1 && some.total === -1) return { total: 'minus one' }
  if (one.total !== some.total) {
    if (one.total === one.rows && some.total === some.rows) return { total: 'of the page' }
    throw new NotTried('the total changes with the limit')
  }
  const { total } = one
  if (total === undefined || !Number.isInteger(total)) throw new NotTried('the total is no whole number')
  if (total === count) return { total: 'exact' }
  if (total > count) throw new NotTried(`the total is ${total}, of ${count} transcripts`)
  if (total === one.rows && one.rows === some.rows) throw new NotTried('the pages are too small to tell')
  // A cap stays when two more transcripts are there, and half of all grows.
  await trial.upload()
  const { id } = await trial.upload()
  await trial.until(async () => (await isListed(trial, { path, count: count + 2 }, id)) || undefined)
  const { total: later } = await counted(trial, `${path}?limit=1`)
  if (later === total) return { total: 'capped', cap: total }
  if (total === Math.floor(count / 2) && later === Math.floor((count + 2) / 2)) return { total: 'low' }
  throw new NotTried('the total changed while it was read')
}

/** The size of a full page, if it is smaller than the list and than what was asked for. 0: as many as were asked for. */
async function pageCapOf({ trial, list }: Survey): Promise<number> {
  const { path, count, firstPage } = await list()
  const rows = firstPage.length
  if (rows === 100) return 0
  if (count < rowsNeeded || rows >= count) throw new NotTried(`the project has only ${count} transcripts`)
  if (rows === 0) throw new NotTried('the first page has no rows')
  for (const limit of [1, rows, rows + 1]) {
    const { rows: page } = await read(trial, `${path}?limit=${limit}`)
    if (page.length !== Math.min(limit, rows)) throw new NotTried(`a page with limit=${limit} has ${page.length} rows`)
  }
  return rows
}

async function orderOf({ trial, list }: Survey): Promise<'descending' | 'ascending' | 'unstable'> {
  const { path, count, early, probe, firstPage, isUnstable } = await list()
  if (isUnstable === undefined) throw new NotTried('the list changed while it was read')
  if (isUnstable) return 'unstable'
  const last = Math.max(1, Math.ceil(count / Math.max(1, firstPage.length)))
  const idsOn = async (...pages: number[]) => {
    const ids: unknown[] = []
    for (const page of new Set(pages.filter((number) => number >= 1 && number <= last)))
      ids.push(...(await read(trial, `${path}?limit=100&page=${page}`)).rows.map(({ id }) => id))
    return ids
  }
  const [head, tail] = [await idsOn(1, 2), await idsOn(last - 1, last)]
  const [first, end] = [await trial.read(`/transcripts/${head[0]}`), await trial.read(`/transcripts/${tail.at(-1)}`)]
  const direction = Math.sign(timeOf(first) - timeOf(end))
  if (!direction) throw new NotTried('all transcripts have the same created_at')
  // The two latest transcripts are at the end where the list begins or ends with the latest.
  const [ids, one, other] = direction > 0 ? [head, probe, early] : [tail, early, probe]
  const [at, next] = [ids.indexOf(one.id), ids.indexOf(other.id)]
  if (at < 0 || next < 0 || (at > next && timeOf(early) !== timeOf(probe)))
    throw new NotTried('the list is in another order')
  return direction > 0 ? 'descending' : 'ascending'
}

const timeOf = ({ created_at }: Fields) => Date.parse(String(created_at))

/** What a filter does to a value that no transcript has. */
async function effectOf(trial: Trial, path: string, query: string): Promise<'refused' | 'ignored' | 'on'> {
  const answer = await trial.ask(onB(`${path}?${query}&limit=100`))
  if (answer.status === 400) return 'refused'
  return listOf(answer).rows.length === 0 ? 'on' : 'ignored'
}

async function filtersOf(trial: Trial, survey: ListSurvey): Promise<Filters> {
  const { path } = survey
  const effects: ('refused' | 'ignored' | 'on')[] = []
  const day = 'date_from=2199-01-01'
  for (const query of [...filterNames.map((name) => `${name}=${trial.word()}`), day])
    effects.push(await effectOf(trial, path, query))
  const [effect = 'on'] = effects
  if (effects.some((each) => each !== effect)) throw new NotTried('the filters differ from each other')
  if (effect !== 'on') return { filters: effect }
  const withTime = await effectOf(trial, path, `${day}T00:00:00Z`)
  if (withTime === 'ignored') throw new NotTried('date_from differs with and without a time')
  const lag = lagOf(survey)
  if (withTime === 'refused') {
    if (lag !== undefined) throw new NotTried('the filters lag, and refuse a date with a time')
    return { filters: 'days only' }
  }
  if (lag !== undefined) return { filters: 'lagging', lagMs: lag }
  if (survey.shown.missedMs !== undefined) throw new NotTried('the lag of the list hides a lag of the filters')
  return { filters: 'on' }
}

/** The milliseconds after which the filters found the probe, if the list showed it before a filter missed it. */
function lagOf({ shown, filters }: ListSurvey): number | undefined {
  const sights = filterNames.flatMap((name) => filters[name] ?? [])
  if (sights.length < filterNames.length) throw new NotTried('a filter did not find a new transcript in time')
  if (![shown, ...sights].every(({ isExact }) => isExact)) throw new NotTried(waited)
  const late = sights.filter(({ missedMs }) => missedMs !== undefined && missedMs > shown.ms)
  if (late.length === 0) return undefined
  if (late.length !== sights.length) throw new NotTried('only some of the filters lag')
  return Math.max(...late.map(({ ms }) => ms))
}

const waited = 'the service made a poll wait, so that a lag is not known'

/** What both lists answer for a page after the last one. */
async function pastEndOf({ trial, probes }: Survey): Promise<'empty' | 404 | 400> {
  const { path } = await probes()
  const seen = new Set<'empty' | 404 | 400>()
  for (const each of [path, '/projects']) {
    const answer = await trial.ask(onB(`${each}?page=100000&limit=1`))
    if (answer.status === 404 || answer.status === 400) seen.add(answer.status)
    else if (listOf(answer).rows.length === 0) seen.add('empty')
    else throw new NotTried('a page after the last one has rows')
  }
  const [first] = seen
  if (seen.size !== 1 || first === undefined) throw new NotTried('the two lists differ')
  return first
}

/** True if all queries are accepted, false if all are refused with 400. */
async function isLenient(trial: Trial, paths: readonly string[]): Promise<boolean> {
  const statuses = new Set<number>()
  for (const path of paths) statuses.add((await trial.ask(onB(path))).status)
  const [status] = statuses
  if (statuses.size === 1 && (status === 200 || status === 400)) return status === 200
  throw new NotTried(`such queries are answered with ${[...statuses].sort().join(' and ')}`)
}

async function lenientQueries(survey: Survey): Promise<boolean> {
  const { trial, list } = survey
  const { path } = await list()
  const lenient = await isLenient(trial, ['/projects?limit=1&limit=1', `${path}?limit=1&limit=1`])
  const effect = await effectOf(trial, path, `q=${trial.word()}`)
  if (effect === 'on' && (await isLenient(trial, [`${path}?annotation=%3Ax`])) !== lenient)
    throw new NotTried('a repeated parameter and annotation=:x differ')
  return lenient
}

/** The fields of a single read that no row has. */
const ofSingles = ['turns', 'messages', 'annotations']

type RowFields = 'full' | 'id' | 'names' | 'no metadata' | 'null metadata' | 'empty metadata'

async function rowFields({ trial, list }: Survey): Promise<RowFields> {
  const { path } = await list()
  const { rows } = await read(trial, `${path}?limit=20`)
  let reason = 'the list has no rows'
  for (const row of rows.slice(0, 5)) {
    const single = await trial.read(`/transcripts/${row.id}`)
    const names = Object.keys(row).sort().join()
    if (names === 'id') return 'id'
    if (names === 'id,name') return 'names'
    const expected = Object.keys(single).filter((name) => !ofSingles.includes(name))
    const without = expected.filter((name) => name !== 'metadata')
    if (names === without.sort().join() && 'metadata' in single) return 'no metadata'
    if (names !== expected.sort().join()) throw new NotTried(`a row has the fields ${Object.keys(row).join(', ')}`)
    if (row.metadata === null && single.metadata !== null) return 'null metadata'
    const stored = Object.keys((single.metadata ?? {}) as object).length
    const shown = Object.keys((row.metadata ?? {}) as object).length
    if (stored > 0) return shown > 0 ? 'full' : 'empty metadata'
    reason = 'the metadata of the transcripts is stored empty'
  }
  throw new NotTried(reason)
}

type ListName =
  | 'listLagMs'
  | 'order'
  | 'pagination'
  | 'pageCap'
  | 'pageCapReported'
  | 'pastEnd'
  | 'lenientPaging'
  | 'lenientQueries'
  | 'rowFields'
  | 'filters'
  | 'filterLagMs'
  | 'total'
  | 'totalCap'

export const listQuestions: Questions<ListName> = {
  async listLagMs({ trial, list }) {
    const { shown, isUnstable } = await list()
    if (isUnstable !== false) throw new NotTried('the order of the list changes, so that a page may miss a transcript')
    if (!shown.isExact) throw new NotTried(waited)
    if (shown.missedMs !== undefined) return Math.round(shown.ms)
    const { pollMs } = trial.settings
    throw new NotTried(`the lag is below one poll (${pollMs} ms)`, { belowMs: pollMs })
  },
  order: orderOf,
  pagination: paginationOf,
  pageCap: pageCapOf,
  async pageCapReported(survey) {
    const cap = await pageCapOf(survey)
    if (cap === 0) throw new NotTried('no cap was seen')
    const { path } = await survey.list()
    const { pagination } = await read(survey.trial, `${path}?limit=100`)
    const limit = Number(pagination?.limit)
    if (limit === cap || limit === 100) return limit === cap
    throw new NotTried(pagination ? 'pagination shows another limit' : 'the list shows no pagination')
  },
  pastEnd: pastEndOf,
  lenientPaging: ({ trial }) =>
    isLenient(
      trial,
      ['limit=0', 'limit=101', 'page=0', 'limit=ten'].map((query) => `/projects?${query}`),
    ),
  lenientQueries,
  rowFields,
  filters: async ({ filters }) => (await filters()).filters,
  async filterLagMs({ filters }) {
    const { lagMs } = await filters()
    if (lagMs === undefined) throw new NotTried('no lag of the filters was seen')
    return Math.round(lagMs)
  },
  total: async ({ total }) => (await total()).total,
  async totalCap({ total }) {
    const { cap } = await total()
    if (cap === undefined) throw new NotTried('no cap of the total was seen')
    return cap
  },
}
