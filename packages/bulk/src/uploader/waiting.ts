import { join } from 'node:path'
import { BulkError } from '../bulk-error.js'
import type { Disk, DiskFile } from '../environment/index.js'
import {
  cannotWrite,
  createJournal,
  type Journal,
  ledgerTargets,
  lost,
  normalTarget,
  otherVersion,
  stemOf,
  syncFolders,
  type Target,
} from '../ledger/index.js'
import type { UploadItem } from '../upload/index.js'

/** An upload that `add` has recorded. */
export interface Added {
  /** When it was added, in ISO 8601. */
  at: string
  /** The upload without its content. */
  item: UploadItem
  /** Its body; absent once it is stored. */
  json?: string
  /** The id under which it is stored, if only the search for a copy is left. */
  stored?: string
}

/** An upload that waits, and the file that holds it. */
export interface WaitingEntry extends Added {
  segment: Segment
  bytes: number
  /** Its position among all that were added. */
  ordinal: number
}

/** A file of uploads. A new one is begun once it is long enough, so that those that are stored can be removed. */
interface Segment {
  path: string
  /** Lines that are synced to disk, after the header, and the size of the file up to their end. */
  lines: number
  size: number
  /** Lines that were read, and lines that need no longer be kept. */
  taken: number
  finished: number
  /** Adds under way. */
  adding: number
  /** True after a write or a sync that failed: then another file is begun. */
  isFailed: boolean
  reader: ReturnType<typeof createLineReader>
  /** Undefined once nothing more is added to it. */
  open: { file: DiskFile; journal: Journal } | undefined
}

export type Waiting = ReturnType<typeof openWaiting>

const ending = '.waiting'
const schema = 'svc/waiting@1'
/** A file is ended after so many bytes. */
const segmentBytes = 4 << 20

/** Throws a BulkError if a folder has uploads to another project or service. */
export function refuseOtherTargets(disk: Disk, folder: string, target: Target): void {
  const headers = [...ledgerTargets(disk, folder), ...waitingFiles(disk, folder).map((path) => headerOf(disk, path))]
  const other = headers.find((each) => each && stemOf(each) !== stemOf(target))
  if (!other) return
  throw new BulkError(
    'ledger_other_target',
    `The upload ledger in ${folder} is of project ${other.project} of ${other.baseUrl}.`,
    { hint: `use a folder of its own for project ${target.project} of ${target.baseUrl}` },
  )
}

/**
 * Open the uploads that wait in a folder, in the order in which they were added. The caller holds the lock of the ledger.
 * `isOwner`: false once another process may have it: what that one reads is left as it is, and nothing more counts as added.
 *
 * @throws {BulkError} if a file cannot be read or written, or is damaged
 */
export function openWaiting(disk: Disk, folder: string, target: Target, maxBytes: number, isOwner: () => boolean) {
  // One function: all that is added and finished shares the files and the counts.
  const header = `${JSON.stringify({ schema, ...normalTarget(target) })}\n`
  const segments = waitingFiles(disk, folder).flatMap((path) => recovered(disk, path, target))
  let number = segments.reduce((most, { path }) => Math.max(most, numberIn(path)), 0)
  let bytes = segments.reduce((sum, { size }) => sum + size - Buffer.byteLength(header), 0)
  let added = segments.reduce((sum, { lines }) => sum + lines, 0)
  let taken = 0
  /** The next file, which exists before it is needed, so that no `add` waits for the sync of its name. */
  let spare: Segment | undefined
  let isClosed = false

  function create(): Segment {
    const path = join(folder, `${stemOf(target)}.${String(++number).padStart(8, '0')}${ending}`)
    disk.create(path, header)
    const file = openCreated(path)
    const size = Buffer.byteLength(header)
    const reader = createLineReader(disk, path, size)
    const open = { file, journal: journalOn(file, size) }
    return { path, lines: 0, size, taken: 0, finished: 0, adding: 0, isFailed: false, reader, open }
  }

  function openCreated(path: string): DiskFile {
    try {
      syncFolders(disk, folder)
      return disk.open(path, 'append')
    } catch (error) {
      disk.remove(path)
      throw error
    }
  }

  /** The file to which uploads are added. */
  function current(): Segment {
    const last = segments.at(-1)
    if (last?.open && !last.isFailed && last.size < segmentBytes) return last
    const next = spare ?? create()
    spare = undefined
    segments.push(next)
    if (last?.open) seal(last)
    return next
  }

  function prepareSpare({ size }: Segment): void {
    if (spare || isClosed || size < segmentBytes / 2) return
    try {
      spare = create()
    } catch {
      // The `add` that needs it tries again, and says why it cannot.
    }
  }

  /** Ends a file, once nothing is being added to it. */
  function seal(segment: Segment): void {
    const { open, adding, size } = segment
    if (!open || adding > 0) return
    segment.open = undefined
    try {
      // Lines of an `add` that failed may be there.
      if (isOwner()) open.file.truncate(size)
    } catch {
      // Then they may be read after a restart: the same upload, which is stored once if it is added again.
    }
    open.file.close()
    tidy(segment)
  }

  /** Removes the content of a file of which nothing is needed any more. */
  function tidy(segment: Segment): void {
    const { path, lines, finished, adding, open, reader } = segment
    if (finished < lines || adding > 0 || !isOwner()) return
    try {
      if (!open) {
        segments.splice(segments.indexOf(segment), 1)
        reader.close()
        disk.remove(path)
      } else if (lines > 0 && !segment.isFailed) {
        const size = Buffer.byteLength(header)
        open.file.truncate(size)
        Object.assign(segment, { lines: 0, taken: 0, finished: 0, size })
        open.journal = journalOn(open.file, size)
        reader.rewind(size)
      }
    } catch {
      // It is removed by the next one, at the latest by the next process.
    }
  }

  async function append(segment: Segment, text: string): Promise<void> {
    const size = Buffer.byteLength(text) + 1
    segment.adding++
    try {
      await segment.open?.journal.appendSynced([text])
      segment.lines++
      segment.size += size
    } catch (error) {
      // Nothing is known of the bytes after a failed sync, so the next `add` begins another file.
      segment.isFailed = true
      throw cannotWrite(segment.path, error)
    } finally {
      segment.adding--
    }
  }

  function takeFrom(segment: Segment): WaitingEntry | undefined {
    while (segment.taken < segment.lines) {
      const line = segment.reader.next()
      if (line === undefined) throw damagedUpload(segment.path, segment.taken + 2)
      segment.taken++
      taken++
      const entry = parse(line)
      if (entry) return { ...entry, segment, bytes: Buffer.byteLength(line) + 1, ordinal: taken }
      // After a loss of power, zeros may stand in place of what was not synced.
      if (!line.includes('\0')) throw damagedUpload(segment.path, segment.taken + 1)
      segment.finished++
    }
    return undefined
  }

  /** Read, and not given out yet. */
  let peeked: WaitingEntry | undefined
  /** Why the next one cannot be read: those behind it are not read either. */
  let failure: { error: unknown } | undefined
  function next(): WaitingEntry | undefined {
    const first = peeked
    peeked = undefined
    if (first) return first
    if (failure) throw failure.error
    try {
      for (const segment of segments) {
        const entry = takeFrom(segment)
        if (entry) return entry
      }
      return undefined
    } catch (error) {
      failure = { error }
      throw error
    }
  }

  return {
    /** Resolves when an upload survives `kill -9` and a loss of power. Those that come together share one sync. Rejects with a BulkError. */
    async add(entry: Added): Promise<void> {
      const text = JSON.stringify(entry)
      const size = Buffer.byteLength(text) + 1
      if (bytes + size > maxBytes) throw tooMuch(maxBytes)
      bytes += size
      let segment: Segment | undefined
      try {
        segment = current()
        await append(segment, text)
        // Whoever takes the ledger over from now on reads it.
        if (!isOwner()) throw lost(segment.path)
        added++
      } catch (error) {
        bytes -= size
        throw error instanceof BulkError ? error : cannotWrite(folder, error)
      } finally {
        if (segment && (segment.isFailed || segment !== segments.at(-1))) seal(segment)
      }
      prepareSpare(segment)
    },
    /** The next upload that was added and not read yet. Throws a BulkError if it cannot be read. */
    next,
    /** An upload need no longer be kept. */
    finish({ segment, bytes: size }: WaitingEntry): void {
      bytes -= size
      segment.finished++
      tidy(segment)
    },
    /** When the oldest of those was added, in ISO 8601; undefined if it is not known, or cannot be read. */
    oldest(): string | undefined {
      try {
        peeked ??= next()
      } catch {
        // Sending meets the same error, and reports it.
      }
      return peeked?.at
    },
    /** The number of uploads that were not read yet, and of all that were added. */
    unread: () => added - taken + (peeked ? 1 : 0),
    added: () => added,
    bytes: () => bytes,
    /** Keep only what is not finished: `kept`, and what was not read. Closes the files; call it after the last `add`. */
    async close(kept: readonly WaitingEntry[]): Promise<void> {
      isClosed = true
      for (const segment of spare ? [...segments, spare] : [...segments]) {
        const entries = [...kept, ...(peeked ? [peeked] : [])].filter((each) => each.segment === segment)
        const isPartial = segment.finished > 0 || entries.some(({ stored }) => stored !== undefined)
        try {
          if (segment.finished < segment.lines && isPartial && isOwner()) await keepOnly(segment, entries)
          else if (segment.finished === segment.lines && isOwner()) disk.remove(segment.path)
        } catch {
          // Then the results of those that are finished are given once more after a restart.
        }
        segment.open?.file.close()
        segment.reader.close()
      }
    },
  }

  /** Copies what is not finished of a file into a new one, and removes it. */
  async function keepOnly(segment: Segment, kept: readonly WaitingEntry[]): Promise<void> {
    const copy = create()
    const lines: string[] = []
    const write = ({ at, item, json, stored }: Added) =>
      lines.push(JSON.stringify({ at, item, ...(stored === undefined ? { json } : { stored }) }))
    for (const each of kept) write(each)
    for (let entry = takeFrom(segment); entry; entry = takeFrom(segment)) write(entry)
    try {
      await copy.open?.journal.appendSynced(lines)
      disk.remove(segment.path)
    } catch (error) {
      disk.remove(copy.path)
      throw error
    } finally {
      copy.open?.file.close()
    }
  }
}

/** A rebuild restores no upload that waits: the service does not have it. */
const damagedUpload = (path: string, line: number): BulkError =>
  new BulkError('ledger_damaged', `An upload that waits to be sent is damaged: ${path}:${line} is not a valid entry.`, {
    hint: 'correct that line, or move it into a file elsewhere, and keep the others: they are stored nowhere else',
  })

const journalOn = (file: DiskFile, length: number): Journal => createJournal({ file, length }, () => () => {})

const tooMuch = (maxBytes: number): BulkError =>
  new BulkError('too_much_waiting', `More than ${maxBytes} bytes of uploads wait to be sent.`, {
    details: ['Nothing of this upload is recorded.'],
    hint: 'add it again later, or raise maxWaitingBytes',
  })

function waitingFiles(disk: Disk, folder: string): string[] {
  const names = disk.list(folder).filter((name) => name.endsWith(ending))
  return names.sort().map((name) => join(folder, name))
}

const numberIn = (path: string): number => Number(path.split('.').at(-2)) || 0

/** The target of a file; undefined if it was created and its header was lost: then no upload in it was recorded. */
function headerOf(disk: Disk, path: string): Target | undefined {
  const reader = createLineReader(disk, path, 0)
  try {
    const line = reader.next()
    if (line === undefined || line.includes('\0')) return undefined
    const { schema: given, baseUrl, project } = Object(parseJson(line))
    if (/^svc\/waiting@(?!1$)\d+$/.test(given)) throw otherVersion(path, given)
    if (given !== schema || typeof baseUrl !== 'string' || typeof project !== 'string') throw damagedUpload(path, 1)
    return { baseUrl, project }
  } finally {
    reader.close()
  }
}

/** A file of an earlier process, to which nothing more is added. */
function recovered(disk: Disk, path: string, target: Target): Segment[] {
  const header = headerOf(disk, path)
  if (!header) {
    disk.remove(path)
    return []
  }
  if (stemOf(header) !== stemOf(target)) return []
  const counting = createLineReader(disk, path, 0)
  let lines = -1
  while (counting.next() !== undefined) lines++
  const size = counting.position()
  counting.close()
  const reader = createLineReader(disk, path, 0)
  reader.next()
  return [{ path, lines, size, taken: 0, finished: 0, adding: 0, isFailed: false, reader, open: undefined }]
}

function parse(line: string): Added | undefined {
  const value = Object(parseJson(line)) as Partial<Added>
  const { at, item, json, stored } = value
  const isWhole = typeof at === 'string' && typeof item?.identity?.key === 'string'
  return isWhole && (typeof json === 'string' || typeof stored === 'string') ? (value as Added) : undefined
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Reads the lines of a file that grows. */
function createLineReader(disk: Disk, path: string, from: number) {
  let file: DiskFile | undefined
  let at = from
  let held: Buffer = Buffer.alloc(0)
  return {
    /** The next whole line; undefined at the end of what is there. */
    next(): string | undefined {
      file ??= disk.open(path, 'read')
      for (let searched = 0; ; ) {
        const end = held.indexOf(10, searched)
        if (end !== -1) {
          const line = held.toString('utf8', 0, end)
          held = held.subarray(end + 1)
          return line
        }
        searched = held.length
        const chunk = Buffer.allocUnsafe(Math.max(1 << 16, held.length))
        const read = file.read(chunk, 0, chunk.length, at)
        if (read === 0) return undefined
        at += read
        held = Buffer.concat([held, chunk.subarray(0, read)])
      }
    },
    /** The end of the last whole line that was read. */
    position: (): number => at - held.length,
    /** Go on at a position, after the file was cut off there. */
    rewind(to: number): void {
      at = to
      held = Buffer.alloc(0)
    },
    close(): void {
      file?.close()
      file = undefined
    },
  }
}
