import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Annotation } from '@svc/client'
import { closeToOthers } from '../../close-to-others.js'
import type { Io } from '../../io.js'
import { makeFolder } from '../../make-folder.js'
import { isAnnotation } from '../annotation-shape.js'
import { compact } from './cache-compact.js'
import { cannotRead, codeOf, notFile } from './cache-failure.js'
import { annotationIn, lineOf, longestLine } from './cache-file.js'
import { type CacheIndex, indexOf } from './cache-index.js'
import { bytesAt } from './cache-lines.js'
import { createWriter } from './cache-writer.js'

export interface CacheOptions {
  /** A larger file is made smaller at the end, to three quarters of that. Default 64 MiB. */
  maxBytes?: number
  /** Tells the person what does not stop the run. */
  say(line: string): void
}

/** The annotations that were paid for before, by `cacheKey`. */
export interface Cache {
  /** Nothing was kept before this run. */
  wasEmpty: boolean
  /** Undefined where there is none. */
  get(key: string): Annotation | undefined
  /**
   * Keeps an annotation: it is in the file when this resolves, so that a run that is killed keeps what it paid for. One
   * that is not whole is not kept. Never rejects: what cannot be written is said once.
   */
  put(key: string, annotation: Annotation): Promise<void>
  /** Lets go of the file, and makes it smaller where it is too large. Sizes in bytes. Never rejects. */
  close(): Promise<{ entries: number; bytes: number; evicted: number }>
}

/**
 * Opens the cache at a path, having looked at every byte of it; nothing is made before something is put into it. Throws a
 * CliError with the place where it is damaged.
 */
export async function openCache(io: Io, path: string, { maxBytes = 64 << 20, say }: CacheOptions): Promise<Cache> {
  const place = io.resolve(path)
  const { fd, index } = await opened(place)
  if (fd !== undefined) await closeToOthers(io, place, 'It holds excerpts of transcripts.', say)
  const own = new Map<string, Annotation>()
  const used = new Set<string>()
  const writer = createWriter(place)
  let ready: Promise<void> | undefined
  let isWritable = true

  function orSay(what: string, error: unknown): void {
    say(`note: the cache of annotations cannot be ${what} (${codeOf(error)}): ${path}`)
  }

  return {
    wasEmpty: index.size === 0,
    get(key) {
      const range = index.get(key)
      const found = own.get(key) ?? (range && fd !== undefined ? annotationIn(bytesAt(fd, range), key) : undefined)
      if (found) used.add(key)
      return found
    },
    async put(key, annotation) {
      const line = isAnnotation(annotation) ? lineOf(key, annotation) : undefined
      if (line === undefined) return
      own.set(key, annotation)
      used.add(key)
      if (!isWritable || Buffer.byteLength(line) > longestLine) return
      try {
        ready ??= makeFolder(dirname(place))
        await ready
        if (isWritable) writer.add(line)
      } catch (error) {
        if (isWritable) orSay('written', error)
        isWritable = false
      }
    },
    async close() {
      writer.close()
      if (fd !== undefined) closeSync(fd)
      const whole = { entries: new Set([...index.keys(), ...own.keys()]).size, bytes: 0, evicted: 0 }
      try {
        whole.bytes = statSync(place, { throwIfNoEntry: false })?.size ?? 0
        if (whole.bytes <= maxBytes) return whole
        return (await compact(place, Math.floor(maxBytes * 0.75), (key) => used.has(key))) ?? whole
      } catch (error) {
        orSay('made smaller', error)
        return whole
      }
    },
  }
}

/** The file with what stands in it; no file where there is none yet. */
async function opened(path: string): Promise<{ fd?: number; index: CacheIndex }> {
  let fd: number | undefined
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) return { index: new Map() }
    if (!found.isFile()) throw notFile(path, found.isDirectory() ? 'a folder' : 'something else')
    fd = openSync(path, 'r')
    return { fd, index: await indexOf(fd, path) }
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw 'exit' in (error as object) ? error : cannotRead(path, error)
  }
}
