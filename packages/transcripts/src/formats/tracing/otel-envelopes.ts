import { asObject, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type Place, startOfFile } from '../../model/index.js'
import { objectsIn, type PlacedObject } from './run-reader.js'

/** The spans that another program than a collector wrote, under the names of OTLP; empty if the value has none. */
export function spansInEnvelope(value: JsonObject, place: Place): PlacedObject[] {
  if (isConsoleSpan(value)) return [{ value: ofConsole(value), place }]
  return tracesIn(value, place).flatMap((trace) =>
    objectsIn(trace.value, trace.place, 'spans').map((span) => ({ ...span, value: ofJaeger(span.value) })),
  )
}

export const isEnvelope = (value: JsonObject): boolean =>
  isConsoleSpan(value) || tracesIn(value, startOfFile).length > 0

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
