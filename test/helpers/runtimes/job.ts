import {
  type ClientEvent,
  type ClientOptions,
  createClient,
  InputError,
  isServiceError,
  ServiceError,
  SvcError,
} from '@svc/client'
import { openapi } from '@svc/client/openapi'
import { outcomeOf } from './outcome.js'

/** The servers and the key of the job; each URL is a base URL of surface A unless it says otherwise. */
export interface Urls {
  key: string
  /** The reference server, both surfaces. */
  baseUrl: string
  publicBaseUrl: string
  /** A reference server that lets one annotation through every two seconds. */
  limitedUrl: string
  /** Answers everything with a redirect. */
  movedUrl: string
  /** Takes a request and never answers. */
  stalledUrl: string
  /** Answers when a request has arrived at `stalledUrl`: with its User-Agent, or `null`. */
  arrivedUrl: string
  /** Answers when the connection of that request has ended. */
  goneUrl: string
  /** Nobody listens here. */
  closedUrl: string
}

export type Report = Awaited<ReturnType<typeof job>>

/** The main job of a client and the ways in which it ends badly, as one report that is the same in every runtime. */
export async function job(urls: Urls, options: ClientOptions = {}) {
  const { key, baseUrl, publicBaseUrl } = urls
  const svc = createClient({ apiKey: key, baseUrl, publicBaseUrl, ...options })
  const at = (url: string, more: ClientOptions = {}) => createClient({ apiKey: key, baseUrl: url, ...options, ...more })
  const health = await svc.health()

  const project = await svc.projects.create({ name: 'Jürgen’s 日本 project' })
  const said = 'Where is my order? 🚚 '.repeat(2_000)
  const turns = [
    { role: 'user', content: said },
    { role: 'assistant', content: 'On its way.' },
  ] as const
  const uploaded = await svc.transcripts.upload(project.id, {
    name: 'one',
    turns,
    metadata: { shop: 7 },
    sourceTimestamp: new Date(0),
  })
  for (const name of ['two', 'three']) await svc.transcripts.upload(project.id, { name, turns, process: false })
  const listed = await svc.transcripts.list(project.id, { limit: 2 }).withResponse()
  const all: unknown[] = []
  for await (const row of svc.transcripts.all(project.id, { limit: 2 })) all.push(row.name)
  const found: unknown[] = []
  for await (const row of svc.transcripts.all(project.id, { date_to: new Date(1) })) found.push(row.name)
  const read = await svc.transcripts.get(uploaded.id)
  const annotation = await svc.annotations.create({ transcript: turns, annotator: 'structural' })
  const wired = await openapi(svc).workspace.GET('/projects/{projectId}', {
    params: { path: { projectId: project.id } },
  })

  const unknown = await outcomeOf(svc.transcripts.get('tr_unknown'))
  return {
    health,
    project: [project.name, project.transcript_count],
    uploaded: [uploaded.id, uploaded.processing_status, uploaded.metadata, uploaded.source_timestamp],
    listed: [listed.data.data.length, listed.data.pagination, listed.response.status, listed.attempts.length],
    responseIsReal: listed.response instanceof Response && (await listed.response.json()).data.length === 2,
    all,
    found,
    read: read.turns?.[0]?.content === said,
    annotation: [annotation.outcome, Object.keys(annotation.signals), annotation.annotator],
    wired: wired.data?.data.name === project.name,
    unknown: unknown.reported,
    unknownIsDeclared: isServiceError(unknown.error, 'transcripts.get') && unknown.error.status,
    classes: [ServiceError, SvcError, InputError, Error].map((known) => unknown.error instanceof known),
    showsKey: JSON.stringify(unknown.error).includes(key) || String(unknown.error).includes(key),
    notImplemented: (await outcomeOf(svc.batches.create({}))).reported,
    badInput: (await outcomeOf(svc.transcripts.get('..'))).reported,
    badKey: (await outcomeOf(svc.projects.list({}, { headers: { authorization: 'Bearer no' } }))).reported,
    limited: await limited((more) => at(urls.limitedUrl, more)),
    moved: (await outcomeOf(at(urls.movedUrl).annotators.list())).reported,
    timedOut: (await outcomeOf(at(`${urls.stalledUrl}/briefly`).health({ timeoutMs: 100, retry: false }))).reported,
    closed: (await outcomeOf(at(urls.closedUrl).health({ retry: false }))).reported,
    aborted: await aborted(urls, (more) => at(urls.stalledUrl, more)),
  }
}

type Client = (more: ClientOptions) => ReturnType<typeof createClient>

/** After a 429 the client waits; without retry it reports it. */
async function limited(client: Client) {
  const waits: Extract<ClientEvent, { type: 'wait' }>[] = []
  const svc = client({ onEvent: (event) => event.type === 'wait' && waits.push(event) })
  const request = { transcript: [], annotator: 'structural' }
  await svc.annotations.create(request)
  const { attempts } = await svc.annotations.create(request).withResponse()
  const refused = await outcomeOf(client({}).annotations.create(request, { retry: false }))
  const { error } = refused
  return {
    statuses: attempts.map(({ status }) => status),
    waits: waits.map(({ because, ms }) => [because, ms >= 1_000]),
    refused: refused.reported,
    retryAt: error instanceof ServiceError && error.retryAt instanceof Date && (error.retryAfterMs ?? 0) >= 1_000,
  }
}

/** An abort ends the call with its own reason, and the connection with it. */
async function aborted(urls: Urls, client: Client) {
  const events: string[] = []
  const stop = new AbortController()
  const reason = new Error('enough')
  const svc = client({ onEvent: ({ type }) => events.push(type) })
  const running = outcomeOf(svc.health({ signal: stop.signal }))
  const userAgent: string | null = await (await fetch(urls.arrivedUrl)).json()
  stop.abort(reason)
  const { error } = await running
  const gone: boolean = await (await fetch(urls.goneUrl)).json()
  return { reason: error === reason, events, gone, userAgent }
}
