import {
  type ClientEvent,
  type ClientOptions,
  type checkAnnotation,
  type checkUpload,
  createClient,
  everyItem,
  type limits,
  type Open,
  type Outcome,
  type Page,
  type PageBody,
  type Project,
  type roles,
  type SvcClient,
  type TranscriptUpload,
  type Unlisted,
} from '@svc/client'
import { same } from './same.mjs'

const told = (event: ClientEvent): string | number => {
  switch (event.type) {
    case 'request':
      return event.attempt
    case 'response':
      same<typeof event.requestId, string | undefined>(true)
      return event.status
    case 'failure':
      same<typeof event.sent, 'no' | 'maybe'>(true)
      return event.cause
    case 'wait':
      same<typeof event.because, 'rate_limited' | 'back_off' | 'reconciling'>(true)
      return event.ms
    case 'aborted':
      return event.sent
    case 'warning':
      return event.message
    default:
      same<typeof event, never>(true)
      return event
  }
}

const options: ClientOptions = {
  apiKey: async () => 'key',
  annotationApiKey: 'key',
  workspaceApiKey: undefined,
  baseUrl: 'https://svc.test',
  publicBaseUrl: 'https://svc.test/public/api/v1',
  fetch: async (url, init) => new Response(`${init.method} ${url}`),
  timeoutMs: 1_000,
  deadlineMs: 10_000,
  retry: { attempts: 2 },
  headers: { 'x-kept': undefined, 'x-removed': null, 'x-sent': 'yes' },
  onEvent: (event) => told(event),
  logger: console,
}

const upload: TranscriptUpload = {
  name: 'A conversation',
  turns: [{ role: 'user', content: 'Hello', createdAt: new Date(), toolCalls: [{ name: 'look', args: { at: 1 } }] }],
  sourceTimestamp: new Date(),
  language: undefined,
  metadata: { from: 'test' },
}

export async function annotate(svc: SvcClient, signal: AbortSignal) {
  const health = await svc.health({ signal, retry: false })
  same<typeof health.status, string>(true)
  // @ts-expect-error no such field
  health.nothing

  const annotators = await svc.annotators.list()
  type Info = { id: string; annotator_version: string; taxonomy_version: string; description: string }
  same<typeof annotators, Info[]>(true)

  const annotation = await svc.annotations.create({ transcript: [{ role: 'user', content: 'Hi' }], annotator: 'a' })
  same<typeof annotation.usage.latency_ms, number>(true)
  same<(typeof annotation.summary)['keywords'], string[]>(true)
  const hit = annotation.signals.tool_error
  if (hit) same<typeof hit.turn, number | null | undefined>(true)
  same<typeof annotation.outcome, Open<Outcome>>(true)
  const unlisted: Unlisted | 'strong' | 'mixed' | 'poor' | 'critical' | 'indeterminate' = annotation.outcome
  // @ts-expect-error an outcome that the interface lists has no case here
  const incomplete: Unlisted | 'strong' | 'mixed' | 'poor' | 'critical' = annotation.outcome
  // @ts-expect-error an annotation needs an annotator
  await svc.annotations.create({ transcript: [] })
  // @ts-expect-error a message needs a content
  await svc.annotations.create({ transcript: [{ role: 'user' }], annotator: 'a' })

  same<Awaited<ReturnType<typeof svc.batches.create>>, unknown>(true)
  same<Awaited<ReturnType<typeof svc.batches.get>>, unknown>(true)
  return [annotation.outcome, unlisted, incomplete]
}

export async function work(svc: SvcClient) {
  const project = await svc.projects.create({ name: 'P', domain: 'ai_coding' })
  same<typeof project.latest_transcript_at, string | null>(true)
  // @ts-expect-error no such domain
  await svc.projects.create({ name: 'P', domain: 'cooking' })

  const page = await svc.projects.list({ page: 1, limit: undefined })
  same<typeof page.pagination, { page: number; limit: number; total: number }>(true)
  same<typeof page, Page<Project>>(true)
  same<Awaited<ReturnType<typeof page.nextPage>>, Page<Project>>(true)
  for await (const each of svc.projects.list()) same<typeof each, Project>(true)
  // @ts-expect-error a page is a plain value
  for await (const each of page) same<typeof each, Project>(true)
  same<Awaited<ReturnType<ReturnType<typeof svc.projects.all>['toArray']>>, Project[]>(true)
  for await (const each of svc.projects.all({ maxItems: 3 })) same<typeof each.transcript_count, number>(true)
  const detail = await svc.projects.get(project.id)
  same<typeof detail.name, string>(true)
  same<(typeof detail)['executive_summary'], unknown>(true)

  const stored = await svc.transcripts.upload(project.id, upload, { timeoutMs: 5_000, headers: { 'x-a': 'b' } })
  same<typeof stored.processing_status, 'queued' | 'skipped' | 'error' | Unlisted>(true)
  // @ts-expect-error an upload has a name
  await svc.transcripts.upload(project.id, { turns: [] })
  const turns = [{ role: 'user', content: 'Where is order 7?' }]
  await svc.transcripts.upload(project.id, { name: 'T', turns })
  // @ts-expect-error a turn has content
  await svc.transcripts.upload(project.id, { name: 'T', turns: [{ role: 'user' }] })
  // @ts-expect-error options hold no such field
  await svc.transcripts.upload(project.id, upload, { timeout: 5 })

  const rows = await svc.transcripts.list(project.id, {
    q: 'x',
    date_from: new Date(),
    annotation: { key: 'a', value: 'b' },
    page: 2,
  })
  same<typeof rows.pagination, { page: number; limit: number; total: number } | undefined>(true)
  same<(typeof rows.data)[number]['turn_count'], number | undefined>(true)
  for await (const row of svc.transcripts.all(project.id, { model_name: 'm', limit: 50 }))
    same<typeof row.id, string>(true)
  const whole = await svc.transcripts.get(stored.id)
  same<typeof whole.annotations, unknown>(true)
  if (whole.turns?.[0]) same<(typeof whole.turns)[0]['content'], string>(true)

  same<Awaited<ReturnType<typeof svc.legacy.createSession>>['id'], string>(true)
  same<Awaited<ReturnType<typeof svc.legacy.createTranscript>>['turn_count'], number>(true)
}

export async function around() {
  const svc = createClient(options).with({ deadlineMs: 1_000, retry: false })
  const answered = await svc.projects.get('hp-1').withResponse()
  same<typeof answered.response, Response>(true)
  same<typeof answered.requestId, string | undefined>(true)
  same<(typeof answered.attempts)[number]['sent'], 'no' | 'maybe' | 'yes'>(true)
  same<typeof answered.data.id, string>(true)
  same<ReturnType<typeof svc.rateLimits>['annotation']['closedUntil'], Date | undefined>(true)

  // @ts-expect-error no such option
  createClient({ key: 'k' })
  // @ts-expect-error milliseconds are a number
  createClient({ timeoutMs: '5' })

  same<(typeof checkUpload extends (upload: unknown) => infer R ? R : never)['violations'][number]['pointer'], string>(
    true,
  )
  same<ReturnType<typeof checkAnnotation>['warnings'][number]['message'], string>(true)
  same<typeof limits.turns.max, 1000>(true)
  same<(typeof roles)[number], 'user' | 'assistant' | 'system' | 'tool' | 'human_agent'>(true)
  const onePage = async (): Promise<PageBody<{ id: string }>> => ({ data: [] })
  for await (const item of everyItem(onePage, { maxItems: 100 })) same<typeof item, { id: string }>(true)
}
