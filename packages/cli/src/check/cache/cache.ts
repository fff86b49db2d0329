import { hash, randomUUID } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import type { Annotation } from '@svc/client'
import { isAnnotation } from '../../annotate/index.js'
import { type Io, makeFolder } from '../../io/index.js'
import { count } from '../../terminal/index.js'
import type { Versions } from '../versions.js'

/** What an annotation is an answer to. */
export interface Asking extends Versions {
  /** The base URL of the annotation surface. */
  baseUrl: string
  /** `bodyDigest` of the request. */
  digest: string
  /** The number of the attempt, from 1. */
  attempt: number
}

/** SHA-256 in hex of an annotation request's body as it is sent. */
export const bodyDigest = (body: string | object): string =>
  hash('sha256', typeof body === 'string' ? body : JSON.stringify(body))

/** The key of an annotation in the cache: SHA-256 in hex of everything that it depends on. */
export const cacheKey = ({ baseUrl, digest, annotator_version, taxonomy_version, attempt }: Asking): string =>
  hash(
    'sha256',
    JSON.stringify([
      (URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl).replace(/(?<!\/)\/+$/, ''),
      digest,
      annotator_version,
      taxonomy_version,
      ...(attempt > 1 ? [attempt] : []),
    ]),
  )

/** The annotations that earlier runs paid for: a folder with one file for each, named by its `cacheKey`. */
export interface Cache {
  /** No annotation was in it before this run. */
  wasEmpty: boolean
  /** Undefined if there is none, or if its file is not what `put` wrote. */
  get(key: string): Annotation | undefined
  /**
   * Keep an annotation. Its file is complete when this resolves, so that a run that is killed keeps what it paid for; it
   * is not synced to the disk. Never rejects: the first failure to write is reported, and nothing is written after it.
   */
  put(key: string, annotation: Annotation): Promise<void>
  /** Remove the oldest files beyond the size of the cache; those that this run used come last. Never throws. */
  close(): void
}

export interface CacheOptions {
  /** The size to which the cache is reduced at the end of a run. Default 64 MiB. */
  maxBytes?: number
  /** The time in milliseconds since 1970. */
  now(): number
  /** Reports a problem that does not stop the run: a sentence without its full stop. */
  warn(text: string): void
}

/** A draft that is this old, in milliseconds, was left by a process that was killed. */
const oldDraft = 3_600_000

/** Open the cache in a folder, which is made by the first `put`; undefined, with a warning, if it cannot be used. */
export async function openCache(
  io: Io,
  path: string,
  { maxBytes = 64 << 20, now, warn }: CacheOptions,
): Promise<Cache | undefined> {
  let folder: string
  let wasEmpty: boolean
  try {
    folder = (await io.writeTarget(path)).place
    wasEmpty = !namesIn(folder).some(isOwn)
  } catch (error) {
    const isFile = codeOf(error) === 'ENOTDIR' && io.isThere(path)
    const why = isFile ? `${path} is a file; name a folder` : `it cannot be read (${codeOf(error)}): ${path}`
    warn(`the cache of annotations is not used: ${why}`)
    return undefined
  }
  const used = new Set<string>()
  const nameOf = (key: string) => `${key}.json`
  let ready: Promise<void> | undefined
  let isWritable = true
  return {
    wasEmpty,
    get(key) {
      const annotation = annotationAt(join(folder, nameOf(key)), key)
      if (annotation) used.add(nameOf(key))
      return annotation
    },
    async put(key, annotation) {
      if (!isWritable) return
      try {
        ready ??= makeFolder(folder)
        await ready
        const draft = join(folder, `.${nameOf(key)}.${randomUUID()}`)
        try {
          writeFileSync(draft, textOf(key, annotation), { flag: 'wx', mode: 0o600 })
          renameSync(draft, join(folder, nameOf(key)))
        } finally {
          rmSync(draft, { force: true })
        }
        used.add(nameOf(key))
      } catch (error) {
        if (isWritable) warn(`the cache of annotations cannot be written (${codeOf(error)}): ${path}`)
        isWritable = false
      }
    },
    close() {
      try {
        const files = namesIn(folder)
          .filter(isOwn)
          .flatMap((name) => {
            const found = statSync(join(folder, name), { throwIfNoEntry: false })
            if (!found || (name.startsWith('.') && found.mtimeMs > now() - oldDraft)) return []
            return [{ name, isUsed: used.has(name), size: found.size, mode: found.mode, mtimeMs: found.mtimeMs }]
          })
          .sort((a, b) => Number(b.isUsed) - Number(a.isUsed) || b.mtimeMs - a.mtimeMs)
        let left = maxBytes
        const kept = files.filter(({ size }) => {
          left -= size
          return left >= 0
        })
        for (const { name } of files.slice(kept.length)) rmSync(join(folder, name), { force: true })
        const open = platform() === 'win32' ? [] : kept.filter(({ mode }) => (mode & 0o077) !== 0)
        for (const { name } of open) chmodSync(join(folder, name), 0o600)
        if (open.length > 0)
          warn(
            `others on this machine could open ${count(open.length, 'file')} in ${path}; now they are yours alone. They hold excerpts of transcripts`,
          )
      } catch (error) {
        warn(`the cache of annotations cannot be cleaned up (${codeOf(error)}): ${path}`)
      }
    },
  }
}

/** `KEY.json`, or a draft of it: `.KEY.json.UUID`. */
const isOwn = (name: string): boolean => /^\.?[0-9a-f]{64}\.json/.test(name)

/** The names in a folder; none where there is no folder yet. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function annotationAt(path: string, key: string): Annotation | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    const { annotation } = JSON.parse(text)
    return text === textOf(key, annotation) && isAnnotation(annotation) ? annotation : undefined
  } catch {
    return undefined
  }
}

/** An annotation as its file holds it. The digest covers the key too, so that a file under another name is not used. */
function textOf(key: string, annotation: Annotation): string {
  const text = JSON.stringify(annotation)
  return `{"schema":"svc/annotation-cache@2","digest":"${hash('sha256', key + text)}","annotation":${text}}\n`
}

const codeOf = (error: unknown): string => {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  return code ?? message ?? String(error)
}
