import { join } from 'node:path'
import { type Annotation, systemClock } from '@svc/client'
import { count } from '@svc/text'
import { isAnnotation, type Versions } from './annotation.js'
import { CheckError } from './check-error.js'
import type { Disk } from './disk.js'
import { nodeDisk, randomId as randomUuid } from './environment.js'
import { digestOf } from './values.js'

/** The request and the versions that a cached annotation depends on. */
export interface Asking extends Versions {
  baseUrl: string
  digest: string
  /** From 1. */
  attempt: number
}

/** SHA-256 in hex of everything that an annotation depends on. */
export const cacheKey = ({ baseUrl, digest, annotator_version, taxonomy_version, attempt }: Asking): string =>
  digestOf([
    (URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl).replace(/(?<!\/)\/+$/, ''),
    digest,
    annotator_version,
    taxonomy_version,
    ...(attempt > 1 ? [attempt] : []),
  ])

/** Annotations of earlier runs: a folder with a file for each, named by its `cacheKey`. The files hold excerpts of transcripts. */
export interface Cache {
  /** There was no annotation in it when it was opened. */
  wasEmpty: boolean
  /** Undefined if there is none, and `damaged` if its file is not as it was written. */
  get(key: string): Annotation | 'damaged' | undefined
  /**
   * Write an annotation; its file is complete afterwards, but not synced. Never throws: the first failure to write is
   * returned as a sentence, and ends writing.
   */
  put(key: string, annotation: Annotation): string | undefined
  /**
   * Remove the oldest files beyond the size of the cache; files that this run used are removed last. Never throws: a problem
   * is returned as a sentence.
   */
  close(): string | undefined
}

/** Options of `openCache`. */
export interface CacheOptions {
  /** The size beyond which the oldest annotations are removed, in bytes. Default 64 MiB. */
  maxBytes?: number | undefined
  /** Default: the disk of the machine. */
  disk?: Disk | undefined
  /** Milliseconds since 1970. Default: the clock of the machine. */
  now?: (() => number) | undefined
  /** A name that no other file has. Default: a random UUID. */
  randomId?: (() => string) | undefined
}

/** The age in milliseconds at which a draft belongs to a killed process. */
const oldDraft = 3_600_000

/**
 * Open a cache of annotations. The first `put` creates the folder. Close it after the check.
 *
 * @throws {CheckError} with the code `unusable_cache`
 */
export async function openCache(
  path: string,
  { maxBytes = 64 << 20, disk = nodeDisk, now = () => systemClock.now(), randomId = randomUuid }: CacheOptions = {},
): Promise<Cache> {
  const { folder, wasEmpty } = await opened(disk, path)
  const used = new Set<string>()
  const nameOf = (key: string) => `${key}.json`
  let isReady = false
  let isWritable = true
  return {
    wasEmpty,
    get(key) {
      const entry = annotationAt(disk, join(folder, nameOf(key)), key)
      if (entry && entry !== 'damaged') used.add(nameOf(key))
      return entry
    },
    put(key, annotation) {
      if (!isWritable) return undefined
      try {
        if (!isReady) disk.makeFolder(folder)
        isReady = true
        const draft = join(folder, `.${nameOf(key)}.${randomId()}`)
        try {
          disk.create(draft, entryText(key, annotation))
          disk.rename(draft, join(folder, nameOf(key)))
        } finally {
          disk.remove(draft)
        }
        used.add(nameOf(key))
        return undefined
      } catch (error) {
        isWritable = false
        return `the cache of annotations cannot be written (${codeOf(error)}): ${path}`
      }
    },
    close() {
      try {
        const kept = cleanUp(disk, folder, { maxBytes, used, now: now() })
        const open = kept.filter(({ isOpen }) => isOpen)
        for (const { name } of open) disk.makePrivate(join(folder, name))
        if (open.length === 0) return undefined
        return `others on this machine could open ${count(open.length, 'file')} in ${path}; now they are yours alone. They hold excerpts of transcripts`
      } catch (error) {
        return `the cache of annotations cannot be cleaned up (${codeOf(error)}): ${path}`
      }
    },
  }
}

async function opened(disk: Disk, path: string): Promise<{ folder: string; wasEmpty: boolean }> {
  try {
    const folder = await disk.place(path)
    return { folder, wasEmpty: !namesIn(disk, folder).some(isOwn) }
  } catch (cause) {
    const facts = await disk
      .place(path)
      .then(disk.facts)
      .catch(() => undefined)
    const isFile = codeOf(cause) === 'ENOTDIR' && facts?.isFolder === false
    const why = isFile ? `${path} is a file; name a folder` : `it cannot be read (${codeOf(cause)}): ${path}`
    throw new CheckError('unusable_cache', `the cache of annotations is not used: ${why}`, { cause })
  }
}

/** Remove the oldest files and drafts beyond the size, those that this run `used` last; the files that are kept. */
function cleanUp(
  disk: Disk,
  folder: string,
  { maxBytes, used, now }: { maxBytes: number; used: ReadonlySet<string>; now: number },
) {
  const files = namesIn(disk, folder)
    .filter(isOwn)
    .flatMap((name) => {
      const facts = disk.facts(join(folder, name))
      if (!facts || (name.startsWith('.') && facts.changedAt > now - oldDraft)) return []
      return [{ name, isUsed: used.has(name), ...facts }]
    })
    .sort((a, b) => Number(b.isUsed) - Number(a.isUsed) || b.changedAt - a.changedAt)
  let left = maxBytes
  const kept = files.filter(({ size }) => {
    left -= size
    return left >= 0
  })
  for (const { name } of files.slice(kept.length)) disk.remove(join(folder, name))
  return kept
}

const isOwn = (name: string): boolean => /^\.?[0-9a-f]{64}\.json/.test(name)

function namesIn(disk: Disk, folder: string): string[] {
  try {
    return disk.list(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function annotationAt(disk: Disk, path: string, key: string): Annotation | 'damaged' | undefined {
  try {
    const text = disk.readText(path)
    const { annotation } = JSON.parse(text)
    return text === entryText(key, annotation) && isAnnotation(annotation) ? annotation : 'damaged'
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : 'damaged'
  }
}

/** The digest covers the key too, so that a file under another name is not used. */
function entryText(key: string, annotation: Annotation): string {
  const text = JSON.stringify(annotation)
  return `{"schema":"svc/annotation-cache@2","digest":"${digestOf(key + text)}","annotation":${text}}\n`
}

const codeOf = (error: unknown): string => {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  return code ?? message ?? String(error)
}
