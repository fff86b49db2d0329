import { type Answered, NotTried, wait } from '../service.js'
import { type Fields, fieldsOf, idsOf, onB, rowsOf, type Trial, upload } from '../trial.js'

/** More than fit on a page of any size, so that a smaller page shows. */
export const rowsNeeded = 101

/** The filters that are tried, each with a value by which it finds the probe alone. */
export const filterNames = ['q', 'model_name', 'source_system'] as const
export type FilterName = (typeof filterNames)[number]

/** Two uploads, the earlier one first, and what the project counted after them. */
export interface Probes {
  early: Fields
  probe: Fields
  /** A word that only the probe has: in its content, `model_name` and `source_system`. */
  word: string
  /** The answer to the upload of the probe, and what was sent as its metadata. */
  answer: Answered
  metadata: Fields
  /** The monotonic time after the upload of the probe. */
  uploadedAt: number
  /** The list of the project, and its number of transcripts. */
  path: string
  count: number
}

/** What the list of the project showed after the upload of the probe. */
export interface ListSurvey extends Probes {
  shown: Shown
  /** The same for each filter; missing if it never showed the probe. */
  filters: Readonly<Partial<Record<FilterName, Shown>>>
  /** The ids of the first page. */
  firstPage: readonly unknown[]
  /** True if the order changes from one request to the next; undefined if it did so for some requests only. */
  isUnstable: boolean | undefined
}

/** The request that first showed the probe. Times are milliseconds after its upload. */
export interface Shown {
  ms: number
  /** The time of the last request that did not show it; missing if there was none. */
  missedMs?: number
  /** False if more than a poll lies between the two, as the service made a request wait: then the lag is not known. */
  isExact: boolean
}

export async function uploadProbes(trial: Trial): Promise<Probes> {
  const project = await trial.project()
  const path = `/projects/${project}/transcripts`
  const word = trial.word()
  for (let count = await countOf(trial, project); count < rowsNeeded - 1; count++)
    await trial.upload({ metadata: { run: word } })
  const early = await trial.upload({ metadata: { run: word } })
  const metadata = { run: word, size: 3, nested: { key: 'k', list: [true] }, none: {}, empty: null }
  const turns = [{ role: 'user', content: `Where is ${word}?` }]
  const answer = await trial.ask(onB(path, { body: upload({ metadata, modelName: word, sourceSystem: word, turns }) }))
  if (answer.status >= 300) throw new NotTried(`a valid upload was answered with ${answer.status}`)
  const uploadedAt = trial.settings.service.now()
  const probe = await trial.recordOf(answer)
  return { early, probe, word, answer, metadata, uploadedAt, path, count: await countOf(trial, project) }
}

async function countOf(trial: Trial, project: string): Promise<number> {
  const { transcript_count } = await trial.read(`/projects/${project}`)
  if (typeof transcript_count === 'number') return transcript_count
  throw new NotTried('the project does not show its transcript_count')
}

/** Poll the list, with and without filters, until all show the probe. */
export async function surveyList(trial: Trial, probes: Probes): Promise<ListSurvey> {
  const { service, pollMs, maxLagMs } = trial.settings
  const { path, probe, word, uploadedAt } = probes
  const elapsed = () => service.now() - uploadedAt
  /** Ask again until the answer shows the probe. */
  const watch = (find: () => Promise<boolean>) => {
    let missedMs: number | undefined
    let shown: Shown | undefined
    return {
      get shown() {
        return shown
      },
      async poll() {
        if (shown) return
        const ms = elapsed()
        if (!(await find())) {
          missedMs = ms
          return
        }
        const isExact = missedMs === undefined ? elapsed() <= pollMs : elapsed() - missedMs < 2 * pollMs
        shown = { ms, isExact, ...(missedMs !== undefined && { missedMs }) }
      },
    }
  }
  const list = watch(() => isListed(trial, probes, probe.id))
  const watches = filterNames.map((name) => {
    const isFound = async () => {
      const answer = await trial.ask(onB(`${path}?${name}=${word}&limit=100`))
      return answer.status !== 200 || idsOf(answer).includes(probe.id)
    }
    return [name, watch(isFound)] as const
  })
  for (;;) {
    const roundAt = elapsed()
    for (const each of [list, ...watches.map(([, filter]) => filter)]) await each.poll()
    if (list.shown && watches.every(([, { shown }]) => shown)) break
    if (elapsed() + pollMs > maxLagMs) break
    // From one poll to the next, and not from the end of one: a service may take long to answer.
    await wait({ ...service, maxWaitMs: pollMs }, Math.max(pollMs - (elapsed() - roundAt), pollMs / 4))
  }
  const { shown } = list
  if (!shown) throw new NotTried(`the list did not show a new transcript within ${maxLagMs / 1000} s`)
  const filters = Object.fromEntries(watches.flatMap(([name, filter]) => (filter.shown ? [[name, filter.shown]] : [])))
  const { isUnstable, firstPage } = await orderOf(trial, path)
  return { ...probes, shown, filters, firstPage, isUnstable }
}

/** The most pages that one poll reads of a list whose order changes. */
const pagesOfUnstable = 30

/** True if the list shows a transcript: on its first or last page, or on any if its order changes. */
export async function isListed(
  trial: Trial,
  { path, count }: Pick<Probes, 'path' | 'count'>,
  id: unknown,
): Promise<boolean> {
  const page = (number: number) => trial.ask(onB(`${path}?limit=100&page=${number}`))
  const first = await page(1)
  if (first.status !== 200) throw new NotTried(`the list was answered with ${first.status}`)
  const ids = idsOf(first)
  if (ids.includes(id)) return true
  if (ids.length === 0) return false
  const last = Math.ceil(count / ids.length)
  if (last > 1 && idsOf(await page(last)).includes(id)) return true
  if (!hasOtherOrder(ids, idsOf(await page(1)))) return false
  for (let number = 1; number <= Math.min(last, pagesOfUnstable); number++)
    if (idsOf(await page(number)).includes(id)) return true
  return false
}

/** Compare four requests in a row. */
async function orderOf({ ask }: Trial, path: string) {
  const pages: unknown[][] = []
  for (let time = 0; time < 4; time++) pages.push(idsOf(await ask(onB(`${path}?limit=100`))))
  const changes = pages.slice(1).filter((ids, i) => hasOtherOrder(pages[i] ?? [], ids)).length
  const isUnstable = changes === 0 ? false : changes === pages.length - 1 ? true : undefined
  return { isUnstable, firstPage: pages[0] ?? [] }
}

/** True unless a page is the same as before, or the same after a few new rows at its beginning. */
function hasOtherOrder(before: readonly unknown[], now: readonly unknown[]): boolean {
  const first = now.indexOf(before[0])
  return first < 0 || first >= now.length / 2 || now.slice(first).some((id, i) => id !== before[i])
}

/** `pagination` of a list, and its rows. Throws `NotTried` for any other answer than a list. */
export function listOf(answer: Answered): { rows: Fields[]; pagination: Fields | undefined } {
  const rows = answer.status === 200 ? rowsOf(answer) : undefined
  if (!rows)
    throw new NotTried(`a list was answered with ${answer.status}${answer.status === 200 ? ' and no rows' : ''}`)
  const { pagination } = fieldsOf(answer.json)
  return { rows, pagination: pagination === undefined ? undefined : fieldsOf(pagination) }
}
