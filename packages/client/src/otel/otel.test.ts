import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createClient, type Fetch } from '@svc/client'
import { openapi } from '@svc/client/openapi'
import { tracedTransport } from '@svc/client/otel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { transportOf } from '../transport.js'

const exporter = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
})
afterEach(() => {
  exporter.reset()
  context.disable()
  propagation.disable()
})

const list = { data: [], pagination: { page: 1, limit: 20, total: 0 } }

/** A client whose requests are answered by these statuses; 0 is a broken connection. */
function traced(...statuses: number[]) {
  const seen: Request[] = []
  const fetch: Fetch = async (...given) => {
    seen.push(new Request(...given))
    const status = statuses[seen.length - 1] ?? 200
    if (status === 0) throw new TypeError('fetch failed')
    return Response.json(status === 200 ? list : { error: {} }, { status, headers: { 'retry-after': '0' } })
  }
  const transport = tracedTransport({ transport: transportOf(fetch), tracerProvider })
  const urls = { baseUrl: 'https://a.test', publicBaseUrl: 'https://b.test:8443/public/v1' }
  return { seen, svc: createClient({ ...urls, apiKey: 'secret', transport, retry: { baseMs: 0 } }) }
}
const spans = () => exporter.getFinishedSpans()

describe('tracedTransport', () => {
  it('reports a request by the semantic conventions of HTTP, without key and search text', async () => {
    const { svc } = traced()
    await svc.transcripts.list('hp-1', { q: 'my secret order' })
    expect(spans().map(({ name, kind, attributes, status }) => ({ name, kind, attributes, status }))).toEqual([
      {
        name: 'GET /projects/{projectId}/transcripts',
        kind: 2,
        status: { code: SpanStatusCode.UNSET },
        attributes: {
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'server.address': 'b.test',
          'server.port': 8443,
          'svc.operation': 'transcripts.list',
          'url.full': 'https://b.test:8443/public/v1/projects/hp-1/transcripts?q=…',
          'url.template': '/projects/{projectId}/transcripts',
        },
      },
    ])
    expect(JSON.stringify(spans().map(({ attributes, events }) => [attributes, events]))).not.toContain('secret')
  })

  it('reports each attempt on its own, below the span that is active, and sends its id', async () => {
    const { svc, seen } = traced(503, 0, 200)
    const tracer = tracerProvider.getTracer('app')
    await tracer.startActiveSpan('job', async (job) => {
      await svc.projects.list()
      job.end()
    })
    const [first, second, third, job] = spans()
    expect(
      [first, second, third].map((span) => [
        span?.attributes['http.request.resend_count'],
        span?.attributes['error.type'],
        span?.status.code,
      ]),
    ).toEqual([
      [undefined, '503', SpanStatusCode.ERROR],
      [1, 'TypeError', SpanStatusCode.ERROR],
      [2, undefined, SpanStatusCode.UNSET],
    ])
    const { traceId, spanId } = job?.spanContext() ?? {}
    for (const span of [first, second, third]) expect(span?.parentSpanContext).toMatchObject({ traceId, spanId })
    const sent = [first, second, third].map((span) => `00-${traceId}-${span?.spanContext().spanId}-01`)
    expect(seen.map(({ headers }) => headers.get('traceparent'))).toEqual(sent)
  })

  it('reports the requests of the openapi-fetch clients too, and leaves the answers as they are', async () => {
    const { svc } = traced()
    expect((await openapi(svc).workspace.GET('/projects', {})).data).toEqual(list)
    const { response } = await svc.request('workspace', 'GET', '/projects').withResponse()
    expect(await response.json()).toEqual(list)
    expect(spans().map(({ name }) => name)).toEqual(['GET', 'GET /projects'])
  })

  it('reports an attempt that the caller aborts', async () => {
    const transport = tracedTransport({
      transport: transportOf(
        (_, init) =>
          new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
      ),
      tracerProvider,
    })
    const svc = createClient({ baseUrl: 'https://a.test', transport })
    const controller = new AbortController()
    const call = svc.health({ signal: controller.signal })
    setImmediate(() => controller.abort(new Error('enough')))
    await expect(call).rejects.toThrow('enough')
    await new Promise(setImmediate)
    expect(spans().map(({ status }) => status)).toEqual([{ code: SpanStatusCode.ERROR, message: 'enough' }])
  })

  it('reports to the global tracer provider by default, and nothing without one', async () => {
    trace.setGlobalTracerProvider(tracerProvider)
    const fetch = transportOf(async () => Response.json({ status: 'ok', substrate: 'lambda' }))
    await createClient({ baseUrl: 'https://a.test', transport: tracedTransport({ transport: fetch }) }).health()
    expect(spans().map(({ name }) => name)).toEqual(['GET /health'])
    trace.disable()
    await createClient({ baseUrl: 'https://a.test', transport: tracedTransport({ transport: fetch }) }).health()
    expect(spans().length).toBe(1)
  })
})
