import { clean, cleanText } from './clean.js'
import { defined, describe, isObject, type JsonObject } from './json.js'
import { isTime, type NativeNotes, readNativeTurn } from './native-turn.js'
import { type Draft, type Place, type Turn, within } from './turn.js'

/** A transcript in the service's own shape: its turns, and its fields in `head`, which stands at `place`. */
export interface NativeShape {
  head: JsonObject
  messages: readonly { value: unknown; place: Place }[]
  place: Place
}

/** Reads the fields of the upload body, in its own names or in the snake_case of answers. */
export function readNativeTranscript(shape: NativeShape, notes: NativeNotes): Draft {
  const { head, place } = shape
  const { losses } = notes
  const read = <T>(fields: readonly string[], wanted: string, is: (value: unknown) => value is T): T | undefined => {
    const field = fields.find((name) => head[name] !== undefined && head[name] !== null)
    if (field === undefined) return undefined
    const found = head[field]
    if (is(found)) return found
    notes.report(`expected ${wanted}; found ${describe(found)}`, within(place, field))
    return undefined
  }
  const text = (...fields: string[]) => {
    const found = read(fields, 'text', isText)
    return found === undefined || found === '' ? undefined : cleanText(found, losses)
  }
  const metadata = read(['metadata'], 'an object', isObject)
  const turns: Turn[] = []
  for (const message of shape.messages) {
    const turn = readNativeTurn(message.value, message.place, notes)
    if (turn) turns.push(turn)
  }
  losses.addFields(head, headFields)
  return defined<Draft>({
    name: text('name'),
    turns,
    modelName: text('modelName', 'model_name'),
    language: text('language'),
    sourceSystem: text('sourceSystem', 'source_system'),
    externalId: text('externalId', 'external_id'),
    externalUserId: text('externalUserId', 'external_user_id'),
    metadata: metadata && clean(metadata, losses),
    sourceTimestamp: read(['sourceTimestamp', 'source_timestamp'], 'an ISO 8601 time', isTime),
    process: read(['process'], 'true or false', isBoolean),
    losses: losses.list(),
    place,
  })
}

/** What is read, and what the service reckons itself for a stored transcript, whose going is no loss. */
const headFields = new Set([
  ...['name', 'turns', 'transcript', 'modelName', 'language', 'sourceSystem', 'externalId', 'externalUserId'],
  ...['metadata', 'sourceTimestamp', 'process', 'model_name', 'source_system', 'external_id', 'external_user_id'],
  ...['source_timestamp', 'turn_count', 'user_turn_count', 'assistant_turn_count', 'total_token_count'],
  ...['created_at', 'processing_status'],
])

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}
