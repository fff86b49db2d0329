import { withoutTrailingSlash } from '../bases.js'
import type { Clock } from '../clock.js'
import { monotonicOf, sleep } from '../clock.js'
import type { Surface } from '../types.js'
import { isProjectId } from '../world/index.js'

/** Anything with the signature of `fetch`, called as `fetch(url, init)`. */
export type ContractFetch = (url: string, init: ContractInit) => Promise<Response>

/** The second argument of `fetch`, as plain values. */
export interface ContractInit {
  /** HTTP method. */
  method: string
  /** Names are in lower case. */
  headers: Record<string, string>
  /** JSON or bytes; null without a body. */
  body: string | Uint8Array<ArrayBuffer> | null
  /** Redirects are not followed, because the key belongs to the base URL. */
  redirect: 'manual'
  /** Aborts when the run ends early. */
  signal: AbortSignal
}

/** Keys of every kind. A rule or question whose key is missing is not tried. */
export interface ContractKeys {
  /** For the annotation surface. */
  annotation: string
  /** For the workspace surface, with full access. */
  workspace: string
  /** Same workspace, `projects-read` alone. */
  reader: string
  /** Same workspace, `projects-write` alone. */
  writer: string
  /** Same workspace, a legacy key with `halfpipe-transcripts-write` alone. */
  legacy: string
  /** Full access to another workspace. */
  foreign: string
  /** A key of any workspace that was revoked. */
  revoked: string
}

export type KeyName = keyof ContractKeys

/** A request of a rule or question. It is written in bytes, not with a client: the contract reads the interface by itself. */
export interface Ask {
  surface: Surface
  /** Default: POST with a body, else GET. */
  method?: string
  /** Below the base URL of the surface, with the query; sent unchanged. */
  path: string
  /** The text after `Bearer `; null sends no Authorization. Default: the key of the surface. */
  key?: string | null
  /** A string or bytes are sent unchanged, anything else as JSON. */
  body?: unknown
  /** Besides or in place of Authorization and Content-Type; null omits one. Names are in lower case. */
  headers?: Readonly<Record<string, string | null>>
  /** True for the one project that the run works in: it may be created without `createProjects`. */
  isOfRun?: true
}

/** An answer. Names of headers are in lower case. */
export interface Answered {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
  /** The parsed text; undefined if it is not JSON. */
  json: unknown
}

/** A request and its answer, with masked keys and the first part of each body. */
export interface Exchange {
  /** The surface that was asked. */
  surface: Surface
  /** HTTP method. */
  method: string
  /** Below the base URL of the surface, with the query. */
  path: string
  /** Names are in lower case. */
  headers: Readonly<Record<string, string>>
  /** The first part of the body that was sent. */
  body?: string
  /** Missing if no answer arrived. */
  answer?: Omit<Answered, 'json'>
}

/** Thrown if a rule or question cannot be tried. The message says why, and ends without a full stop. */
export class NotTried extends Error {
  override readonly name = 'NotTried'
  readonly details: NotTriedDetails

  constructor(message: string, details: NotTriedDetails = {}) {
    super(message)
    this.details = details
  }
}

interface NotTriedDetails {
  /** A lag is shorter than this, in milliseconds. */
  belowMs?: number
  /** A lag is longer than this, in milliseconds. */
  aboveMs?: number
  /** True if something else than the service seems to have answered. */
  isForeign?: true
}

/** What requests may do at the service. */
export interface Permit {
  createProjects: boolean
  annotations: boolean
  sizes: boolean
  /** The surface that may be asked. Default: both. */
  only?: Surface | undefined
}

export interface Connection {
  fetch: ContractFetch
  bases: Readonly<Partial<Record<Surface, string>>>
  keys: Readonly<Partial<ContractKeys>>
  permit: Permit
  clock: Clock
  signal: AbortSignal
  /** The longest `Retry-After` to wait for, in milliseconds. */
  maxWaitMs: number
  /** What may be created. Default: no limit. */
  most?: Created | undefined
}

/** The number of records that the run has created, as far as the service said so. */
export interface Created {
  /** New projects. */
  projects: number
  /** Uploads. */
  transcripts: number
  /** Annotations, and uploads that are analyzed: both may be billed. */
  annotations: number
}

export interface Service {
  /** Send a request. Throws `NotTried` if it may not be sent, or if no complete answer of the service arrives. */
  ask(request: Ask): Promise<Answered>
  /** The key with a name. Throws `NotTried` if it is missing. */
  key(name: KeyName): string
  /** All exchanges so far. */
  readonly exchanges: readonly Exchange[]
  readonly requests: number
  readonly created: Created
  /** Allow uploads into a project: without it, requests that could store a transcript there are not sent. */
  allowUploads(projectId: string): void
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly permit: Permit
  now(): number
}

/** Ids of the right form that no record has. */
export const unknownProject = 'hp-00000000-0000-4000-8000-000000000000'
export const unknownTranscript = 'tr_00000000-0000-4000-8000-000000000000'

/** Connect to a service. Every request of a run passes the one `ask` of this value. */
export function connectTo(connection: Connection): Service {
  const { bases, keys, permit, clock, signal, most } = connection
  const exchanges: Exchange[] = []
  const ownProjects = new Set<string>()
  const created: Created = { projects: 0, transcripts: 0, annotations: 0 }
  /** What was created, and what requests without a known outcome may have created. */
  const reserved: Created = { ...created }
  let requests = 0
  /** By surface: true once it has answered with an error that is no HTML page. */
  const showsErrors = new Set<Surface>()
  const key = (name: KeyName): string => {
    const value = keys[name]
    if (value === undefined) throw new NotTried(neededKeys[name])
    return value
  }
  const service: Service = {
    key,
    exchanges,
    created,
    clock,
    signal,
    permit,
    allowUploads: (id) => void ownProjects.add(id),
    now: () => monotonicOf(clock),
    get requests() {
      return requests
    },
    async ask(request) {
      const { surface } = request
      if (permit.only !== undefined && permit.only !== surface)
        throw new NotTried(`only the ${permit.only} surface is tried`)
      const sent = outgoing(request, bases, () => key(surface === 'annotation' ? 'annotation' : 'workspace'))
      const effects = effectsOf(request, sent.method, ownProjects)
      refuseForbidden(request, { effects, bytes: sent.body?.length ?? 0 }, permit)
      if (most && effects.some((effect) => reserved[effect] >= most[effect]))
        throw new NotTried('it would create more than was announced')
      for (const effect of effects) reserved[effect]++
      const exchange = exchangeOf(request, sent, keys)
      exchanges.push(exchange)
      for (let attempt = 0; ; attempt++) {
        requests++
        const answer = await send(connection, sent)
        const { status, headers } = masked(answer, keys)
        exchange.answer = { status, headers, text: shown(ownText(request, answer, ownProjects), keys) }
        if (answer.status === 429 && attempt < maxWaits) {
          await wait(connection, retryAfterMs(answer, attempt, clock))
          continue
        }
        if (answer.status >= 400) for (const effect of effects) reserved[effect]--
        refuseIncomplete(answer, sent.method, showsErrors.has(surface))
        if (answer.status >= 400 && !isPage(answer)) showsErrors.add(surface)
        if (answer.status < 300) for (const effect of effects) created[effect]++
        return answer
      }
    },
  }
  return service
}

/** How often one request waits for the end of a 429. */
const maxWaits = 4

const neededKeys: Readonly<Record<KeyName, string>> = {
  annotation: 'it needs a key for the annotation surface',
  workspace: 'it needs a key for the workspace surface',
  reader: 'it needs a key with projects-read alone',
  writer: 'it needs a key with projects-write alone',
  legacy: 'it needs a legacy key with halfpipe-transcripts-write alone',
  foreign: 'it needs a key of another workspace',
  revoked: 'it needs a revoked key',
}

interface Outgoing {
  method: string
  url: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | undefined
}

function outgoing(
  { surface, path, key, headers = {}, body, method }: Ask,
  bases: Connection['bases'],
  ownKey: () => string,
): Outgoing {
  const base = bases[surface]
  if (base === undefined) throw new NotTried(`it needs the base URL of the ${surface} surface`)
  const content =
    body === undefined || typeof body === 'string'
      ? body
      : body instanceof Uint8Array
        ? new Uint8Array(body)
        : JSON.stringify(body)
  const credential = key === undefined && headers.authorization === undefined ? ownKey() : key
  const all: Record<string, string> = {
    ...(credential != null && { authorization: `Bearer ${credential}` }),
    ...(content !== undefined && { 'content-type': 'application/json' }),
  }
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) delete all[name]
    else all[name] = value
  }
  // A path holds ids that the service gave: one that leads elsewhere would pass what is judged by the path.
  if (new URL(path, 'http://host').href !== `http://host${path}`)
    throw new NotTried('the service gave an id that a path cannot hold')
  const url = withoutTrailingSlash(base) + path
  return { method: method ?? (content === undefined ? 'GET' : 'POST'), url, headers: all, body: content }
}

/** What a request may create, judged without regard to whether it is valid: a service may accept what it should refuse. */
function effectsOf({ surface, path, body }: Ask, method: string, ownProjects: ReadonlySet<string>): (keyof Created)[] {
  if (method !== 'POST') return []
  const [route = ''] = path.split('?')
  if (surface === 'annotation') return route === '/v1/annotations' ? ['annotations'] : []
  if (route === '/projects' || route === '/halfpipe/sessions') return ['projects']
  if (!/^\/(projects\/[^/]+|halfpipe)\/transcripts$/.test(route)) return []
  const id = route.startsWith('/halfpipe/') ? namedProject(body) : route.split('/')[2]
  if (id === undefined || !isProjectId(id) || id === unknownProject) return []
  if (!ownProjects.has(id)) throw new NotTried('it would write to a project that the run did not create')
  return isAnalysed(body) ? ['transcripts', 'annotations'] : ['transcripts']
}

/** True if the service may submit an annotation job for an upload. Bodies of bytes are those of uploads without one. */
const isAnalysed = (body: unknown): boolean =>
  typeof body === 'string'
    ? !body.includes('"process":false')
    : !(body instanceof Uint8Array) && (body as { process?: unknown } | null)?.process !== false

/** The largest body that is sent without `sizes`. */
const maxBytes = 256 * 1024

function refuseForbidden(
  { isOfRun }: Ask,
  { effects, bytes }: { effects: readonly (keyof Created)[]; bytes: number },
  permit: Permit,
): void {
  if (effects.includes('projects') && !permit.createProjects && !isOfRun)
    throw new NotTried('it may create a project (--create-projects)')
  if (effects.includes('annotations') && !permit.annotations) throw new NotTried('it may be billed as an annotation')
  if (bytes > maxBytes && !permit.sizes) throw new NotTried('it sends a large body (--sizes)')
}

function namedProject(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { projectId, sessionId } = body as { projectId?: unknown; sessionId?: unknown }
  const id = projectId ?? sessionId
  return typeof id === 'string' ? id : undefined
}

async function send({ fetch, signal }: Connection, { method, url, headers, body }: Outgoing): Promise<Answered> {
  signal.throwIfAborted()
  try {
    const response = await fetch(url, { method, headers, body: body ?? null, redirect: 'manual', signal })
    const text = method === 'HEAD' ? '' : await response.text()
    return { status: response.status, headers: Object.fromEntries(response.headers), text, json: parsed(text) }
  } catch (error) {
    signal.throwIfAborted()
    throw new NotTried(`no complete answer arrived (${reasonOf(error)})`)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = (error.cause as { code?: unknown } | undefined)?.code ?? (error as { code?: unknown }).code
  return typeof code === 'string' ? code : error.message
}

/** Statuses of gateways, proxies and load balancers. */
const ofGateways = new Set([407, 408, 421, 425, 444, 460, 463, 494, 495, 496, 497, 498, 499])

const isPage = ({ headers }: Pick<Answered, 'headers'>): boolean => /\bhtml\b/i.test(headers['content-type'] ?? '')

/** An answer that is not the service's own, or not whole, shows nothing about the interface. */
function refuseIncomplete(answer: Answered, method: string, hasOtherErrors: boolean): void {
  const { status, headers, text, json } = answer
  if (status === 429) throw new NotTried('the service answered 429 again and again')
  if (status >= 500 && status !== 501) throw new NotTried(`the service answered ${status}`)
  if (status === 0 || (status >= 300 && status < 400))
    throw new NotTried('the service answered a redirect', { isForeign: true })
  if (ofGateways.has(status)) throw new NotTried(`the service answered ${status}, as gateways do`)
  // Only these may be empty: the record of a new one is where its answer says.
  const mayBeEmpty = method === 'HEAD' || status === 204 || (status === 201 && headers.location !== undefined)
  const isJson = /\bjson\b/i.test(headers['content-type'] ?? '')
  const isCut = text === '' ? !mayBeEmpty && (isJson || status < 300) : json === undefined && isJson
  if (isCut) throw new NotTried('the answer was cut')
  if (isPage(answer) && (status < 300 || hasOtherErrors))
    throw new NotTried('the answer is an HTML page', { isForeign: true })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Wait by the clock; used for `Retry-After` and between polls, and for nothing else. */
export async function wait(
  { clock, signal, maxWaitMs }: Pick<Connection, 'clock' | 'signal' | 'maxWaitMs'>,
  ms: number,
): Promise<void> {
  if (ms > maxWaitMs) throw new NotTried(`the service asks to wait ${Math.ceil(ms / 1000)} s`)
  await sleep(clock, ms, signal)
  signal.throwIfAborted()
}

function retryAfterMs({ headers }: Answered, attempt: number, clock: Clock): number {
  const header = headers['retry-after']
  if (header === undefined) return 1000 * 2 ** attempt
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.now() : seconds * 1000
  return Math.max(Number.isNaN(ms) ? 0 : ms, 500)
}

/** The longest part of a body that an exchange keeps. */
const keptCharacters = 2000

/** The first part of a body, without keys. */
function shown(text: string, keys: Connection['keys']): string {
  const longest = Math.max(0, ...Object.values(keys).map((key = '') => key.length))
  const part = hide(text.slice(0, keptCharacters + longest), keys)
  if (text.length <= keptCharacters) return part
  // A key that was cut at the end of the part is not known for one.
  return `${part.slice(0, Math.min(keptCharacters, part.length - longest))}… (${text.length} characters)`
}

function exchangeOf({ surface, path }: Ask, { method, headers, body }: Outgoing, keys: Connection['keys']): Exchange {
  const text = body instanceof Uint8Array ? `(${body.byteLength} bytes)` : body
  return {
    surface,
    method,
    path: hide(path, keys),
    headers: masked({ headers }, keys).headers,
    ...(text !== undefined && { body: shown(text, keys) }),
  }
}

const masked = <Part extends { headers: Readonly<Record<string, string>> }>(
  part: Part,
  keys: Connection['keys'],
): Part => ({
  ...part,
  headers: Object.fromEntries(
    Object.entries(part.headers).map(([name, value]) => [
      name,
      // A variation of a key is as secret as the key.
      name === 'authorization' ? `${value.includes(' ') ? value.split(' ', 1) : ''} …`.trim() : hide(value, keys),
    ]),
  ),
})

/** The text of an answer; of a list that may hold projects of others, the rows of this run alone. */
function ownText({ path, body }: Ask, { status, text, json }: Answered, ownProjects: ReadonlySet<string>): string {
  const isList = body === undefined && status < 300 && /^\/projects\/?(\?|$)/.test(path)
  if (!isList || typeof json !== 'object' || json === null) return text
  const { data, ...others } = json as Record<string, unknown>
  // The answer to a write has the one project that it created.
  if (!Array.isArray(data)) return ownProjects.has(String(Object(data).id)) ? text : '(projects of others may be in it)'
  const rows = data.map((row) => (ownProjects.has(String(Object(row).id)) ? row : 'another project'))
  return JSON.stringify({ data: rows, ...others })
}

/** The characters of a key from which a part of it counts as the key. */
const leastOfKey = 12

/** A text with every key replaced by its name, also one without its last characters, and one that is escaped. */
export function hide(text: string, keys: Readonly<Partial<ContractKeys>>): string {
  return Object.entries(keys)
    .filter(([, key]) => key !== undefined && key !== '')
    .reduce((rest, [name, key = '']) => {
      const forms = [key, ...[4, 3, 2, 1].map((less) => key.slice(0, -less))].filter(
        (form) => form === key || form.length >= leastOfKey,
      )
      return forms
        .sort((a, b) => b.length - a.length)
        .reduce((all, form) => all.replaceAll(form, `‹${name} key›`), rest)
    }, text)
}
