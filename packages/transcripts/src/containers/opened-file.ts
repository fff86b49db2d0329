import type { Chunk } from '../importer/index.js'
import type { SessionFacts } from '../sqlite/index.js'

/** A file that may hold transcripts, for `parseStream`. */
export interface OpenedFile {
  /** The name inside the archive, if the archive holds more than this file. */
  member?: string
  /** The facts of a session that is stored in a database. */
  session?: SessionFacts
  /** The chunks from the beginning, on every call; an array if all of them are in memory. A chunk is valid until the next one is requested. */
  chunks(): AsyncIterable<Chunk> | Chunk[]
}

/** The result of opening a file or archive. */
export interface Opened {
  /** At least one. */
  files: OpenedFile[]
  /** The names of the members of an archive that are not read. */
  left: string[]
}
