import type { Chunk } from '@svc/transcripts'
import type { InputFiles } from '../files.js'

export type StorageFiles = Pick<InputFiles, 'isThere' | 'readDirectory' | 'readFile' | 'checkpoint'>

/** A session of several files, of which one stands for all. */
export interface StoredSession {
  /** The folder around its files. */
  folder: string
  /** The file that stands for all, and then the others. A file that cannot be read is empty. */
  chunks(): AsyncIterable<Chunk>
  /** The files that change last, beside the one that stands for all. */
  lastFiles(): Promise<string[]>
}

export const contentOf = (io: StorageFiles, path: string): Promise<Uint8Array> =>
  io.readFile(path, { isPlain: true }).catch(() => new Uint8Array())

/** The names in a folder, sorted; none if it is missing. */
export const namesIn = async (io: StorageFiles, folder: string): Promise<string[]> =>
  (await io.readDirectory(folder).catch(() => [])).map(({ name }) => name).sort()
