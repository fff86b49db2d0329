import { nearest } from '@svc/text'
import { isObject, valueAt } from '../json/index.js'

/** The names that usually denote each field of a message, as columns of a table or keys of an object. */
const usualNames = {
  // The other names of a conversation's id are in `contract/conversation-id.ts`.
  id: 'id',
  role: 'role speaker author sender sender_type author_type from speaker_role participant side',
  content: 'content text message body utterance msg value transcript',
  time: 'time created_at timestamp date datetime sent_at createdat create_time start_time ts sent created date_time message_time',
  order: 'turn_index order turn index position seq sequence message_index turn_number turn_id utterance_id',
  model: 'model model_name modelname model_id',
  name: 'name title conversation_name subject',
  user_id: 'user_id external_user_id customer_id visitor_id',
  tool: 'tool_name tool function_name',
  args: 'tool_args tool_arguments tool_input tool_parameters',
  visible: 'is_user_visible visible public',
  user: '',
  assistant: '',
  system: '',
}

/**
 * The meaning of a column of a table, or of a field of a simple message. `user`, `assistant` and `system` hold the texts of
 * a row with several messages.
 */
export type ColumnField = keyof typeof usualNames

/** The fields that a user may map. */
export const columnFields = Object.keys(usualNames) as readonly ColumnField[]

export const usualNamesOf = (field: ColumnField): string[] => usualNames[field].split(' ').filter((name) => name !== '')

export type ColumnMap = ReadonlyMap<ColumnField, string>

/**
 * The column of each field: as given in `chosen` (`{ role: 'speaker' }`), else by the usual names, in any case and with
 * blanks or hyphens for underscores. A column holds one field, and may also give the order. An empty name chooses none.
 */
export function mapColumns(columns: readonly string[], chosen: Record<string, string> = {}): ColumnMap {
  const map = new Map<ColumnField, string>()
  const used = new Set<string>()
  const add = (field: ColumnField, column: string | undefined) => {
    if (column === undefined) return
    if (column !== '') map.set(field, column)
    if (field !== 'order') used.add(column)
  }
  const normalized = columns.map(normalizedName)
  for (const [field, column] of Object.entries(chosen)) {
    const found = columns.includes(column) ? column : columns[normalized.indexOf(normalizedName(column))]
    if (Object.hasOwn(usualNames, field)) add(field as ColumnField, found ?? column)
  }
  for (const field of columnFields) {
    if (map.has(field) || chosen[field] === '') continue
    const found = usualNamesOf(field).map((name) => columns[normalized.indexOf(name)])
    add(
      field,
      found.find((column) => column !== undefined && !used.has(column)),
    )
  }
  return map
}

/** The end of a message about mapped names that nothing has: the options with the nearest names. */
export function nearestMap(missing: Iterable<readonly [field: string, name: string]>, names: Iterable<string>): string {
  const known = [...names]
  const options = [...missing].flatMap(([field, name]) => {
    const meant = nearest(name, known)
    return meant === undefined ? [] : [`--map ${JSON.stringify(`${field}=${meant}`)}`]
  })
  return options.length === 0 ? '' : `; did you mean ${options.join(' ')}?`
}

const cache = new Map<string, ColumnMap>()

/** `mapColumns` for the keys of an object, cached because the objects of a file share few sets of keys. */
export function columnsOfObject(value: unknown, chosen?: Record<string, string>): ColumnMap {
  const keys = isObject(value) ? Object.keys(value).slice(0, 50) : []
  const key = keys.join('\0')
  if (chosen !== undefined || key.length > 1000) return mapColumns(keys, chosen)
  const cached = cache.get(key)
  if (cached) return cached
  if (cache.size === 200) cache.clear()
  const columns = mapColumns(keys)
  cache.set(key, columns)
  return columns
}

export function normalizedName(column: string): string {
  return column
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}

/** The value of a field, or of one in nested objects for a path such as `meta.ticket`. */
export function fieldAt(object: unknown, path: string | undefined): unknown {
  if (path === undefined || !isObject(object)) return undefined
  return Object.hasOwn(object, path) || !path.includes('.') ? object[path] : valueAt(object, path.split('.'))
}

/** The object without such a field, and without the objects that are empty then. */
export function withoutField(object: unknown, path: string): unknown {
  if (!isObject(object)) return object
  const [key = '', ...steps] = Object.hasOwn(object, path) ? [path] : path.split('.')
  if (!Object.hasOwn(object, key)) return object
  const { [key]: value, ...others } = object
  const inner = steps.length === 0 ? undefined : withoutField(value, steps.join('.'))
  return inner === undefined || (isObject(inner) && Object.keys(inner).length === 0)
    ? others
    : { ...others, [key]: inner }
}
