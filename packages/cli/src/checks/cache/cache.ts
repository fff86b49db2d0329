import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Annotation } from '@svc/client'
import { closeToOthers } from '../../close-to-others.js'
import { makeFolder } from '../../disk.js'
import type { Io } from '../../io.js'
import { count } from '../../text.js'
import { isAnnotation } from '../annotation-shape.js'
import { compact } from './cache-compact.js'
import { annotationIn, lineOf, longestLine } from './cache-file.js'
import { type CacheIndex, indexOf } from './cache-index.js'
import { bytesAt } from './cache-lines.js'
import { createWriter } from './cache-writer.js'

export interface CacheOptions {
  /** A larger file is made smaller at the end, to three quarters of that. Default 64 MiB. */
  maxBytes?: number
  /** Says what the cache cannot do, which does not stop the run: a sentence without its full stop. */
  warn(text: string): void
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
 * Opens the cache at a path, having looked at every byte of it; nothing is made before something is put into it. Damaged
 * lines are misses, and are dropped when it is closed. A file that is no cache, or cannot be read, is neither used nor
 * changed. Both are said.
 */
export async function openCache(io: Io, path: string, { maxBytes = 64 << 20, warn }: CacheOptions): Promise<Cache> {
  const place = io.resolve(path)
  const { fd, index, damaged, isUsable } = await opened(io, place, warn)
  if (fd !== undefined) await closeToOthers(io, place, 'It holds excerpts of transcripts.', warn)
  const own = new Map<string, Annotation>()
  const used = new Set<string>()
  const writer = createWriter(place)
  let ready: Promise<void> | undefined
  let isWritable = isUsable

  function orSay(what: string, error: unknown): void {
    warn(`the cache of annotations cannot be ${what} (${codeOf(error)}): ${path}`)
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
      if (!isUsable) return whole
      try {
        whole.bytes = statSync(place, { throwIfNoEntry: false })?.size ?? 0
        if (whole.bytes <= maxBytes && damaged === 0) return whole
        const room = whole.bytes > maxBytes ? Math.floor(maxBytes * 0.75) : maxBytes
        return (await compact(place, room, (key) => used.has(key))) ?? whole
      } catch (error) {
        orSay('made smaller', error)
        return whole
      }
    },
  }
}

interface OpenedFile {
  fd?: number
  index: CacheIndex
  /** How many lines are damaged. */
  damaged: number
  isUsable: boolean
}

/** The file with what stands in it; no file where there is none yet, or none that can be used. */
async function opened(io: Io, path: string, warn: (text: string) => void): Promise<OpenedFile> {
  const unusable = (why: string): OpenedFile => {
    warn(`the cache of annotations is not used: ${why}`)
    return { index: new Map(), damaged: 0, isUsable: false }
  }
  let fd: number | undefined
  try {
    const { place } = await io.landingOf(path)
    const found = statSync(place, { throwIfNoEntry: false })
    if (!found) return { index: new Map(), damaged: 0, isUsable: true }
    if (!found.isFile()) return unusable(`${path} is ${found.isDirectory() ? 'a folder' : 'no file'}`)
    fd = openSync(place, 'r')
    const { index, damaged, firstDamage, isCache } = await indexOf(fd, path)
    if (!isCache) {
      closeSync(fd)
      return unusable(`it is no cache of this version of svc: ${firstDamage}`)
    }
    if (firstDamage !== undefined)
      warn(`the cache of annotations is damaged, and ${count(damaged, 'line')} of it not used: ${firstDamage}`)
    return { fd, index, damaged, isUsable: true }
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    return unusable(`it cannot be read (${codeOf(error)}): ${path}`)
  }
}

const codeOf = (error: unknown): string => {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  return code ?? message ?? String(error)
}
