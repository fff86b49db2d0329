import { isObject } from '../json/index.js'

/** The meaning of a column of a table, or of a field of a simple message. */
export type ColumnField =
  | 'id'
  | 'role'
  | 'content'
  | 'time'
  | 'order'
  | 'model'
  | 'name'
  | 'user'
  | 'visible'
  | 'tool'
  | 'args'

const names: readonly [ColumnField, readonly string[]][] = [
  [
    'id',
    words(
      'conversation_id thread_id chat_id session_id dialogue_id dialog_id convo_id conversationid threadid chatid sessionid conversation ticket_id call_id id',
    ),
  ],
  ['role', words('role speaker author sender sender_type author_type from speaker_role participant side')],
  ['content', words('content text message body utterance msg value transcript')],
  ['time', words('time created_at timestamp date datetime sent_at createdat create_time start_time')],
  ['order', words('turn_index order turn index position seq sequence message_index turn_number turn_id utterance_id')],
  ['model', words('model model_name modelname model_id')],
  ['name', words('name title conversation_name subject')],
  ['user', words('user_id external_user_id customer_id visitor_id')],
  ['tool', words('tool_name tool function_name')],
  ['args', words('tool_args tool_arguments tool_input tool_parameters')],
  ['visible', words('is_user_visible visible public')],
]

/** A field and the column that holds it. */
export type ColumnMap = ReadonlyMap<ColumnField, string>

/**
 * Which column holds what: as the user says in `chosen` (`{ role: 'speaker' }`), else by the usual names, in any case and
 * with blanks or hyphens for underscores. A column holds one field.
 */
export function mapColumns(columns: readonly string[], chosen: Record<string, string> = {}): ColumnMap {
  const map = new Map<ColumnField, string>()
  const taken = new Set<string>()
  for (const [field] of names) {
    const column = Object.hasOwn(chosen, field) ? chosen[field] : undefined
    const found = column === undefined ? undefined : (exact(columns, column) ?? column)
    if (found === undefined) continue
    map.set(field, found)
    taken.add(found)
  }
  const spellings = columns.map(spelled)
  for (const [field, usual] of names) {
    if (map.has(field)) continue
    const found = usual
      .map((name) => columns[spellings.indexOf(name)])
      .find((column) => column !== undefined && !taken.has(column))
    if (found === undefined) continue
    map.set(field, found)
    taken.add(found)
  }
  return map
}

const known = new Map<string, ColumnMap>()
const nothing: ColumnMap = new Map()

/** `mapColumns` for the fields of an object. The objects of a file have the same few keys, so what these map to is kept. */
export function columnsOfObject(value: unknown, chosen?: Record<string, string>): ColumnMap {
  if (!isObject(value)) return nothing
  const keys = Object.keys(value)
  if (chosen !== undefined || keys.length > 50) return mapColumns(keys.slice(0, 50), chosen)
  const joined = keys.join('\u0000')
  const kept = known.get(joined)
  if (kept) return kept
  const columns = mapColumns(keys)
  if (joined.length > 1000) return columns
  if (known.size === 200) known.clear()
  known.set(joined, columns)
  return columns
}

/** The number of columns with a usual name. */
export function knownColumns(columns: readonly string[]): number {
  return mapColumns(columns).size
}

/** The fields that a user may map. */
export const columnFields: readonly ColumnField[] = names.map(([field]) => field)

function exact(columns: readonly string[], name: string): string | undefined {
  return columns.find((column) => column === name) ?? columns.find((column) => spelled(column) === spelled(name))
}

/** A name in small letters, with underscores for blanks and hyphens. */
export function spelled(column: string): string {
  return column
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}

function words(text: string): string[] {
  return text.split(' ')
}
