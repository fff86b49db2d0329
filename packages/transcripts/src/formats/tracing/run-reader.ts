import { decoded } from '../../conversation/index.js'
import { type Format, type Notes, placeIn, type Reader } from '../../format/index.js'
import { describe, isObject, type JsonObject, textOf } from '../../json/index.js'
import { messagesIn, messagesOfCall } from '../../messages/index.js'
import { elementsOf, fieldsOf, holdsText, type Losses, type Place, within } from '../../model/index.js'
import { nanosOf } from './nanos.js'
import type { Span } from './span.js'
import { TraceLog } from './trace-log.js'

/** An object of a file, such as a run of a log, and where it stands. */
export interface PlacedObject {
  value: JsonObject
  place: Place
}

/**
 * A reader of runs, which may come in any order. `read` adds the runs of a record to the log and returns whether there
 * are any; a record without runs is reported.
 */
export function readerOfRuns(
  { id, accepts }: Pick<Format, 'id' | 'accepts'>,
  notes: Notes,
  read: (value: JsonObject, place: Place, log: TraceLog) => boolean,
): Reader {
  const log = new TraceLog()
  return {
    take(record) {
      const { value } = record
      const place = placeIn(record)
      const isRead = isObject(value) && read(value, place, log)
      if (!isRead) notes.report(`expected ${accepts}; found ${describe(value)}`, place)
      return []
    },
    end: () => log.drafts(id, notes),
  }
}

/** The run that a value is, or those of the list that it holds in a field. */
export function runsIn(
  value: JsonObject,
  place: Place,
  field: string,
  isRun: (run: JsonObject) => boolean,
): PlacedObject[] {
  return isRun(value) ? [{ value, place }] : objectsIn(value, place, field)
}

/** The score of a record that is a run, or holds a list of runs. */
export function scoreOfRuns(value: unknown, field: string, isRun: (run: JsonObject) => boolean): number {
  if (!isObject(value)) return 0
  if (isRun(value)) return 0.95
  const list = value[field]
  return Array.isArray(list) && isObject(list[0]) && isRun(list[0]) ? 0.95 : 0
}

/** The objects of a list that an object holds in a field. */
export function objectsIn(value: JsonObject, place: Place, field: string): PlacedObject[] {
  return elementsOf(value[field], within(place, field)).flatMap((each) =>
    isObject(each.value) ? [{ value: each.value, place: each.place }] : [],
  )
}

/** What a tracing tool says of a run beside what it was given and gave; `name` is that of the tool that it may be. */
type RunFacts = Omit<Span, 'place' | 'isFilled' | 'start' | 'tool' | 'input' | 'output'> & { name?: unknown }

/** A run as a span: what it was given and gave stand in two of its fields. Of a call of a model whatever these hold is read. */
export function spanOfRun(
  { value: run, place }: PlacedObject,
  [input, output]: readonly [string, string],
  { name, ...facts }: RunFacts,
  losses: Losses,
  isCall = facts.kind === 'model',
): Span {
  const read = isCall ? messagesOfCall : messagesIn
  return {
    ...facts,
    place,
    isFilled: holdsText(run[input]) || holdsText(run[output]),
    start: nanosOf(facts.startAt),
    tool: facts.kind === 'tool' ? toolOf(name, run[input], run[output], losses, facts.error) : undefined,
    input: () => read(run[input], 'user', within(place, input), losses),
    output: () => read(run[output], 'assistant', within(place, output), losses),
  }
}

/** Names of tool spans in instrumentations: `execute_tool weather`, `running tool: weather`. */
const spanNames = /^(?:execute_tool|running tool)(?:: ?| )(?=\S)/i

/** True if a span is that of a tool by its name. */
export const isToolSpan = (name: unknown): boolean => typeof name === 'string' && spanNames.test(name)

/**
 * The call and the answer of a tool from what a span was given and gave. Frameworks wrap both: the arguments in
 * `input`, the answer in `output` or in a message of the tool, which has the id of the call. `failed` says why it
 * failed, which is its answer where it gave none.
 */
export function toolOf(
  name: unknown,
  rawInput: unknown,
  rawOutput: unknown,
  losses: Losses,
  failed?: string,
): NonNullable<Span['tool']> {
  const args = unwrapped(rawInput, 'input')
  const output = unwrapped(rawOutput, 'output')
  const message = messageOf(output)
  if (message) countUnread(output, message, losses)
  const id = textOf(message?.tool_call_id)
  return {
    id,
    name: textOf(name)?.replace(spanNames, ''),
    args: args ?? {},
    output: message ? message.content : (textIn(rawOutput, output) ?? failed),
    error: failed !== undefined || message?.status === 'error',
  }
}

/** A text of JSON stays the text that it is, once it is out of every other. */
function textIn(raw: unknown, output: unknown): unknown {
  if (typeof raw !== 'string' || typeof output === 'string') return output
  const once = decoded(raw, 1)
  return typeof once === 'string' ? once : isObject(once) && once.output !== undefined ? output : raw
}

/** The decoded value, or that of its only field if this has the given name. */
function unwrapped(raw: unknown, field: string): unknown {
  const value = decoded(raw)
  return isObject(value) && Object.keys(value).length === 1 && field in value ? decoded(value[field]) : value
}

function messageOf(output: unknown): JsonObject | undefined {
  if (!isObject(output)) return undefined
  const fields = isObject(output.kwargs) ? output.kwargs : output
  const keys = Object.keys(fields)
  return 'content' in fields && (keys.length === 1 || 'tool_call_id' in fields) ? fields : undefined
}

/** Fields of a message of the tool that are read or hold no content. */
const messageFields = fieldsOf('content tool_call_id name id type status lc kwargs')

function countUnread(output: unknown, message: JsonObject, losses: Losses): void {
  losses.addTexts(message, messageFields, 'tool message ')
  if (output !== message) losses.addTexts(output, messageFields, 'tool message ')
}
