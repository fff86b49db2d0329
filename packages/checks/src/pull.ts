import { join } from 'node:path'
import { systemClock, type TranscriptFilters } from '@svc/client'
import { openStored, type ReadingClient, type StoredList, type StoredOptions } from './check/index.js'
import { CheckError } from './check-error.js'
import type { Disk } from './disk.js'
import { nodeDisk, randomId as randomUuid } from './environment.js'
import { digestOf } from './values.js'

/** Options of `pullTranscripts`. */
export interface PullOptions extends Omit<StoredOptions, 'sample' | 'seed'> {
  /** The client that reads. */
  client: ReadingClient
  /** The project. */
  project: string
  /** Default: all transcripts of the project. */
  filters?: TranscriptFilters | undefined
  /** The folder to write to: a new or empty one, or that of an earlier pull. */
  folder: string
  /** Default: the disk of the machine. */
  disk?: Disk | undefined
  /** A name that no other file has. Default: a random UUID. */
  randomId?: (() => string) | undefined
}

/** The result of `pullTranscripts`. */
export interface PullResult {
  /** The list of the project. */
  list: StoredList
  /** The number of files that this pull wrote. */
  written: number
  /** The number of files that were there. */
  kept: number
  /** The transcripts that could not be read, each with the reason. `temporary`: a further pull may read it. */
  unread: readonly { path: string; detail: string; temporary: boolean }[]
}

const ignored = '# svc transcripts pull: these files hold transcripts\n*\n'

/** A file whose name ends so is no transcript: `svc check` of the folder does not judge it, and so does not pass. */
const unreadEnd = '.unread.json'

/** Says that the folder may lack transcripts, until a pull has all of them. */
const unfinished = `pull${unreadEnd}`

/**
 * Write each stored transcript that matches to a file of a folder, as the service shows it, but without the stamp of its
 * upload; `svc upload` and `check` read it. A file is written whole or not at all, for this user alone, and a further pull reads only
 * the transcripts that have none. While one is missing, a file ending in `.unread.json` says why, so that a check of the
 * folder does not pass.
 *
 * @throws {CheckError} with the code `unwritable_file` for a folder that holds other files, or that cannot be written
 * @throws {ServiceError} while the transcripts are listed, such as for an unknown project
 */
export async function pullTranscripts({
  client,
  project,
  filters = {},
  folder: path,
  disk = nodeDisk,
  randomId = randomUuid,
  ...options
}: PullOptions): Promise<PullResult> {
  const now = (options.clock ?? systemClock).now()
  const folder = openFolder(disk, { folder: await disk.place(path), shown: path, randomId, now })
  const { list, read, end } = openStored(client, project, filters, options)
  try {
    const listed = await list()
    folder.put(unfinished, unreadText(project, 'the pull has not ended'))
    const missing = listed.ids.filter((id) => !folder.has(`${nameOf(id)}.json`))
    const unread: PullResult['unread'][number][] = []
    for await (const { id, path, ...each } of read(missing)) {
      const name = nameOf(id)
      if ('error' in each) {
        const { error, temporary = false } = each
        unread.push({ path, detail: String(error), temporary })
        folder.put(`${name}${unreadEnd}`, unreadText(path, String(error)))
        continue
      }
      folder.put(`${name}.json`, `${each.text}\n`)
      folder.remove(`${name}${unreadEnd}`)
    }
    if (listed.gap) folder.put(unfinished, unreadText(project, listed.gap.detail))
    else folder.removeUnread(new Set(listed.ids.map(nameOf)))
    const kept = listed.ids.length - missing.length
    return { list: listed, written: missing.length - unread.length, kept, unread }
  } finally {
    end()
  }
}

const unreadText = (path: string, detail: string): string =>
  `${JSON.stringify({ schema: 'svc/unread@1', path, detail })}\n`

/** The name of the file of a transcript. An id that is no plain name, or that another one may equal on this disk, is hashed. */
const nameOf = (id: string): string => (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(id) ? id : `tr-${digestOf(id)}`)

interface Folder {
  has(name: string): boolean
  /** Write a file whole, also in place of an earlier one. */
  put(name: string, text: string): void
  remove(name: string): void
  /** Remove what says that a transcript is missing, but for those with these names. */
  removeUnread(names: ReadonlySet<string>): void
}

const isDraft = (name: string): boolean => /^\..*\.draft$/.test(name)

/** The age in milliseconds at which a draft belongs to a killed process. */
const oldDraft = 3_600_000

function openFolder(
  disk: Disk,
  { folder, shown, randomId, now }: { folder: string; shown: string; randomId: () => string; now: number },
): Folder {
  const unwritable = (error: unknown): CheckError => {
    const { code, message } = Object(error) as NodeJS.ErrnoException
    return new CheckError('unwritable_file', `${shown}: the folder cannot be written (${code ?? message}).`, {
      cause: error,
      hint: 'name a new folder where you may write',
    })
  }
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work()
    } catch (error) {
      throw unwritable(error)
    }
  }
  const put = (name: string, text: string) =>
    attempt(() => {
      const draft = join(folder, `.${name}.${randomId()}.draft`)
      try {
        disk.create(draft, text, { flush: true })
        disk.rename(draft, join(folder, name))
      } finally {
        disk.remove(draft)
      }
    })
  const remove = (name: string) => attempt(() => disk.remove(join(folder, name)))
  attempt(() => disk.makeFolder(folder))
  const names = attempt(() => disk.list(folder))
  const others = names.filter((name) => !isDraft(name))
  if (others.length > 0 && !(others.includes('.gitignore') && disk.readText(join(folder, '.gitignore')) === ignored))
    throw new CheckError('unwritable_file', `${shown}: the folder holds other files.`, { hint: 'name a new folder' })
  for (const place of names.filter(isDraft).map((name) => join(folder, name))) {
    const { changedAt = now } = disk.facts(place) ?? {}
    if (changedAt <= now - oldDraft) attempt(() => disk.remove(place))
  }
  if (others.length === 0) put('.gitignore', ignored)
  return {
    has: (name) => disk.facts(join(folder, name)) !== undefined,
    put,
    remove,
    removeUnread(kept) {
      const names = attempt(() => disk.list(folder)).filter((name) => name.endsWith(unreadEnd))
      for (const name of names) if (!kept.has(name.slice(0, -unreadEnd.length))) remove(name)
    },
  }
}
