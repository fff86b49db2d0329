/**
 * OpenTelemetry spans for the requests of a client. Needs `@opentelemetry/api`.
 *
 * @module @svc/client/otel
 */

export { type TracingOptions, tracedTransport } from './traced-transport.js'
