import { hash, randomUUID } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import type { Annotation } from '@svc/client'
import { count } from '@svc/text'
import { isAnnotation } from '../../cli/src/annotate/index.js'
import { type Io, makeFolder } from '../../cli/src/io/index.js'
import type { AskOptions, Question } from './ask/ask.js'
import { areSameVersions, type Versions, versionsText } from './ask/versions.js'

/** The request and the versions that a cached annotation depends on. */
export interface Asking extends Versions {
  baseUrl: string
  digest: string
  /** From 1. */
  attempt: number
}

/** SHA-256 in hex. */
export const bodyDigest = (body: string | object): string =>
  hash('sha256', typeof body === 'string' ? body : JSON.stringify(body))

/** SHA-256 in hex of everything that an annotation depends on. */
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

/** Annotations of earlier runs: a folder with a file for each, named by its `cacheKey`. */
export interface Cache {
  wasEmpty: boolean
  /** Undefined if there is none or its file is damaged. */
  get(key: string): Annotation | undefined
  /**
   * Write an annotation; its file is complete when this resolves, but not synced. Never rejects: the first failure to
   * write is reported and ends writing.
   */
  put(key: string, annotation: Annotation): Promise<void>
  /** Remove the oldest files beyond the cache's size; files that this run used are removed last. Never throws. */
  close(): void
}

export interface CacheOptions {
  /** Default 64 MiB. */
  maxBytes?: number
  /** Milliseconds since 1970. */
  now(): number
  warn(text: string): void
}

/** The age in milliseconds at which a draft belongs to a killed process. */
const oldDraft = 3_600_000

/** The first `put` creates the folder. Undefined, with a warning, if the cache cannot be used. */
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

const isOwn = (name: string): boolean => /^\.?[0-9a-f]{64}\.json/.test(name)

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

/** The digest covers the key too, so that a file under another name is not used. */
function textOf(key: string, annotation: Annotation): string {
  const text = JSON.stringify(annotation)
  return `{"schema":"svc/annotation-cache@2","digest":"${hash('sha256', key + text)}","annotation":${text}}\n`
}

const codeOf = (error: unknown): string => {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  return code ?? message ?? String(error)
}

interface CachedAnswersOptions {
  baseUrl: string
  /** Undefined if the registry cannot be read. */
  relist(): Promise<Versions | undefined>
  warn(text: string): void
}

/**
 * Look up answers under the versions that the registry listed last, and store answers under their own versions. For
 * unlisted versions the registry is read once more; if it still does not list them, the answers are not stored.
 */
export function cachedAnswers(
  cache: Cache | undefined,
  listed: Versions | undefined,
  { baseUrl, relist, warn }: CachedAnswersOptions,
): Pick<AskOptions, 'lookUp' | 'store'> {
  if (!cache || !listed) return { lookUp: () => undefined, store: async () => {} }
  const known = [listed]
  const last = () => known.at(-1) ?? listed
  const isKnown = (versions: Versions) => known.some((each) => areSameVersions(each, versions))
  let relisting: Promise<void> | undefined
  let isWarned = false
  const keyOf = ({ digest }: Question, attempt: number, { annotator_version, taxonomy_version }: Versions) =>
    cacheKey({ baseUrl, digest, attempt, annotator_version, taxonomy_version })

  async function listAgain(): Promise<void> {
    const versions = await relist().catch(() => undefined)
    if (versions) known.push(versions)
  }

  return {
    lookUp: (question, attempt) => cache.get(keyOf(question, attempt, last())),
    async store(question, attempt, annotation) {
      if (!isKnown(annotation)) {
        relisting ??= listAgain()
        await relisting
      }
      if (isKnown(annotation)) return cache.put(keyOf(question, attempt, annotation), annotation)
      if (isWarned) return
      isWarned = true
      warn(
        `answers are of ${versionsText(annotation)}, and the registry lists ${versionsText(last())}: such answers are not cached`,
      )
    },
  }
}
