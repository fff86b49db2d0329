import { type Ambiguities, ambiguityNames, type SeenReading, savedSchema } from '../ambiguities/index.js'
import { type Clock, steeredClock, systemClock } from '../clock.js'
import { createServer } from '../server.js'
import type { Surface } from '../types.js'
import type { NewKey } from '../world/index.js'
import type { ContractResult, RuleResult } from './contract-result.js'
import {
  accessQuestions,
  answerQuestions,
  createSurvey,
  listQuestions,
  type Question,
  recordQuestions,
  type Survey,
} from './questions/index.js'
import { rules } from './rules/index.js'
import {
  type Connection,
  type ContractFetch,
  type ContractKeys,
  type Created,
  connectTo,
  hide,
  NotTried,
  type Service,
  unknownProject,
} from './service.js'
import { createTrial, Different, fieldsOf, onA, onB, projectName, rowsOf, type Trial } from './trial.js'

/** The options of `contract`. */
export interface ContractOptions {
  /** Any function with the signature of `fetch`, called as `fetch(url, init)`. */
  fetch: ContractFetch
  /** Base URL of the annotation surface. Without it, only the workspace surface is tried. */
  baseUrl?: string | undefined
  /** Base URL of the workspace surface, with its path prefix. Without it, only the annotation surface is tried. */
  publicBaseUrl?: string | undefined
  /** A key with full access to both surfaces. */
  key?: string | undefined
  /** Keys of other kinds, or one for each surface. A rule that needs a missing one is not tried. */
  keys?: Readonly<Partial<ContractKeys>> | undefined
  /** The one surface to try. Default: both. */
  only?: Surface | undefined
  /** False: send no request that may be billed as an annotation or analysis. Default true. */
  annotations?: boolean | undefined
  /** True: also try rules that create a project each. Default false: the run uses one project, which every run uses again. */
  createProjects?: boolean | undefined
  /** True: also try the sizes that the interface names, up to 5 MB. Default false. */
  sizes?: boolean | undefined
  /** What may be created: a request that could create more is not sent. Default: no limit. */
  most?: Created | undefined
  /** The project to use. Default: the one with the name `svc contract`, which is created if it is missing. */
  project?: string | undefined
  /** Milliseconds between two polls of a list. Default 1000. */
  pollMs?: number | undefined
  /** The longest time to poll for one record, in milliseconds. Default 60 000. */
  maxLagMs?: number | undefined
  /** The longest `Retry-After` to wait for, in milliseconds. Default 90 000. */
  maxWaitMs?: number | undefined
  /** The source of time, to measure lags and to wait. Default: the system clock. */
  clock?: Clock | undefined
  /** Stops the run. */
  signal?: AbortSignal | undefined
  /** A text that no record at the service has. Default: random. */
  runId?: string | undefined
  /** Called once the project of the run is known. A list that lags may not show a new one to the next run: give its id then. */
  onProject?: ((project: { id: string; isNew: boolean }) => void) | undefined
  /** Called before each question and rule, with its name and how many there are. */
  onStep?: ((step: { name: string; number: number; of: number }) => void) | undefined
}

/** `not_the_service`: the answers are not those of the interface, as with a wrong base URL. */
export type ContractErrorCode = 'input' | 'authentication' | 'permission' | 'not_the_service' | 'unavailable'

/** A run that cannot begin: the first requests showed it, and nothing was created. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  /** The reason, for programs. */
  readonly code: ContractErrorCode
  /** The next step. */
  readonly hint: string

  constructor(code: ContractErrorCode, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/**
 * Try the rules of the interface on a service, and see how it reads what the interface leaves open.
 *
 * Everything is created in one project, which every run uses again; the interface has no deletion.
 *
 * @throws {ContractError} if a base URL or key cannot be used; then nothing was created
 */
export async function contract(options: ContractOptions): Promise<ContractResult> {
  const connection = connectionOf(options)
  const service = connectTo(connection)
  await checkAccess(service, connection, options.project)
  return run(service, connection, options)
}

/**
 * The most that a run with these options creates; give it as `most`. A service that accepts what it should refuse then has fewer
 * rules tried. Nothing is sent.
 */
export async function planContract(options: Omit<ContractOptions, 'fetch'>): Promise<Created> {
  const runs = [await created(options), await created(options, generous)]
  const mostOf = (name: keyof Created) => Math.max(...runs.map((run) => run[name]))
  return { projects: mostOf('projects'), transcripts: mostOf('transcripts'), annotations: mostOf('annotations') }
}

/** A service that needs more records to be seen. */
const generous: Partial<Ambiguities> = { compressedBodies: true, total: 'low' }

/** What a run creates at a mock. */
async function created(options: Omit<ContractOptions, 'fetch'>, ambiguities?: Partial<Ambiguities>): Promise<Created> {
  const { baseUrl, publicBaseUrl, project, ...others } = options
  const { keys } = connectionOf({ ...options, fetch: () => Promise.reject() })
  const clock = steeredClock()
  clock.stop()
  const server = createServer({
    clock,
    journalSize: 0,
    seed: seedOf(keys),
    ...(ambiguities && { ambiguities }),
    onError() {},
  })
  if (keys.revoked) server.world.revoke(keys.revoked)
  const result = await contract({
    ...others,
    ...(baseUrl !== undefined && { baseUrl: server.baseUrl }),
    ...(publicBaseUrl !== undefined && { publicBaseUrl: server.publicBaseUrl }),
    ...(project !== undefined && { project: server.world.createProject({ name: projectName }).record.id }),
    fetch: server.fetch,
    clock,
    onStep: () => clock.advance(1),
  })
  return result.created
}

/** Each key once, though it may be given as one of several kinds. */
function seedOf({ reader, writer, legacy, foreign, ...full }: Connection['keys']) {
  const others = [
    { key: reader, permissions: ['projects-read' as const] },
    { key: writer, permissions: ['projects-write' as const] },
    { key: legacy, permissions: ['halfpipe-transcripts-write' as const] },
    { key: foreign, workspace: 'other' },
  ]
  const keys = new Map<string, NewKey & { key: string }>()
  for (const { key, ...record } of [...Object.values(full).map((key) => ({ key })), ...others])
    if (key && !keys.has(key)) keys.set(key, { key, ...record })
  return { workspaces: ['reference', 'other'], keys: [...keys.values()] }
}

function connectionOf(options: ContractOptions): Connection {
  const { fetch, baseUrl, publicBaseUrl, key, keys = {}, clock = systemClock, signal, maxWaitMs = 90_000 } = options
  const only =
    options.only ?? (baseUrl === undefined ? 'workspace' : publicBaseUrl === undefined ? 'annotation' : undefined)
  if (baseUrl === undefined && publicBaseUrl === undefined)
    throw new ContractError('input', 'There is no base URL.', 'give baseUrl, publicBaseUrl, or both')
  for (const [name, url] of Object.entries({ baseUrl, publicBaseUrl })) {
    if (url === undefined) continue
    if (!(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
      throw new ContractError('input', `${name}: expected an http or https URL.`, 'give the whole URL, with https://')
    const { username, password } = new URL(url)
    if (username !== '' || password !== '')
      throw new ContractError('input', `${name}: expected a URL without a user and password.`, 'remove both')
  }
  const missing =
    only === 'annotation' ? baseUrl === undefined && 'baseUrl' : publicBaseUrl === undefined && 'publicBaseUrl'
  if (only !== undefined && missing)
    throw new ContractError(
      'input',
      `There is no ${missing}, and only the ${only} surface is to be tried.`,
      `give ${missing}`,
    )
  for (const [name, value] of Object.entries({ key, ...keys }))
    if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
      throw new ContractError(
        'input',
        `The key "${name}" has characters that no key has.`,
        'give the key without blanks and line breaks',
      )
  return {
    fetch,
    bases: {
      ...(baseUrl !== undefined && { annotation: baseUrl }),
      ...(publicBaseUrl !== undefined && { workspace: publicBaseUrl }),
    },
    keys: { ...(key !== undefined && { annotation: key, workspace: key }), ...keys },
    permit: {
      createProjects: options.createProjects === true,
      annotations: options.annotations !== false,
      sizes: options.sizes === true,
      only,
    },
    clock,
    signal: signal ?? new AbortController().signal,
    maxWaitMs,
    most: options.most,
  }
}

const onlyOther: Readonly<Record<Surface, string>> = { annotation: '--only workspace', workspace: '--only annotation' }

/** One read of each surface, and one upload that no service can store. */
async function checkAccess(service: Service, { permit, keys }: Connection, project: string | undefined): Promise<void> {
  const surfaces = (['annotation', 'workspace'] as const).filter((surface) => (permit.only ?? surface) === surface)
  for (const surface of surfaces) {
    if (keys[surface] === undefined)
      throw new ContractError(
        'authentication',
        `There is no key for the ${surface} surface.`,
        `give one, or use ${onlyOther[surface]}`,
      )
    const request = surface === 'annotation' ? onA('/v1/annotators') : onB('/projects?limit=1')
    const answer = await first(service, request)
    const { status } = answer
    const where = `${request.surface} surface: GET ${request.path}`
    if (status === 401)
      throw new ContractError(
        'authentication',
        `${where} refuses the key (401).`,
        `check the key, or use ${onlyOther[surface]}`,
      )
    if (status === 403)
      throw new ContractError(
        'permission',
        `${where} refuses the key (403).`,
        'use a key that is not revoked, and may read and write projects',
      )
    const isShown =
      surface === 'annotation' ? Array.isArray(fieldsOf(answer.json).annotators) : rowsOf(answer) !== undefined
    if (status !== 200 || !isShown)
      throw new ContractError(
        'not_the_service',
        `${where} is not answered as the interface says (${status}).`,
        surface === 'annotation'
          ? 'check the base URL'
          : 'the base URL of the workspace surface usually ends in /public/api/v1',
      )
  }
  // The registry may be public, or take any key.
  if (surfaces.includes('annotation')) {
    const { status } = await first(service, onA('/v1/batches/svc-contract'))
    if (status === 401 || status === 403)
      throw new ContractError(
        status === 401 ? 'authentication' : 'permission',
        `annotation surface: GET /v1/batches refuses the key (${status}).`,
        `use a key for this surface, or ${onlyOther.annotation}`,
      )
  }
  if (!surfaces.includes('workspace')) return
  const { status } = await first(service, onB(`/projects/${unknownProject}/transcripts`, { body: {} }))
  if (status === 403)
    throw new ContractError(
      'permission',
      'The key may not write projects (403).',
      'use a key with projects-write, or --only annotation',
    )
  if (project === undefined) return
  const { status: projectStatus } = await first(service, onB(`/projects/${project}`))
  if (projectStatus === 404)
    throw new ContractError(
      'input',
      `There is no project ${project} (404).`,
      'give the id of a project of this workspace',
    )
}

/** A request before anything is created. */
const first = (service: Service, request: Parameters<Service['ask']>[0]) =>
  service.ask(request).catch((error) => {
    if (!(error instanceof NotTried)) throw error
    const isPage = error.details.isForeign === true
    throw new ContractError(
      isPage ? 'not_the_service' : 'unavailable',
      `${request.surface} surface: ${request.method ?? 'GET'} ${request.path}: ${error.message}.`,
      isPage ? 'check the base URL' : 'check the base URL, and whether the service is up; or try again later',
    )
  })

type AnyQuestion = readonly [name: keyof Ambiguities, ask: Question<keyof Ambiguities>]

const entriesOf = (questions: object) => Object.entries(questions) as unknown as AnyQuestion[]

/** Those about the list come first: rules and records add to it. */
const firstQuestions = [...entriesOf(listQuestions), ...entriesOf(recordQuestions), ...entriesOf(accessQuestions)]
const lastQuestions = entriesOf(answerQuestions)

/** The ambiguities that a run may see. */
export const seenAmbiguities: readonly (keyof Ambiguities)[] = [...firstQuestions, ...lastQuestions].map(
  ([name]) => name,
)

async function run(service: Service, connection: Connection, options: ContractOptions): Promise<ContractResult> {
  const { clock, signal } = connection
  const {
    pollMs = 1000,
    maxLagMs = 60_000,
    runId = crypto.randomUUID().replaceAll('-', '').slice(0, 12),
    project,
    onStep,
    onProject,
  } = options
  const at = new Date(clock.now()).toISOString()
  const trial = createTrial({
    service,
    runId,
    pollMs,
    maxLagMs,
    onProject,
    ...(project !== undefined && { projectId: project }),
  })
  const survey = createSurvey(trial)
  const of = firstQuestions.length + rules.length + lastQuestions.length
  let number = 0
  const step = (name: string) => {
    signal.throwIfAborted()
    onStep?.({ name, number: ++number, of })
  }
  const seen = new Map<string, SeenReading>()
  const ask = async (questions: readonly AnyQuestion[]) => {
    for (const [name, question] of questions) {
      step(name)
      seen.set(name, await readingOf(question, survey, connection.keys))
    }
  }
  await ask(firstQuestions)
  const results: RuleResult[] = []
  for (const rule of rules) {
    step(rule.name)
    results.push(await resultOf(rule, trial, connection.keys))
  }
  await ask(lastQuestions)
  return {
    schema: savedSchema,
    at,
    base_url: shownUrl(options.baseUrl),
    public_base_url: shownUrl(options.publicBaseUrl),
    project: await trial.project().catch(() => null),
    requests: service.requests,
    created: { ...service.created },
    poll_ms: pollMs,
    ambiguities: Object.fromEntries(ambiguityNames.flatMap((name) => (seen.has(name) ? [[name, seen.get(name)]] : []))),
    rules: results,
  }
}

async function readingOf(question: AnyQuestion[1], survey: Survey, keys: Connection['keys']): Promise<SeenReading> {
  try {
    return { reading: await question(survey) }
  } catch (error) {
    if (!(error instanceof NotTried)) throw error
    const { belowMs, aboveMs } = error.details
    return {
      notSeen: hide(error.message, keys),
      ...(belowMs !== undefined && { belowMs }),
      ...(aboveMs !== undefined && { aboveMs }),
    }
  }
}

async function resultOf(
  rule: { name: string; source: string; run(trial: Trial): Promise<unknown> },
  trial: Trial,
  keys: Connection['keys'],
): Promise<RuleResult> {
  const { name, source } = rule
  const { service } = trial.settings
  const before = service.exchanges.length
  try {
    await rule.run(trial)
    return { name, source, result: 'as described' }
  } catch (error) {
    if (error instanceof NotTried) return { name, source, result: 'not tried', reason: hide(error.message, keys) }
    if (!(error instanceof Different)) throw error
    const exchanges = service.exchanges.slice(before).slice(-maxShown)
    return { name, source, result: 'different', reason: hide(error.message, keys), exchanges }
  }
}

/** The last exchanges of a rule that are kept: the one that differs is among them. */
const maxShown = 3

/** A URL without user, password, query and fragment, which may be secret. */
function shownUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  const { origin, pathname } = new URL(text)
  return origin + pathname.replace(/\/$/, '')
}
