import { parseJson } from '@svc/text'
import type { Chunk } from '@svc/transcripts'
import type { InputFiles } from '../files.js'

type StorageFiles = Pick<InputFiles, 'readDirectory' | 'readFile' | 'checkpoint'>

/** The folders of a storage of opencode that are read with the sessions. */
export const readWithSessions: readonly string[] = ['message', 'part']

/**
 * The folder of the storage of opencode that a file is a session of. A session is `session/PROJECT/SESSION.json`,
 * `message/SESSION/*.json` for each message, and `part/MESSAGE/*.json` for each part of it.
 */
export function sessionIn(io: Pick<InputFiles, 'isThere'>, path: string): string | undefined {
  const folder = /^(.*?)[/\\]?session[/\\][^/\\]+[/\\][^/\\]+\.json$/s.exec(path)?.[1]
  if (folder === undefined) return undefined
  const storage = folder === '' && !/^[/\\]/.test(path) ? '.' : folder
  return io.isThere(`${storage}/message`) ? storage : undefined
}

/** The files of a session, one after the other: each message, and then its parts. A file that cannot be read is empty. */
export async function* sessionParts(io: StorageFiles, storage: string, path: string): AsyncGenerator<Chunk> {
  const session = await io.readFile(path, { isPlain: true })
  yield session
  const messages = `message/${idOf(session, path)}`
  for (const name of await jsonIn(io, `${storage}/${messages}`)) {
    await io.checkpoint()
    const message = await contentOf(io, `${storage}/${messages}/${name}`)
    yield { member: `${messages}/${name}` }
    yield message
    const parts = `part/${idOf(message, name)}`
    for (const part of await jsonIn(io, `${storage}/${parts}`)) {
      yield { member: `${parts}/${part}` }
      yield await contentOf(io, `${storage}/${parts}/${part}`)
    }
  }
}

/** The files of a session that change last: its newest message, and the parts of that. None for other files. */
export async function lastFiles(io: StorageFiles & Pick<InputFiles, 'isThere'>, path: string): Promise<string[]> {
  const storage = sessionIn(io, path)
  if (storage === undefined) return []
  const messages = `${storage}/message/${baseName(path)}`
  const name = (await jsonIn(io, messages)).at(-1)
  if (name === undefined) return []
  const parts = `${storage}/part/${baseName(name)}`
  return [`${messages}/${name}`, ...(await jsonIn(io, parts)).map((part) => `${parts}/${part}`)]
}

/** The folders of messages in a storage that belong to none of its sessions. */
export async function messagesWithoutSession(io: StorageFiles, storage: string): Promise<string[]> {
  const ids = new Set<string>()
  for (const project of await namesIn(io, `${storage}/session`)) {
    for (const name of await jsonIn(io, `${storage}/session/${project}`)) {
      await io.checkpoint()
      ids.add(idOf(await contentOf(io, `${storage}/session/${project}/${name}`), name))
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

const contentOf = (io: StorageFiles, path: string): Promise<Uint8Array> =>
  io.readFile(path, { isPlain: true }).catch(() => new Uint8Array())

/** Sorted: the names begin with the time. */
const namesIn = async (io: StorageFiles, folder: string): Promise<string[]> =>
  (await io.readDirectory(folder).catch(() => [])).map(({ name }) => name).sort()

const jsonIn = async (io: StorageFiles, folder: string): Promise<string[]> =>
  (await namesIn(io, folder)).filter((name) => name.endsWith('.json'))
