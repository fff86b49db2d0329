import { isObject } from '../validation/index.js'
import { type Answered, type Ask, type KeyName, NotTried, type Service, wait } from './service.js'

export type Fields = Readonly<Record<string, unknown>>

/** One rule of the interface, and how to try it. */
export interface Rule {
  /** A sentence about behaviour; no two rules have the same. */
  name: string
  /** The heading of the interface that says so. */
  source: string
  /**
   * Throws `Different` if the rule does not hold, and `NotTried` if that cannot be seen. It must be right about every service
   * that follows the interface, whatever that does where the interface says nothing.
   */
  run(trial: Trial): Promise<unknown>
}

/** Thrown if the service differs from the interface. */
export class Different extends Error {
  override readonly name = 'Different'
}

export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Different(what)
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  expectThat(isEqual(actual, expected), `${what}: expected ${shown(expected)}, got ${shown(actual)}`)
}

export function expectStatus({ status }: Answered, expected: number, what = 'the status'): void {
  expectThat(status === expected, `${what}: expected ${expected}, got ${status}`)
}

/** A write that is accepted: the rule about the status of a new record is one of its own. */
export function expectAccepted({ status }: Answered, what = 'the status'): void {
  expectThat(status >= 200 && status < 300, `${what}: expected success, got ${status}`)
}

const shown = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** True if two values of JSON are equal, whatever the order of their keys. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, i) => isEqual(item, other[i]))
  if (!isObject(one) || !isObject(other)) return Object.is(one, other)
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => name in other && isEqual(one[name], other[name]))
  )
}

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})
/** `data` of an answer of the workspace surface. */
export const dataOf = ({ json }: Pick<Answered, 'json'>): Fields => fieldsOf(fieldsOf(json).data)
/** The rows of a list; undefined if `data` is not an array. */
export const rowsOf = ({ json }: Pick<Answered, 'json'>): Fields[] | undefined => {
  const { data } = fieldsOf(json)
  return Array.isArray(data) ? data.map(fieldsOf) : undefined
}
export const idsOf = (answer: Pick<Answered, 'json'>): unknown[] => (rowsOf(answer) ?? []).map(({ id }) => id)

type Options = Omit<Partial<Ask>, 'surface' | 'path'>
export const onA = (path: string, options: Options = {}): Ask => ({ surface: 'annotation', path, ...options })
export const onB = (path: string, options: Options = {}): Ask => ({ surface: 'workspace', path, ...options })

/** The smallest upload that is valid, without analysis, and other fields. */
export const upload = (fields: Fields = {}): Fields => ({
  name: 'svc contract',
  turns: [{ role: 'user', content: 'Where is order 7?' }],
  process: false,
  ...fields,
})

export const annotationOf = (annotator: string, fields: Fields = {}): Fields => ({
  annotator,
  transcript: [{ role: 'user', content: 'Where is order 7?' }],
  ...fields,
})

/** The name of the project that every run uses again. */
export const projectName = 'svc contract'

/** Where and how a run works. */
export interface Settings {
  service: Service
  /** A text in all content of this run, so that no other record has it. */
  runId: string
  /** Milliseconds between two polls of a list, and the longest time to poll. */
  pollMs: number
  maxLagMs: number
  /** Called once the project of the run is known. */
  onProject?: ((project: { id: string; isNew: boolean }) => void) | undefined
  /** The project of the run. Default: that of the workspace with the name `svc contract`, else a new one. */
  projectId?: string
}

/** What rules and questions share: the records of the run are created once, when they are first needed. */
export interface Trial {
  ask(request: Ask): Promise<Answered>
  /** The key with a name. Throws `NotTried` if it is missing. */
  key(name: KeyName): string
  /** A word that no record has yet. */
  word(): string
  /** The id of the project of the run. */
  project(): Promise<string>
  /** Create another project with the key of a name; only where projects may be created. */
  newProject(key?: KeyName): Promise<Fields>
  /** Upload a transcript to the project of the run or another one; its record. */
  upload(fields?: Fields, projectId?: string): Promise<Fields>
  /** The record of an upload or a new project, from the answer or else from `Location`. */
  recordOf(answer: Answered): Promise<Fields>
  /** The data of a single record. */
  read(path: string): Promise<Fields>
  /** The id of a transcript of the run that nothing changes. */
  transcript(): Promise<string>
  /** The id of an annotator of the registry. */
  annotator(): Promise<string>
  /** One annotation, which several rules look at. */
  annotation(): Promise<Fields>
  /** Throws `NotTried` if the legacy routes do not exist. */
  legacy(): Promise<void>
  hasLegacy(): Promise<boolean>
  /** Poll until something is found. Throws `NotTried` after the longest lag. */
  until<Found>(find: () => Promise<Found | undefined>): Promise<Found>
  readonly settings: Settings
}

export const conversation = [
  { role: 'assistant', content: 'Welcome.' },
  { role: 'user', content: 'Where is order 7?' },
  { role: 'assistant', content: 'It is on its way.' },
  { role: 'user', content: 'And order 8?' },
]

export function createTrial(settings: Settings): Trial {
  const { service, runId, pollMs, maxLagMs } = settings
  const { ask, key } = service
  let words = 0
  // A body without a project stores nothing.
  const hasLegacy = once(async () => {
    const [route, unknown] = [
      await ask(onB('/halfpipe/transcripts', { body: {} })),
      await ask(onB('/halfpipe/none', { body: {} })),
    ]
    if (route.status === 400) return true
    if (route.status === 404 && unknown.status === 404 && route.text === unknown.text) return false
    throw new NotTried(`POST /halfpipe/transcripts with {} was answered with ${route.status}`)
  })
  const trial: Trial = {
    ask,
    key,
    settings,
    word: () => `${runId}x${(words++).toString(36).padStart(3, '0')}`,
    project: once(() => findProject(settings, trial)),
    async newProject(name = 'workspace') {
      const answer = await ask(onB('/projects', { key: key(name), body: { name: `${projectName}, one rule` } }))
      requireCreated(answer, 'a project')
      const record = await trial.recordOf(answer)
      if (typeof record.id === 'string') service.allowUploads(record.id)
      return record
    },
    async upload(fields = {}, projectId) {
      const path = `/projects/${projectId ?? (await trial.project())}/transcripts`
      const answer = await ask(onB(path, { body: upload(fields) }))
      requireCreated(answer, 'a valid upload')
      return trial.recordOf(answer)
    },
    async recordOf(answer) {
      const data = dataOf(answer)
      if (typeof data.id === 'string') return data
      const id = answer.headers.location?.split('/').at(-1)
      if (!id) throw new NotTried('the answer to a write shows no record')
      return trial.read(`/${id.startsWith('hp-') ? 'projects' : 'transcripts'}/${id}`)
    },
    async read(path) {
      const answer = await ask(onB(path))
      if (answer.status !== 200) throw new NotTried(`a record cannot be read (${answer.status})`)
      return dataOf(answer)
    },
    transcript: once(async () => String((await trial.upload()).id)),
    annotator: once(async () => {
      const { annotators } = fieldsOf((await ask(onA('/v1/annotators'))).json)
      const [first] = Array.isArray(annotators) ? annotators : []
      const { id } = fieldsOf(first)
      if (typeof id !== 'string') throw new NotTried('the registry lists no annotator')
      return id
    }),
    annotation: once(async () => {
      const body = annotationOf(await trial.annotator(), { transcript: conversation })
      const answer = await ask(onA('/v1/annotations', { body }))
      if (answer.status !== 200) throw new NotTried(`a valid annotation was answered with ${answer.status}`)
      return fieldsOf(answer.json)
    }),
    async legacy() {
      if (!(await hasLegacy())) throw new NotTried('the legacy routes do not exist')
    },
    hasLegacy,
    async until(find) {
      for (const end = service.now() + maxLagMs; ; ) {
        const result = await find()
        if (result !== undefined) return result
        if (service.now() + pollMs > end)
          throw new NotTried(`a list did not show a new record within ${maxLagMs / 1000} s`, { aboveMs: maxLagMs })
        await wait({ ...service, maxWaitMs: pollMs }, pollMs)
      }
    },
  }
  return trial
}

function requireCreated({ status }: Answered, what: string): void {
  if (status < 200 || status > 299) throw new NotTried(`${what} was answered with ${status}`)
}

/** Run once; every caller gets the same result or the same error. */
export function once<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => (result ??= run())
}

/** The pages of projects that are searched for that of an earlier run. */
const maxPages = 100

async function findProject({ service, projectId, onProject }: Settings, trial: Trial): Promise<string> {
  const id = projectId ?? (await earlierProject(trial))
  if (id !== undefined) {
    service.allowUploads(id)
    onProject?.({ id, isNew: false })
    return id
  }
  const answer = await service.ask(onB('/projects', { body: { name: projectName }, isOfRun: true }))
  requireCreated(answer, 'a project')
  const created = String((await trial.recordOf(answer)).id)
  service.allowUploads(created)
  onProject?.({ id: created, isNew: true })
  return created
}

/** The project of an earlier run, by its name. */
async function earlierProject({ ask }: Trial): Promise<string | undefined> {
  const seen = new Set<unknown>()
  for (let page = 1; page <= maxPages; page++) {
    const answer = await ask(onB(`/projects?limit=100&page=${page}`))
    const rows = (answer.status === 200 && rowsOf(answer)) || []
    const project = rows.find(({ name }) => name === projectName)
    if (typeof project?.id === 'string') return project.id
    const before = seen.size
    for (const { id } of rows) seen.add(id)
    if (seen.size === before) return undefined
  }
  throw new NotTried(`none of the first ${seen.size} projects is that of an earlier run: name one (--project)`)
}
