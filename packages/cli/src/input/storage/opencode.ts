import { parseJson } from '@svc/text'
import type { Chunk } from '@svc/transcripts'
import { contentOf, namesIn, type StorageFiles, type StoredSession } from './stored-files.js'

/** The folders of a storage of opencode that are read with the sessions. */
export const readWithSessions: readonly string[] = ['message', 'part']

/** The folders that hold the files of sessions: that of all projects, or in the older layout that of one. */
export const sessionHomes: readonly string[] = ['session', 'info']

/**
 * The session of opencode that a file is. It is `session/PROJECT/SESSION.json`, `message/SESSION/*.json` for each message, and
 * `part/MESSAGE/*.json` for each part of it. In the older layout it is `info/SESSION.json`, with parts in
 * `part/SESSION/MESSAGE/*.json`, in the folder `session` of a project.
 */
export function opencodeSession(io: StorageFiles, path: string): StoredSession | undefined {
  const folder = storageOf(io, path)
  return folder === undefined
    ? undefined
    : { folder, chunks: () => sessionParts(io, folder, path), lastFiles: () => lastFiles(io, folder, path) }
}

/** The folder around the messages and parts of the session that a file is. */
function storageOf(io: StorageFiles, path: string): string | undefined {
  const folders = [older.exec(path), newer.exec(path)].flatMap((match) => (match ? [match[1] ?? ''] : []))
  const storages = folders.map((folder) => (folder === '' && !/^[/\\]/.test(path) ? '.' : folder))
  return storages.find((folder) => io.isThere(`${folder}/message`))
}

const newer = /^(.*?)[/\\]?session[/\\][^/\\]+[/\\][^/\\]+\.json$/s
const older = /^(?:(.*?)[/\\])?info[/\\][^/\\]+\.json$/s

/** The folder of the parts of a message; `path` is the file of its session. */
const partsOf = (path: string, session: string, message: string): string =>
  older.test(path) ? `part/${session}/${message}` : `part/${message}`

/** The files of a session, one after the other: each message, and then its parts. A file that cannot be read is empty. */
async function* sessionParts(io: StorageFiles, storage: string, path: string): AsyncGenerator<Chunk> {
  const session = await io.readFile(path, { isPlain: true })
  yield session
  const id = idOf(session, path)
  const messages = `message/${id}`
  for (const name of await jsonIn(io, `${storage}/${messages}`)) {
    await io.checkpoint()
    const message = await contentOf(io, `${storage}/${messages}/${name}`)
    yield { member: `${messages}/${name}` }
    yield message
    const parts = partsOf(path, id, idOf(message, name))
    for (const part of await jsonIn(io, `${storage}/${parts}`)) {
      yield { member: `${parts}/${part}` }
      yield await contentOf(io, `${storage}/${parts}/${part}`)
    }
  }
}

/** The newest message, and the parts of that. */
async function lastFiles(io: StorageFiles, storage: string, path: string): Promise<string[]> {
  const session = baseName(path)
  const messages = `${storage}/message/${session}`
  const name = (await jsonIn(io, messages)).at(-1)
  if (name === undefined) return []
  const parts = `${storage}/${partsOf(path, session, baseName(name))}`
  return [`${messages}/${name}`, ...(await jsonIn(io, parts)).map((part) => `${parts}/${part}`)]
}

/** The folders of messages in a storage that belong to none of its sessions. */
export async function messagesWithoutSession(io: StorageFiles, storage: string): Promise<string[]> {
  const ids = new Set<string>()
  const projects = (await namesIn(io, `${storage}/session`)).map((project) => `session/${project}`)
  for (const folder of ['info', ...projects]) {
    for (const name of await jsonIn(io, `${storage}/${folder}`)) {
      await io.checkpoint()
      ids.add(idOf(await contentOf(io, `${storage}/${folder}/${name}`), name))
    }
  }
  const folders = await namesIn(io, `${storage}/message`)
  return folders.filter((id) => !ids.has(id)).map((id) => `${storage}/message/${id}`)
}

/** The id in a file, or else its name, which is the same in a storage that is not damaged. */
function idOf(bytes: Uint8Array, path: string): string {
  const id = (parseJson(new TextDecoder().decode(bytes))?.value as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' && /^[\w-]+$/.test(id) ? id : baseName(path)
}

const baseName = (path: string) => path.replace(/^.*[/\\]/s, '').replace(/\.json$/, '')

const jsonIn = async (io: StorageFiles, folder: string): Promise<string[]> =>
  (await namesIn(io, folder)).filter((name) => name.endsWith('.json'))
