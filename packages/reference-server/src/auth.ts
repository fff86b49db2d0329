import { Refusal } from './refusal.js'
import type { Surface } from './types.js'

/**
 * What a key may be allowed to do; `halfpipe-transcripts-write` is the older name of `projects-write`
 * (interface: Authentication › Surface B).
 */
export type Permission = 'projects-read' | 'projects-write' | 'halfpipe-transcripts-write'

/** A key as the server knows it. */
export interface KeyRecord {
  /** The whole key, in clear: what stands after `Bearer`. */
  key: string
  /** The name of the one workspace that it reaches (interface: Authentication › Surface B). */
  workspace: string
  /** Undefined: no restriction, full access. */
  permissions: readonly Permission[] | undefined
  /** Where it is valid if the reading `separateKeys` is on. Undefined: on both surfaces. */
  surfaces: readonly Surface[] | undefined
  /** Refused when true: 403 on the annotation surface, 401 on the other (interface: Authentication). */
  revoked: boolean
  /** Milliseconds since the epoch, of the last request that named it and was not refused for it. */
  last_used_at: number | null
}

/** The key in an Authorization header; the scheme is read without regard to case (RFC 9110). */
export function bearer(header: string | null): string | undefined {
  if (header === null || header.length < 8 || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return header.slice(7).trim() || undefined
}

/** The key of a request, or 401; a revoked key is 403 on the annotation surface and 401 on the other. */
export function authenticate(surface: Surface, known: KeyRecord | undefined, separateKeys: boolean): KeyRecord {
  const elsewhere = separateKeys && known?.surfaces !== undefined && !known.surfaces.includes(surface)
  if (!known || elsewhere) throw unauthenticated('A valid API key is required.')
  if (!known.revoked) return known
  if (surface === 'annotation') throw new Refusal(403, 'This API key has been revoked.')
  throw unauthenticated('This API key has been revoked.')
}

/** Lets the key pass if it holds the permission, under its new or its older name. */
export function authorize({ permissions }: KeyRecord, needed: Permission): void {
  if (permissions === undefined || permissions.includes(needed)) return
  if (needed === 'projects-write' && permissions.includes('halfpipe-transcripts-write')) return
  throw new Refusal(403, `This API key lacks the permission ${needed}.`)
}

/** A key that may be shown: its prefix and its last four characters. */
export function redact(key: string): string {
  const prefix = /^sk-[a-z]+-api\d\d-/.exec(key)?.[0] ?? ''
  const secret = key.slice(prefix.length)
  return `${prefix}…${secret.length >= 12 ? secret.slice(-4) : ''}`
}

const unauthenticated = (message: string) => new Refusal(401, message, { headers: { 'www-authenticate': 'Bearer' } })
