import { Refusal } from './refusal.js'
import type { Surface } from './types.js'

/**
 * A permission of a key. `halfpipe-transcripts-write` is the older name of `projects-write`
 * (interface: Authentication › Surface B).
 */
export type Permission = 'projects-read' | 'projects-write' | 'halfpipe-transcripts-write'

/** A key of the server. */
export interface KeyRecord {
  /** The whole key, in clear, as sent after `Bearer`. */
  key: string
  /** A name for people, which journal and pages show; undefined without one. */
  name?: string
  /** The name of its one workspace (interface: Authentication › Surface B). */
  workspace: string
  /** Undefined: no restriction, full access. */
  permissions: readonly Permission[] | undefined
  /** The surfaces on which it is valid, with the ambiguity `separateKeys`. Undefined: both. */
  surfaces: readonly Surface[] | undefined
  /** A revoked key gets a 403 on the annotation surface, a 401 on the other (interface: Authentication). */
  revoked: boolean
  /** The time of the last request that the key was accepted for, in milliseconds since the epoch. */
  last_used_at: number | null
}

/** The key of an Authorization header; the scheme is case-insensitive (RFC 9110). */
export const bearer = (header: string | null): string | undefined =>
  header !== null && /^bearer /i.test(header) ? header.slice(7).trim() || undefined : undefined

/** The key of a request. Throws a 401 for an unknown one, a 403 (workspace surface: 401) for a revoked one. */
export function authenticate(surface: Surface, key: KeyRecord | undefined, separateKeys: boolean): KeyRecord {
  const isForSurface = !separateKeys || (key?.surfaces?.includes(surface) ?? true)
  if (!key || !isForSurface) throw unauthenticated('A valid API key is required.')
  if (!key.revoked) return key
  if (surface === 'annotation') throw new Refusal(403, 'This API key has been revoked.')
  throw unauthenticated('This API key has been revoked.')
}

const unauthenticated = (message: string) => new Refusal(401, message, { headers: { 'www-authenticate': 'Bearer' } })

/** Throws a 403 if the key does not have the permission, under its new or its older name. */
export function authorize({ permissions }: KeyRecord, needed: Permission): void {
  if (permissions === undefined || permissions.includes(needed)) return
  if (needed === 'projects-write' && permissions.includes('halfpipe-transcripts-write')) return
  throw new Refusal(403, `This API key lacks the permission ${needed}.`)
}

/** The prefix of a key and its last four characters. */
export function redact(key: string): string {
  const prefix = /^sk-[a-z]+-api\d\d-/.exec(key)?.[0] ?? ''
  const secret = key.slice(prefix.length)
  return `${prefix}…${secret.length >= 12 ? secret.slice(-4) : ''}`
}
