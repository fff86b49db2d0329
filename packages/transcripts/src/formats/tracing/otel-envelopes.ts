import { parseJsonText } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type Place, startOfFile } from '../../model/index.js'
import { objectsIn, type PlacedObject } from './run-reader.js'

/** The spans that another program than a collector wrote, under the names of OTLP; empty if the value has none. */
export function spansInEnvelope(value: JsonObject, place: Place): PlacedObject[] {
  if (isConsoleSpan(value)) return [{ value: ofConsole(value), place }]
  if (isScriptSpan(value)) return [{ value: ofScript(value), place }]
  const rows = objectsIn(value, place, 'rows').filter(({ value: row }) => isLogfireRow(row))
  const logfire = isLogfireRow(value) ? [{ value, place }] : rows
  if (logfire.length > 0) return logfire.map((row) => ({ ...row, value: ofLogfire(row.value) }))
  return tracesIn(value, place).flatMap((trace) =>
    objectsIn(trace.value, trace.place, 'spans').map((span) => ({ ...span, value: ofJaeger(span.value) })),
  )
}

export const isEnvelope = (value: JsonObject): boolean =>
  isConsoleSpan(value) ||
  isScriptSpan(value) ||
  isLogfireRow(value) ||
  objectsOf(value.rows).some(isLogfireRow) ||
  tracesIn(value, startOfFile).length > 0

/** A trace of Jaeger, or several under `data`. */
function tracesIn(value: JsonObject, place: Place): PlacedObject[] {
  const all = [{ value, place }, ...objectsIn(value, place, 'data')]
  return all.filter(({ value: trace }) => typeof trace.traceID === 'string' && Array.isArray(trace.spans))
}

/** A span as the exporter for a console writes it, or as the interface of Phoenix lists it. */
function isConsoleSpan({ context, attributes }: JsonObject): boolean {
  return isObject(context) && typeof context.trace_id === 'string' && isObject(attributes)
}

function ofConsole(span: JsonObject): JsonObject {
  const { trace_id: traceId, span_id: spanId } = asObject(span.context)
  const { status_code: code = span.status_code, description = span.status_message } = asObject(span.status)
  const { span_kind: kind } = span
  const attributes = flat(asObject(span.attributes))
  return {
    traceId,
    spanId,
    parentSpanId: span.parent_id,
    name: span.name,
    startTimeUnixNano: span.start_time,
    endTimeUnixNano: span.end_time,
    attributes: textOf(kind) ? { 'openinference.span.kind': kind, ...attributes } : attributes,
    events: objectsOf(span.events).map((event) => ({ ...event, timeUnixNano: event.timestamp })),
    status: statusOf(code === 'ERROR', description),
  }
}

/** A span of the JavaScript SDK as JSON, with its context, or as the exporter for a console prints it. */
function isScriptSpan(value: JsonObject): boolean {
  const isPrinted = typeof value.traceId === 'string' && typeof value.id === 'string' && 'duration' in value
  return (contextOf(value) !== undefined || isPrinted) && isObject(value.attributes)
}

function contextOf({ spanContext, _spanContext: own = spanContext }: JsonObject): JsonObject | undefined {
  return isObject(own) && typeof own.traceId === 'string' ? own : undefined
}

function ofScript(span: JsonObject): JsonObject {
  const { traceId, spanId } = contextOf(span) ?? { traceId: span.traceId, spanId: span.id }
  const { code, message } = asObject(span.status)
  const start = nanosOfTime(span.startTime) ?? nanosOfMicros(span.timestamp)
  const printed = nanosOfMicros(Number(span.timestamp) + Number(span.duration))
  return {
    traceId,
    spanId,
    parentSpanId: asObject(span.parentSpanContext).spanId ?? span.parentSpanId ?? span.parentId,
    name: span.name,
    startTimeUnixNano: start,
    endTimeUnixNano: nanosOfTime(span.endTime) ?? printed ?? start,
    attributes: span.attributes,
    events: objectsOf(span.events).map((event) => ({ ...event, timeUnixNano: nanosOfTime(event.time) })),
    status: statusOf(code === 2, message),
  }
}

/** A time in seconds and nanoseconds, as the JavaScript SDK has it; any other time as it is. */
function nanosOfTime(time: unknown): unknown {
  if (!Array.isArray(time)) return time
  const [seconds, nanos] = time
  if (!Number.isSafeInteger(seconds) || !Number.isSafeInteger(nanos)) return undefined
  return `${seconds}${String(nanos).padStart(9, '0')}`
}

/** A row of the table `records` of Logfire. */
const isLogfireRow = ({ trace_id: trace, span_id: span, span_name: name, start_timestamp: start }: JsonObject) =>
  [trace, span, name, start].every((each) => typeof each === 'string')

function ofLogfire(row: JsonObject): JsonObject {
  return {
    traceId: row.trace_id,
    spanId: row.span_id,
    parentSpanId: row.parent_span_id,
    name: row.span_name,
    startTimeUnixNano: row.start_timestamp,
    endTimeUnixNano: row.end_timestamp ?? row.start_timestamp,
    attributes: parseJsonText(row.attributes),
    events: objectsOf(parseJsonText(row.otel_events)).map((event) => ({
      name: event.event_name,
      timeUnixNano: event.event_timestamp,
      attributes: event.attributes,
    })),
    status: statusOf(
      row.is_exception === true || row.otel_status_code === 'ERROR',
      row.otel_status_message ?? row.exception_message,
    ),
  }
}

const statusOf = (isError: boolean, message: unknown) => (isError ? { code: 2, message } : {})

/** Attributes that are nested objects, as Phoenix stores them, by their paths. */
function flat(attributes: JsonObject): JsonObject {
  const found: [string, unknown][] = []
  const visit = (value: unknown, path: string, depth: number): void => {
    const isNested = depth < deepest && (isObject(value) || (Array.isArray(value) && value.every(isObject)))
    if (!isNested || Object.keys(value as object).length === 0) found.push([path, value])
    else for (const [key, each] of Object.entries(value as object)) visit(each, `${path}.${key}`, depth + 1)
  }
  for (const [key, value] of Object.entries(attributes)) {
    if (key.includes('.')) found.push([key, value])
    else visit(value, key, 0)
  }
  return Object.fromEntries(found)
}

const deepest = 8

function ofJaeger(span: JsonObject): JsonObject {
  const above = objectsOf(span.references).find(({ refType }) => refType === 'CHILD_OF')
  const tag = (key: string) => objectsOf(span.tags).find((each) => each.key === key)?.value
  const start = nanosOfMicros(span.startTime)
  return {
    traceId: span.traceID,
    spanId: span.spanID,
    parentSpanId: above?.spanID ?? span.parentSpanID,
    name: span.operationName,
    startTimeUnixNano: start,
    endTimeUnixNano:
      typeof span.startTime === 'number' && typeof span.duration === 'number'
        ? nanosOfMicros(span.startTime + span.duration)
        : start,
    tags: span.tags,
    events: objectsOf(span.logs).map(({ timestamp, fields }) => ({
      name: objectsOf(fields).find(({ key }) => key === 'event' || key === 'name')?.value,
      timeUnixNano: nanosOfMicros(timestamp),
      attributes: fields,
    })),
    status: statusOf(tag('otel.status_code') === 'ERROR' || tag('error') === true, tag('otel.status_description')),
  }
}

/** A number of nanoseconds is too large for JavaScript. */
const nanosOfMicros = (micros: unknown) => (Number.isSafeInteger(micros) ? `${micros}000` : undefined)
