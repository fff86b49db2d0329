import { clean, cleanText } from './clean.js'
import { fitName } from './fit-fields.js'
import type { Notes } from './format.js'
import { defined, describe, isObject, type JsonObject } from './json.js'
import { ModelCounts } from './model-counts.js'
import { isTime, readNativeTurn } from './native-turn.js'
import { Talk } from './talk.js'
import { type Draft, type Place, type Turn, within } from './turn.js'
import { usualHead, usualHeadFields } from './usual-fields.js'

/** A transcript in the service's own shape: its turns, and its fields in `head`, which stands at `place`. */
export interface NativeShape {
  head: JsonObject
  messages: readonly { value: unknown; place: Place }[]
  place: Place
}

/** Reads the fields of the upload body, in its own names, in the snake_case of answers, or by usual names. */
export function readNativeTranscript(shape: NativeShape, { report, options }: Notes): Draft {
  const { head, place } = shape
  const talk = new Talk(options)
  const { losses } = talk
  const read = <T>(fields: readonly string[], wanted: string, is: (value: unknown) => value is T): T | undefined => {
    const field = fields.find((name) => head[name] !== undefined && head[name] !== null)
    if (field === undefined) return undefined
    const found = head[field]
    if (is(found)) return found
    report(`expected ${wanted}; found ${describe(found)}`, within(place, field))
    return undefined
  }
  const text = (...fields: string[]) => {
    const found = read(fields, 'text', isText)
    return found === undefined || found === '' ? undefined : cleanText(found, losses)
  }
  const metadata = read(['metadata'], 'an object', isObject)
  const models = new ModelCounts()
  const turns: Turn[] = []
  for (const message of shape.messages) {
    const turn = readNativeTurn(message.value, message.place, { talk, models, report })
    if (turn) turns.push(turn)
  }
  losses.addFields(head, headFields)
  // The time at which the service stored a transcript is not that of the conversation.
  const usual = usualHead('processing_status' in head ? { ...head, created_at: undefined } : head, losses)
  const said = models.byUse()
  const modelName = text('modelName', 'model_name') ?? usual.modelName ?? said[0]
  const all = said.some((model) => model !== modelName) ? { models: said, ...metadata } : metadata
  const name = text('name') ?? usual.name
  return defined<Draft>({
    name: name && fitName(name, losses),
    turns,
    modelName,
    language: text('language'),
    sourceSystem: text('sourceSystem', 'source_system'),
    externalId: text('externalId', 'external_id'),
    externalUserId: text('externalUserId', 'external_user_id'),
    metadata: all && clean(all, losses),
    sourceTimestamp: read(['sourceTimestamp', 'source_timestamp'], 'an ISO 8601 time', isTime) ?? talk.time(usual.at),
    process: read(['process'], 'true or false', isBoolean),
    losses: losses.list(),
    place,
  })
}

/** The fields that are read, and those that the service computes for a stored transcript, which are no loss. */
const headFields = new Set([
  ...['turns', 'transcript', 'language', 'sourceSystem', 'externalId', 'externalUserId', 'metadata', 'process'],
  ...['source_system', 'external_id', 'external_user_id', 'turn_count', 'user_turn_count', 'assistant_turn_count'],
  ...['total_token_count', 'processing_status', ...usualHeadFields],
])

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}
