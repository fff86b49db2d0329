import { asObject, getOrInsert, isObject, type JsonObject, objectsOf, textOf } from '../json/index.js'
import type { Database } from './library.js'
import { type Row, rowsOf } from './tables.js'

/** The facts of a session that a list of sessions shows. */
export interface SessionFacts {
  /** The id of the session. */
  id: string
  /** The title. */
  title?: string
  /** The folder in which it ran. */
  cwd?: string
  /** The id of the session that started it as a sub-agent. */
  parent?: string
  /** The times of its beginning and of its last change, in milliseconds since 1970. */
  started?: number
  /** See `started`. */
  changed?: number
}

/** A program that keeps its sessions in a database. */
export interface Product {
  /** The id of the format of its sessions. */
  format: 'cursor-chat' | 'hermes' | 'opencode'
  /** Its tables, each with columns that it needs. */
  tables: Readonly<Record<string, readonly string[]>>
  /** The sessions that have messages, the newest first. */
  sessions(database: Database): SessionFacts[]
  /** A session in its format; undefined if it is gone. */
  session(database: Database, id: string): JsonObject | undefined
}

export const products: readonly Product[] = [
  {
    format: 'opencode',
    tables: {
      session: ['id', 'directory', 'time_updated'],
      message: ['session_id', 'data'],
      part: ['message_id', 'data'],
    },
    sessions: (database) =>
      rowsOf(
        database,
        'session',
        'WHERE id IN (SELECT session_id FROM message) ORDER BY time_updated DESC, id',
      ).flatMap((row) =>
        factsOf({
          id: row.id,
          title: row.title,
          cwd: row.directory,
          parent: row.parent_id,
          started: row.time_created,
          changed: row.time_updated,
        }),
      ),
    session(database, id) {
      const [row] = rowsOf(database, 'session', 'WHERE id = ?', id)
      if (!row) return undefined
      const order = 'WHERE session_id = ? ORDER BY time_created, id'
      const parts = new Map<unknown, JsonObject[]>()
      for (const { id: part, message_id: messageID, data } of rowsOf(
        database,
        'part',
        'WHERE session_id = ? ORDER BY id',
        id,
      )) {
        const siblings = getOrInsert(parts, messageID, () => [])
        siblings.push({ ...jsonIn(data), id: part, messageID, sessionID: id })
      }
      return {
        info: {
          id,
          slug: row.slug,
          projectID: row.project_id,
          directory: row.directory,
          title: row.title,
          version: row.version,
          parentID: row.parent_id ?? undefined,
          time: { created: row.time_created, updated: row.time_updated },
        },
        messages: rowsOf(database, 'message', order, id).map((message) => ({
          info: { ...jsonIn(message.data), id: message.id, sessionID: id },
          parts: parts.get(message.id) ?? [],
        })),
      }
    },
  },
  {
    format: 'cursor-chat',
    tables: { cursorDiskKV: ['key', 'value'] },
    sessions: (database) =>
      rowsOf(database, 'cursorDiskKV', keysOf, 'composerData:', 'composerData;')
        .map(({ value }) => jsonIn(value))
        .filter((composer) => bubblesIn(composer).length > 0)
        .flatMap((composer) =>
          factsOf({
            id: composer.composerId,
            title: composer.name,
            started: composer.createdAt,
            changed: composer.lastUpdatedAt ?? composer.createdAt,
          }),
        )
        .toSorted((a, b) => (b.changed ?? 0) - (a.changed ?? 0)),
    session(database, id) {
      const [row] = rowsOf(database, 'cursorDiskKV', 'WHERE key = ?', `composerData:${id}`)
      if (!row) return undefined
      const composer = jsonIn(row.value)
      const prefix = `bubbleId:${id}:`
      const stored = rowsOf(database, 'cursorDiskKV', keysOf, prefix, `bubbleId:${id};`)
      const bubbles = new Map(stored.map(({ key, value }) => [String(key).slice(prefix.length), jsonIn(value)]))
      const conversation = bubblesIn(composer).map((bubble) => ({
        ...bubble,
        ...bubbles.get(textOf(bubble.bubbleId) ?? ''),
      }))
      return { ...composer, conversation, fullConversationHeadersOnly: undefined }
    },
  },
  {
    format: 'hermes',
    tables: { sessions: ['id', 'source', 'started_at'], messages: ['session_id', 'role', 'content', 'tool_calls'] },
    sessions: (database) =>
      rowsOf(
        database,
        'sessions',
        'WHERE id IN (SELECT session_id FROM messages) ORDER BY started_at DESC, id',
      ).flatMap((row) =>
        factsOf({
          id: row.id,
          title: row.title,
          cwd: row.cwd,
          started: inMilliseconds(row.started_at),
          changed: inMilliseconds(row.ended_at ?? row.started_at),
        }),
      ),
    session(database, id) {
      const [row] = rowsOf(database, 'sessions', 'WHERE id = ?', id)
      if (!row) return undefined
      const messages = rowsOf(database, 'messages', 'WHERE session_id = ? ORDER BY id', id)
      const isActive = ({ active }: Row) => active !== 0
      return {
        session_id: id,
        title: row.title ?? undefined,
        model: row.model,
        platform: row.source,
        cwd: row.cwd ?? undefined,
        session_start: row.started_at,
        system_prompt: row.system_prompt,
        messages: messages.filter(isActive).map(hermesMessage),
        rewound_messages: messages.filter((message) => !isActive(message)).map(hermesMessage),
      }
    },
  },
]

const keysOf = 'WHERE key >= ? AND key < ? ORDER BY key'

const inMilliseconds = (seconds: unknown) => (typeof seconds === 'number' ? seconds * 1000 : undefined)

/** The messages of a chat, or only their ids. */
const bubblesIn = ({ conversation, fullConversationHeadersOnly: headers }: JsonObject): JsonObject[] => {
  const inline = objectsOf(conversation)
  return inline.length > 0 ? inline : objectsOf(headers)
}

/** Columns of JSON, and the fields of a message that are absent if they have no value. */
const jsonColumns = ['tool_calls', 'reasoning_details', 'codex_reasoning_items', 'codex_message_items']

function hermesMessage({ session_id, id, active, token_count, observed, ...row }: Row): JsonObject {
  const fields = Object.entries(row).filter(([, value]) => value !== null)
  return Object.fromEntries(
    fields.map(([name, value]) => [name, jsonColumns.includes(name) || isPacked(value) ? unpacked(value) : value]),
  )
}

/** Content in parts is JSON with this mark before it. */
const mark = '\0json:'
const isPacked = (value: unknown) => typeof value === 'string' && value.startsWith(mark)

function unpacked(value: unknown): unknown {
  const text = String(value)
  try {
    return JSON.parse(text.startsWith(mark) ? text.slice(mark.length) : text)
  } catch {
    return value
  }
}

/** The object in a text of JSON. A damaged one has its text. */
function jsonIn(text: unknown): JsonObject {
  try {
    const value: unknown = JSON.parse(String(text))
    return isObject(value) ? value : { damaged: text }
  } catch {
    return { damaged: text }
  }
}

/** The facts with a value; none without an id. */
function factsOf(facts: { readonly [K in keyof SessionFacts]?: unknown }): SessionFacts[] {
  const { id, ...others } = facts
  if (typeof id !== 'string' || id === '') return []
  const known = Object.entries(others).filter(([name, value]) =>
    name === 'started' || name === 'changed' ? typeof value === 'number' : typeof value === 'string' && value !== '',
  )
  return [{ ...asObject(Object.fromEntries(known)), id }]
}
