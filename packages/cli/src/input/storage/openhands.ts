import { grouped } from '@svc/text'
import type { Chunk } from '@svc/transcripts'
import type { OpenedFile } from '@svc/transcripts/containers'
import { contentOf, namesIn, type StorageFiles, type StoredSession } from './stored-files.js'

/** The file that stands for a conversation, the first that is there: its state; before version 1, and in an export, its facts. */
const firstNames = ['base_state.json', 'metadata.json', 'meta.json']

/** An event: `events/event-00001-ID.json`; before version 1 `events/1.json`; in an export `event_000001_ID.json`. */
const eventFile = /^((?:.*\/)?)(?:events\/(?:event-)?|event_)(\d+)(?:[-_][^/]+)?\.json$/s

const numberOf = (name: string) => Number(eventFile.exec(name)?.[2])
const byNumber = (a: string, b: string) => numberOf(a) - numberOf(b)

/** The conversation of OpenHands that a file stands for, with a file for each event beside it, or in the folder `events`. */
export async function openhandsSession(io: StorageFiles, path: string): Promise<StoredSession | undefined> {
  const match = /^(?:(.*)[/\\])?([^/\\]+)$/s.exec(path)
  const folder = match?.[1] ?? (/^[/\\]/.test(path) ? '' : '.')
  if (!firstNames.includes(match?.[2] ?? '')) return undefined
  if (firstNames.find((name) => io.isThere(`${folder}/${name}`)) !== match?.[2]) return undefined
  if (!(await hasEvents(io, folder))) return undefined
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

/** The paths below a folder that are read with the conversation in it, and files beside it that are not read. */
export async function filesOfConversation(
  io: StorageFiles,
  folder: string,
  names: ReadonlySet<string>,
): Promise<{ read: ReadonlySet<string>; companions: readonly string[] }> {
  const [first, ...others] = firstNames.filter((name) => names.has(name))
  const session = first && (await openhandsSession(io, folder === '' ? first : `${folder}/${first}`))
  if (!session) return { read: new Set(), companions: [] }
  const events = await eventsIn(io, session.folder)
  const inside = new Set(events.map((event) => event.replace(/^events\//, '')))
  const more = (await namesIn(io, `${session.folder}/events`)).filter((name) => !inside.has(name) && !isHidden(name))
  const cached = (await namesIn(io, `${session.folder}/event_cache`)).filter((name) => !cacheFile.test(name))
  return {
    read: new Set([...events.map((event) => event.replace(/\/.*/s, '')), 'event_cache', ...others]),
    companions: [...others, ...more.map((name) => `events/${name}`), ...cached.map((name) => `event_cache/${name}`)],
  }
}

/** The server keeps copies of events before version 1 in `event_cache/0-25.json`. */
const cacheFile = /^\d+-\d+\.json$/
const isHidden = (name: string) => name.startsWith('.')

/** The members of an archive, in which the events of a conversation follow the file that stands for it. */
export async function joinEvents(files: readonly OpenedFile[]): Promise<OpenedFile[]> {
  const members = new Map(files.map((file) => [file.member, file]))
  const placed = files.flatMap((event) => {
    const folder = eventFile.exec(event.member ?? '')?.[1]
    const name = folder === undefined ? undefined : firstNames.find((each) => members.has(folder + each))
    const first = name && members.get(`${folder}${name}`)
    return first ? [{ first, event }] : []
  })
  const joined = new Map<OpenedFile, OpenedFile>()
  const hidden = new Set<OpenedFile>()
  for (const [first, all] of grouped(placed, (each) => each.first)) {
    const events = all.map(({ event }) => event)
    events.sort((a, b) => byNumber(a.member ?? '', b.member ?? ''))
    if (!(await holdsEvent(events))) continue
    joined.set(first, { ...first, chunks: () => chunksOf(first, events) })
    for (const event of events) hidden.add(event)
    const { member = '' } = first
    const folder = member.slice(0, member.lastIndexOf('/') + 1)
    for (const name of firstNames) {
      const other = members.get(folder + name)
      if (other && other !== first) hidden.add(other)
    }
  }
  return files.flatMap((file) => (hidden.has(file) ? [] : [joined.get(file) ?? file]))
}

/** True if one of the first events is one of OpenHands: a file may be damaged. */
async function holdsEvent(events: readonly OpenedFile[]): Promise<boolean> {
  for (const { chunks } of events.slice(0, probed)) {
    for await (const chunk of chunks()) {
      if (chunk instanceof Uint8Array && looksLikeEvent(chunk)) return true
      break
    }
  }
  return false
}

const probed = 10

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

async function hasEvents(io: StorageFiles, folder: string): Promise<boolean> {
  for (const name of (await eventsIn(io, folder)).slice(0, probed))
    if (looksLikeEvent(await contentOf(io, `${folder}/${name}`))) return true
  return false
}

function looksLikeEvent(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, 1 << 16))
  return /"source":\s*"(?:user|agent|environment)"/.test(text) && /"(?:kind|action|observation)":\s*"/.test(text)
}
