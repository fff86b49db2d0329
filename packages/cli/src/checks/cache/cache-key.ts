import { hash } from 'node:crypto'
import type { Versions } from '../versions.js'

/** What an annotation is an answer to. */
export interface Asking extends Versions {
  /** The base URL of the annotation surface. */
  baseUrl: string
  /** `bodyDigest` of the request. */
  digest: string
  /** Which of several attempts, from 1. */
  attempt: number
}

/** SHA-256 in hex of an annotation request's body as it is sent. */
export const bodyDigest = (body: string | object): string =>
  hash('sha256', typeof body === 'string' ? body : JSON.stringify(body))

/** What the cache knows an annotation by: SHA-256 in hex of all that it depends on. */
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
