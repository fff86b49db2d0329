import type { Surface } from './types.js'

/** One request that was answered. Keys are redacted; bodies are not kept. */
export interface JournalEntry {
  /** As it came: HEAD and OPTIONS, too. */
  method: string
  /** Under whose base it came; `annotation` for what stands under none. */
  surface: Surface
  /** The path below the base URL of its surface, with the query; as it was sent, but for the keys in it. */
  path: string
  /** The operation's id, such as `projects.create`; null where none was found. */
  operation: string | null
  /** 499 where the caller went away before the answer. */
  status: number
  /** Prefix and last four characters; null without a key. */
  key: string | null
  /** Milliseconds since the epoch. */
  at: number
}

/** Adds an entry to a list that keeps the latest `max`. */
export function note(entries: JournalEntry[], entry: JournalEntry, max: number): void {
  entries.push(entry)
  if (entries.length > max) entries.shift()
}
