import type { Chunk } from '@svc/transcripts'
import type { OpenedFile } from '@svc/transcripts/containers'
import { contentOf, namesIn, type StorageFiles, type StoredSession } from './stored-files.js'

/** The file that stands for a conversation: its state; in older versions, and in an export, its facts. */
const firstFile = /^(?:(.*)[/\\])?(?:base_state|metadata|meta)\.json$/s

/** An event: `events/event-00001-ID.json`; in older versions `events/1.json`; in an export `event_000001_ID.json`. */
const eventFile = /^(?:events\/(?:event-)?|event_)(\d+)(?:[-_][^/]+)?\.json$/

const numberOf = (name: string) => Number(eventFile.exec(name)?.[1])
const byNumber = (a: string, b: string) => numberOf(a) - numberOf(b)

/** The conversation of OpenHands that a file stands for, with a file for each event beside it, or in the folder `events`. */
export async function openhandsSession(io: StorageFiles, path: string): Promise<StoredSession | undefined> {
  const found = firstFile.exec(path)
  if (!found) return undefined
  const folder = found[1] ?? (/^[/\\]/.test(path) ? '' : '.')
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
export async function namesOfEvents(io: StorageFiles, folder: string, names: readonly string[]): Promise<Set<string>> {
  for (const name of names) {
    if (!firstFile.test(name) || !(await openhandsSession(io, folder === '' ? name : `${folder}/${name}`))) continue
    const events = await eventsIn(io, folder === '' ? '.' : folder)
    return new Set([...events.map((event) => event.replace(/\/.*/, '')), 'event_cache'])
  }
  return new Set()
}

/** The members of an archive, in which the events of a conversation follow the file that stands for it. */
export function joinEvents(files: readonly OpenedFile[]): OpenedFile[] {
  const joined = new Set<OpenedFile>()
  return files
    .map((file) => {
      const { member = '' } = file
      if (!firstFile.test(member)) return file
      const folder = member.replace(/[^/]*$/, '')
      const nameOf = (event: OpenedFile) => (event.member?.startsWith(folder) ? event.member.slice(folder.length) : '')
      const events = files.filter((each) => eventFile.test(nameOf(each))).sort((a, b) => byNumber(nameOf(a), nameOf(b)))
      for (const each of events) joined.add(each)
      return events.length === 0 ? file : { member, chunks: () => chunksOf(file, events) }
    })
    .filter((file) => !joined.has(file))
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
