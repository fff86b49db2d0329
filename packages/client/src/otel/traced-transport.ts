import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { safeCause } from '../errors/index.js'
import { shownUrl } from '../events.js'
import { runtimeTransport, type Transport, type TransportRequest, type TransportResponse } from '../transport.js'
import { version } from '../version.js'

/** Options of `tracedTransport`. */
export interface TracingOptions {
  /** Sends the requests. Default: the runtime's `fetch`. */
  transport?: Transport | undefined
  /** Default: the global tracer provider. */
  tracerProvider?: TracerProvider | undefined
}

/**
 * A transport that reports each attempt as a client span, by the semantic conventions of HTTP, below the span that is active
 * where the method is called. It sends `traceparent` if a propagator is set. No span holds a key, a body or the search text.
 *
 * @example
 *   const svc = createClient({ transport: tracedTransport({ transport: nodeTransport() }) })
 */
export function tracedTransport(options: TracingOptions = {}): Transport {
  const { transport = runtimeTransport, tracerProvider = trace.getTracerProvider() } = options
  const tracer = tracerProvider.getTracer('@svc/client', version)
  return {
    async send(request) {
      const name = request.call ? `${request.method} ${request.call.template}` : request.method
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: attributesOf(request) })
      const headers = { ...request.headers }
      propagation.inject(trace.setSpan(context.active(), span), headers)
      try {
        const response = await transport.send({ ...request, headers })
        return watched(response, span, request.signal)
      } catch (error) {
        fail(span, error, request.signal)
        throw error
      }
    },
  }
}

function attributesOf({ url, method, call }: TransportRequest): Attributes {
  const { hostname, port, protocol } = new URL(url)
  return {
    'http.request.method': method,
    'url.full': shownUrl(url),
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    ...(call && { 'url.template': call.template, 'svc.operation': call.operation }),
    ...(call && call.attempt > 1 && { 'http.request.resend_count': call.attempt - 1 }),
  }
}

function watched(response: TransportResponse, span: Span, signal: AbortSignal): TransportResponse {
  const { status, statusText, headers, body } = response
  span.setAttribute('http.response.status_code', status)
  if (status >= 400) {
    span.setAttribute('error.type', String(status))
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  if (!body) end(span)
  return { status, statusText, headers, body: body && { getReader: () => reader(body.getReader(), span, signal) } }
}

function reader(of: ReturnType<NonNullable<TransportResponse['body']>['getReader']>, span: Span, signal: AbortSignal) {
  return {
    async read() {
      try {
        const part = await of.read()
        if (part.done) end(span)
        return part
      } catch (error) {
        fail(span, error, signal)
        throw error
      }
    },
    cancel() {
      end(span)
      return of.cancel()
    },
  }
}

function fail(span: Span, error: unknown, { aborted }: AbortSignal): void {
  const shown = aborted ? error : safeCause(error)
  const { name, message } = shown instanceof Error ? shown : new Error(String(shown))
  if (!span.isRecording()) return
  span.setAttribute('error.type', name)
  span.setStatus({ code: SpanStatusCode.ERROR, message })
  span.end()
}

/** A body that is cancelled may still report its end. */
function end(span: Span): void {
  if (span.isRecording()) span.end()
}
