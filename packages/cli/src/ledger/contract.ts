import type { Happening } from './events.js'
import type { Item } from './fold.js'
import type { Identity } from './identity.js'
import type { Closing, Intent } from './intent.js'

/** What is known of an item; undefined where it was never heard of. */
export type Standing =
  /** Stored under this id; `by` says whether the item itself was, or another that was made of the same record. */
  | { state: 'done'; id: string; status?: string; by: 'key' | 'source' }
  /**
   * Sent perhaps: an intent that nothing closed, or that was closed as unknown. `at` is the intent's, in ISO 8601. `key`
   * is that of the item in doubt, which is another one where it was made of the same record.
   */
  | { state: 'open' | 'unknown'; key: string; at: string; candidates: string[] }
  | { state: 'refused'; status: number }
  | { state: 'unsent' }

/** An item whose fate is not known. */
export interface OpenItem extends Intent {
  state: 'open' | 'unknown'
  /** When it was first sent without its fate becoming known, in ISO 8601, by the clock of the machine that sent it. */
  since: string
  /** When it was last sent. */
  at: string
  /** Ids that may be it. */
  candidates: readonly string[]
  /** Ids under which it was stored before. */
  ids: readonly string[]
  /** When this process wrote its intent or first asked the service about it, in milliseconds; undefined if neither. */
  knownSince?: number | undefined
}

/** A write-ahead record of the uploads to one project, on disk. */
export interface Ledger {
  /** The file that this ledger writes. */
  readonly file: string
  /** What is known of an item by its key, else of what was made of the same record before. */
  standing(identity: Identity): Standing | undefined
  /**
   * The id of what an earlier run stored under the same external id with other content, such as a session that grew since;
   * of several, the one that was sent last.
   */
  changedFrom(identity: Identity, externalId: string | undefined): string | undefined
  /** Resolves when the intents are on disk; calls meanwhile share one sync. Rejects with a CliError when they cannot be. */
  intend(items: readonly Intent[]): Promise<void>
  /** Says what became of an intent. Written soon, and synced with what is synced next. */
  close(key: string, closing: Closing): void
  /** Says, before it is sent, that an item is: written down at once where its intent is no longer fresh. */
  sending(key: string): void
  /** Says what happened to an item, as `close` does. */
  note(happening: Exclude<Happening, { event: 'intent' }>): void
  /** All that is known of an item; less of one that is stored. */
  item(key: string): Item | undefined
  /** Items whose fate is not known: to be reconciled. Those of other shards are left to them. */
  open(): OpenItem[]
  /** Remembers when this process first asked the service about items, for `OpenItem.knownSince`. */
  asked(keys: readonly string[]): void
  /** Whether an id is known to be an upload of this ledger's. */
  claimed(id: string): boolean
  /** Writes all that was said before it returns: it is not lost with the process, though it may be with the machine. */
  write(): void
  /** Resolves when everything said is on disk. */
  flush(): Promise<void>
  /** Flushes and lets go of the files; may be called again. */
  release(): Promise<void>
}
