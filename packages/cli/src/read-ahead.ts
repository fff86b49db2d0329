import { resolve } from 'node:path'
import type { Reader } from './read-ahead-thread.js'

/** A file that is to be worked on, and all that is in it, where that has been read. */
export interface ReadFile {
  path: string
  whole?: Uint8Array
}

/** A thread takes some 20 ms to start, in which a hundred files are read and worked on. */
const many = 256
const together = 64
const batchesAhead = 3

/**
 * The files of lists in their order; where a list is long, the small ones are read by a thread of their own while those
 * before them are worked on. What is large or cannot be read is left to whoever opens it.
 */
export async function* readAhead(
  lists: AsyncIterable<string[]>,
  cwd: string,
): AsyncGenerator<ReadFile[], void, undefined> {
  let reader: Reader | undefined
  try {
    for await (const paths of lists) {
      if (paths.length < many) yield paths.map((path) => ({ path }))
      else {
        reader ??= (await import('./read-ahead-thread.js')).createReader()
        yield* filesRead(paths, cwd, reader)
      }
    }
  } finally {
    reader?.close()
  }
}

async function* filesRead(paths: readonly string[], cwd: string, { read }: Reader) {
  const batches: Promise<ReadFile[]>[] = []
  for (let at = 0; at < paths.length; at += together) {
    const batch = paths.slice(at, at + together)
    batches.push(read(batch.map((path) => resolve(cwd, path))).then((found) => batch.map(withBytes(found))))
    if (batches.length === batchesAhead) yield await (batches.shift() as Promise<ReadFile[]>)
  }
  for (const batch of batches) yield await batch
}

const withBytes =
  (found: readonly (Uint8Array | undefined)[]) =>
  (path: string, at: number): ReadFile => {
    const whole = found[at]
    return whole ? { path, whole } : { path }
  }
