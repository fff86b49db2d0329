import { grouped } from '@svc/text'
import type { Chunk } from '@svc/transcripts'
import type { OpenedFile } from '@svc/transcripts/containers'
import { contentOf, namesIn, type StorageFiles, type StoredSession } from './stored-files.js'

/** The file that stands for a conversation, the first that is there: its state; before version 1, and in an export, its facts. */
const firstNames = ['base_state.json', 'metadata.json', 'meta.json']

/** An event, with its folder: `events/event-00001-ID.json`; before version 1 `events/1.json`; in an export `event_000001_ID.json`. */
const eventFile = /^((?:.*\/)?)(?:events\/(?:event-)?|event_)(\d+)(?:[-_][^/]+)?\.json$/s

const numberOf = (name: string) => Number(eventFile.exec(name)?.[2])
const byNumber = (a: string, b: string) => numberOf(a) - numberOf(b)

/** The conversation of OpenHands that a file stands for, with a file for each event beside it, or in the folder `events`. */
export async function openhandsSession(io: StorageFiles, path: string): Promise<StoredSession | undefined> {
  const found = /^(?:(.*)[/\\])?([^/\\]+)$/s.exec(path)
  const folder = found?.[1] ?? (/^[/\\]/.test(path) ? '' : '.')
  if (!firstNames.includes(found?.[2] ?? '')) return undefined
  if (firstNames.find((name) => io.isThere(`${folder}/${name}`)) !== found?.[2]) return undefined
  const [first] = await eventsIn(io, folder)
  const isEvent = first !== undefined && looksLikeEvent(await contentOf(io, `${folder}/${first}`))
  if (!isEvent) return undefined
  return {
    folder,
    async *chunks() {
      yield await io.readFile(path, { isPlain: true })
      for (const name of await eventsIn(io, folder)) {
        await io.checkpoint()
        yield { member: name }
        yield await contentOf(io, `${folder}/${name}`)
      }
    },
    lastFiles: async () => (await eventsIn(io, folder)).slice(-1).map((name) => `${folder}/${name}`),
  }
}

/** The names in a folder that are read with the conversation whose folder it is, and its cache of them. */
export async function namesOfEvents(
  io: StorageFiles,
  folder: string,
  names: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const first = firstNames.find((name) => names.has(name))
  const session = first && (await openhandsSession(io, folder === '' ? first : `${folder}/${first}`))
  if (!session) return new Set()
  const events = await eventsIn(io, session.folder)
  return new Set([...events.map((event) => event.replace(/\/.*/s, '')), 'event_cache'])
}

/** The members of an archive, in which the events of a conversation follow the file that stands for it. */
export function joinEvents(files: readonly OpenedFile[]): OpenedFile[] {
  const members = new Map(files.map((file) => [file.member, file]))
  const placed = files.flatMap((event) => {
    const folder = eventFile.exec(event.member ?? '')?.[1]
    const name = folder === undefined ? undefined : firstNames.find((each) => members.has(folder + each))
    const first = name && members.get(`${folder}${name}`)
    return first ? [{ first, event }] : []
  })
  const byFirst = grouped(placed, ({ first }) => first)
  const joined = new Set(placed.map(({ event }) => event))
  return files.flatMap((file) => {
    if (joined.has(file)) return []
    const own = byFirst.get(file)?.map(({ event }) => event)
    own?.sort((a, b) => byNumber(a.member ?? '', b.member ?? ''))
    return [own ? { ...file, chunks: () => chunksOf(file, own) } : file]
  })
}

async function* chunksOf(first: OpenedFile, events: readonly OpenedFile[]): AsyncGenerator<Chunk> {
  yield* first.chunks()
  for (const { member = '', chunks } of events) {
    yield { member }
    yield* chunks()
  }
}

async function eventsIn(io: StorageFiles, folder: string): Promise<string[]> {
  const inside = (await namesIn(io, `${folder}/events`)).map((name) => `events/${name}`)
  return [...inside, ...(await namesIn(io, folder))].filter((name) => eventFile.test(name)).sort(byNumber)
}

function looksLikeEvent(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, 1 << 16))
  return text.includes('"source"') && /"(?:kind|action|observation)"/.test(text)
}
