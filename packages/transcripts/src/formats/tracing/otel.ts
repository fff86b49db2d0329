import { defineFormat, type Format, placeIn, type Reader, type ReaderContext } from '../../contract/index.js'
import { describe, getOrInsert, isObject, type JsonObject, textOf, wordsOf } from '../../json/index.js'
import {
  type ConversationDraft,
  holdsText,
  type Losses,
  type Place,
  reasons,
  startOfFile,
  within,
} from '../../model/index.js'
import { Attributes, isMessageEvent, type OtelEvent } from './otel-attributes.js'
import { isEnvelope, spansInEnvelope } from './otel-envelopes.js'
import { contentOf, eventOf, kindKeys, spanOf, traceOf } from './otel-span.js'
import { objectsIn, type PlacedObject } from './run-reader.js'
import { secondsOf } from './span.js'
import { TraceLog } from './trace-log.js'

export const otel: Format<'otel-genai'> = defineFormat({
  id: 'otel-genai',
  isGeneric: true,
  title: 'OpenTelemetry GenAI traces',
  accepts:
    '{ "resourceSpans": […] } or { "resourceLogs": […] } of OTLP with gen_ai.*, llm.* or ai.* attributes, { "batches" } of Tempo, { "data": [{ "traceID", "spans" }] } of Jaeger, { "context": { "trace_id" }, "attributes" }, { "spanContext": { "traceId" }, "attributes" }, or rows of Logfire; one document, or one a line',
  fields: wordsOf(
    'resourceSpans scopeSpans resourceLogs resourceMetrics scopeLogs spans traceId spanId attributes batches trace data traceID context spanContext _spanContext trace_id rows',
  ),
  signature(value) {
    if (!isObject(value)) return 0
    if (Array.isArray(value.resourceSpans) || Array.isArray(value.resourceLogs)) return 0.95
    if (resourcesIn(value, startOfFile).length > 0 || isEnvelope(value)) return 0.95
    return Array.isArray(value.resourceMetrics) ? 0.3 : 0
  },
  recordsRepeat: true,
  structure: `key name eventName stringValue intValue value message.role span_kind status_code trace_state traceID spanID operationName refType
    processID serviceName service_name otel_status_code otel_scope_name event_name datatype service.name telemetry.sdk.name telemetry.sdk.language ${kindKeys.join(' ')}`,
  reader: readerOf,
})

interface Logged {
  trace: string
  id: string | undefined
  events: OtelEvent[]
  place: Place
}

function readerOf(context: ReaderContext): Reader {
  const log = new TraceLog(context)
  /** The log records of model calls, by trace and span. */
  const logged = new Map<string, Map<string, Logged>>()
  let first: Place | undefined
  let spans = 0
  /** The number of log records with text that are not messages. */
  let others = 0
  /** The drafts before the first that has turns. */
  const empty: ConversationDraft[] = []
  let hasTurns = false

  function keep(entry: Logged): void {
    // It waits as its trace does.
    log.lossesOf(entry.trace, entry.place)
    const ofTrace = getOrInsert(logged, entry.trace, () => new Map<string, Logged>())
    getOrInsert(ofTrace, entry.id ?? '', () => ({ ...entry, events: [] })).events.push(...entry.events)
  }

  function addLogged(trace: string): void {
    for (const each of logged.get(trace)?.values() ?? [])
      log.add(spanOfLogs(each, log.lossesOf(each.trace, each.place)))
    logged.delete(trace)
  }

  function* shown(drafts: Iterable<ConversationDraft>): Generator<ConversationDraft> {
    for (const draft of drafts) {
      if (others > 0) draft.losses.push({ ...otherRecords, count: others })
      others = 0
      hasTurns ||= draft.turns.length > 0
      if (hasTurns) yield* [...empty.splice(0), draft]
      else empty.push(draft)
    }
  }

  return {
    read(record) {
      const { value } = record
      const place = placeIn(record)
      first ??= place
      if (!isObject(value) || otel.detect(value) === 0) {
        context.report(`expected ${otel.accepts}; found ${describe(value)}`, place)
        return []
      }
      const written = [...inside(resourcesIn(value, place), spanScopes, 'spans'), ...spansInEnvelope(value, place)]
      for (const { value: span, place: at } of written) {
        const read = spanOf(span, at, log.lossesOf(traceOf(span), at))
        spans++
        if (log.add(read.span)) log.addFacts(read.span.trace, read.facts, at)
      }
      for (const entry of inside(objectsIn(value, place, 'resourceLogs'), logScopes, 'logRecords')) {
        const logged = logOf(entry.value, entry.place)
        if (logged) {
          keep(logged)
          continue
        }
        context.account.note(entry.value)
        if (holdsText(entry.value.body)) others++
      }
      return [...shown(log.overdue(addLogged))]
    },
    waiting: () => log.waiting(),
    isInterleaved: true,
    *end() {
      for (const trace of logged.keys()) addLogged(trace)
      const { models } = log
      yield* shown(log.drafts())
      if (first === undefined) yield* empty
      else if (!hasTurns) context.report(reasonOf(models, spans), first)
    },
  }
}

const otherRecords = { code: 'dropped', what: 'log record of other work', why: reasons.notConversation } as const

function reasonOf(models: number, spans: number): string {
  if (models === 0)
    return `expected spans of model calls, with gen_ai.*, llm.* or ai.* attributes; found ${spans} spans without`
  const calls = models === 1 ? '1 model call has' : `${models} model calls have`
  const hint = 'Turn it on in the program, usually with OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'
  return `0 messages: ${calls} no content, because content capture is off. ${hint}`
}

/** The resources with spans: of OTLP, or of an answer of Tempo, under `trace` since its version 2. */
function resourcesIn(value: JsonObject, place: Place): PlacedObject[] {
  const outer = isObject(value.trace) ? { value: value.trace, place: within(place, 'trace') } : { value, place }
  return ['resourceSpans', 'batches']
    .flatMap((field) => objectsIn(outer.value, outer.place, field))
    .filter((resource) => spanScopes.some((name) => name in resource.value))
}

const spanScopes = ['scopeSpans', 'instrumentationLibrarySpans']
const logScopes = ['scopeLogs', 'instrumentationLibraryLogs']

const inside = (resources: readonly PlacedObject[], scopes: readonly string[], leaves: string): PlacedObject[] =>
  resources.flatMap((resource) =>
    scopes.flatMap((name) =>
      objectsIn(resource.value, resource.place, name).flatMap((scope) => objectsIn(scope.value, scope.place, leaves)),
    ),
  )

/** A log record of a model call; undefined for any other record. */
function logOf(entry: JsonObject, place: Place): Logged | undefined {
  const event = eventOf(entry, place)
  if (!isMessageEvent(event.name)) return undefined
  const trace = textOf(entry.traceId) ?? event.attributes.text('gen_ai.conversation.id', 'session.id') ?? 'log'
  return { trace, id: textOf(entry.spanId), events: [event], place }
}

function spanOfLogs({ trace, id, events, place }: Logged, losses: Losses) {
  const [start] = events.flatMap((event) => event.start ?? []).sort((a, b) => (a < b ? -1 : 1))
  const at = secondsOf(start === undefined ? undefined : String(start))
  const content = contentOf(new Attributes([], place), events, 'model', losses)
  return { trace, id, kind: 'model' as const, start, startAt: at, endAt: at, place, ...content }
}
