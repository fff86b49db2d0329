import type { Chunk } from '../importer/index.js'

/** A file that may hold transcripts, for `parseStream`. */
export interface OpenedFile {
  /** Its name inside the archive, where it is only one of those there. */
  member?: string
  /**
   * Its parts from the beginning, each time that they are asked for; a list where all of them are there already. A part is
   * good until the next is asked for.
   */
  chunks(): AsyncIterable<Chunk> | Chunk[]
}

/** The files that were found in a file. */
export interface Opened {
  /** At least one. */
  files: OpenedFile[]
  /** The members of an archive that are not read, by their names. */
  left: string[]
}
