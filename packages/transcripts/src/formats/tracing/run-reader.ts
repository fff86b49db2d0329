import { type Format, placeIn, type Reader, type ReaderContext } from '../../contract/index.js'
import { parseJsonText } from '../../conversation/index.js'
import { describe, isObject, type JsonObject, textOf } from '../../json/index.js'
import { elementsOf, type Place, type Placed, within } from '../../model/index.js'
import type { Span } from './span.js'
import { TraceLog } from './trace-log.js'

export interface PlacedObject extends Placed {
  value: JsonObject
}

/**
 * A reader of runs in any order. `read` adds the runs of a record to the log; if it returns false, the record is
 * reported.
 */
export function readerOfRuns(
  { accepts }: Pick<Format, 'accepts'>,
  context: ReaderContext,
  read: (value: JsonObject, place: Place, log: TraceLog) => boolean,
): Reader {
  const log = new TraceLog(context)
  return {
    read(record) {
      const { value } = record
      const place = placeIn(record)
      const isRead = isObject(value) && read(value, place, log)
      if (!isRead) context.report(`expected ${accepts}; found ${describe(value)}`, place)
      return [...log.overdue()]
    },
    end: () => log.drafts(),
    waiting: () => log.waiting(),
    isInterleaved: true,
  }
}

/** A run, or the objects of the list in its place if one is a run. */
export function nestedIn(
  value: JsonObject,
  place: Place,
  field: string,
  isRun: (run: JsonObject) => boolean,
): PlacedObject[] {
  if (isRun(value)) return [{ value, place }]
  const listed = objectsIn(value, place, field)
  return listed.some((each) => isRun(each.value)) ? listed : []
}

export function objectsIn(value: JsonObject, place: Place, field: string): PlacedObject[] {
  return elementsOf(value[field], within(place, field)).flatMap((each) =>
    isObject(each.value) ? [{ value: each.value, place: each.place }] : [],
  )
}

/** Names of tool spans in instrumentations: `execute_tool weather`, `running tool: weather`. */
const spanNames = /^(?:execute_tool|running tool)(?:: ?| )(?=\S)/i

export const isToolSpan = (name: unknown): boolean => typeof name === 'string' && spanNames.test(name)

/**
 * The call and the result of a tool from the input and output of its span. Frameworks wrap the arguments in `input`,
 * and the result in `output` or in a tool message with the id of the call. `failed` is the error, and the result if
 * there is none.
 */
export function toolOf(
  name: unknown,
  rawInput: unknown,
  rawOutput: unknown,
  failed?: string,
): NonNullable<Span['tool']> {
  const args = unwrapped(rawInput, 'input')
  const output = unwrapped(rawOutput, 'output')
  const message = messageOf(output)
  const id = textOf(message?.tool_call_id)
  return {
    id,
    name: textOf(name)?.replace(spanNames, ''),
    args: args ?? {},
    output: message ? message.content : (textIn(rawOutput, output) ?? failed),
    error: failed !== undefined || message?.status === 'error',
  }
}

/** A JSON text stays a text, once it is out of every wrapper. */
function textIn(raw: unknown, output: unknown): unknown {
  if (typeof raw !== 'string' || typeof output === 'string') return output
  const once = parseJsonText(raw, 1)
  return typeof once === 'string' ? once : isObject(once) && once.output !== undefined ? output : raw
}

/** The decoded value, or that of its only field with the given name. */
function unwrapped(raw: unknown, field: string): unknown {
  const value = parseJsonText(raw)
  return isObject(value) && Object.keys(value).length === 1 && field in value ? parseJsonText(value[field]) : value
}

function messageOf(output: unknown): JsonObject | undefined {
  if (!isObject(output)) return undefined
  const fields = isObject(output.kwargs) ? output.kwargs : output
  const keys = Object.keys(fields)
  return 'content' in fields && (keys.length === 1 || 'tool_call_id' in fields) ? fields : undefined
}
