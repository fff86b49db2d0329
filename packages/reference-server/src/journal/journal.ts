import type { JournalEntry } from './entry.js'

/** The latest requests of all edges, oldest first, bounded by their count and by the bytes of what they hold; see `journalBytes`. */
export interface Journal extends ReadonlyArray<JournalEntry> {
  /** The requests of an operation, such as `transcripts.upload`. */
  for(operation: string): readonly JournalEntry[]
  /** How many earlier requests were dropped, since the start or the last `clear`. */
  readonly dropped: number
  /** Forget all requests, or a part of them; `dropped` begins again at 0 with all. */
  clear(part?: JournalPart): void
}

/** A part of a journal: the requests for which all that is given holds. */
export interface JournalPart {
  /** The id of their operation, such as `transcripts.upload`. */
  operation?: string | undefined
  /** They came before this time, in milliseconds since the epoch. */
  until?: number | undefined
}

interface Bounds {
  /** The most entries. */
  entries: number
  /** The most bytes of entries and bodies. */
  bytes: number
}

/** About the size of an entry without its path, problems and bodies, in bytes. */
const entryBytes = 1_000
/** About the size of a problem. */
const problemBytes = 150

/** A journal, and the function that adds a request to it. */
export interface Recorder {
  readonly requests: Journal
  record(entry: JournalEntry): void
}

/**
 * Create a journal. Over its bytes it first drops the bodies of the oldest requests, then whole requests. It is a plain array, so
 * that tests compare and search it like one, and because the engine shifts only a plain array in constant time.
 */
export function createJournal(bounds: Bounds): Recorder {
  const requests: JournalEntry[] = []
  let bytes = 0
  let dropped = 0
  let lastId = 0
  /** No request before this place has bodies. */
  let firstBodies = 0

  const add = (entry: JournalEntry) => {
    requests.push(entry)
    bytes += sizeOf(entry) + bodiesSize(entry)
    for (; bytes > bounds.bytes && firstBodies < requests.length; firstBodies++) dropBodies(requests[firstBodies])
    while (requests.length > bounds.entries || (bytes > bounds.bytes && requests.length > 0)) {
      const oldest = requests.shift()
      if (oldest) bytes -= sizeOf(oldest) + bodiesSize(oldest)
      firstBodies = Math.max(0, firstBodies - 1)
      dropped++
    }
  }
  const dropBodies = (entry: JournalEntry | undefined) => {
    if (!entry || bodiesSize(entry) === 0) return
    bytes -= bodiesSize(entry)
    entry.bodiesDropped = true
    delete entry.body
    entry.answer = { headers: entry.answer.headers }
  }
  const clear: Journal['clear'] = ({ operation, until = Number.POSITIVE_INFINITY } = {}) => {
    const isForgotten = (entry: JournalEntry) =>
      (operation === undefined || entry.operation === operation) && entry.at < until
    const kept = requests.filter((entry) => !isForgotten(entry))
    if (operation === undefined && until === Number.POSITIVE_INFINITY) dropped = 0
    requests.length = 0
    bytes = 0
    firstBodies = 0
    for (const entry of kept) add(entry)
  }

  const journal = Object.defineProperties(requests, {
    for: { value: (operation: string) => requests.filter((entry) => entry.operation === operation) },
    dropped: { get: () => dropped },
    clear: { value: clear },
  }) as JournalEntry[] & Journal
  return {
    requests: journal,
    record(entry) {
      entry.id = ++lastId
      add(entry)
    },
  }
}

const sizeOf = ({ path, problems = [] }: JournalEntry): number =>
  entryBytes + path.length + problems.length * problemBytes

/** The size of the bodies that an entry still holds. */
const bodiesSize = ({ bodiesDropped, bodyBytes = 0, answer }: JournalEntry): number =>
  bodiesDropped ? 0 : bodyBytes + (answer.body?.length ?? 0)
