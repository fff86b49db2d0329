/** Choices where the interface contradicts itself or is silent. */
export interface Readings {
  /** True if `GET /v1/annotators` needs a key. Default true (interface: Endpoints › GET /v1/annotators). */
  annotatorsNeedKey: boolean
  /** True if a key gets a 401 on a surface not in its `surfaces`. Default false (interface: Authentication › Surface B). */
  separateKeys: boolean
  /**
   * True if listing the transcripts of another workspace's project is a 403. Default false: 404, as if unknown
   * (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  foreignList403: boolean
  /** True if `page` and `limit` are clamped to their bounds. Default false: 400 (interface: Endpoints › GET /projects). */
  lenientPaging: boolean
  /** True if the routes under `/halfpipe` exist. Default true (interface: Versioning). */
  legacy: boolean
  /**
   * True if a repeated query parameter counts by its first value, and `annotation=:x` names an empty key. Default false: 400
   * (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  lenientQueries: boolean
  /**
   * True if a body with `Content-Encoding: gzip` or `deflate` is decoded. Default false: 400, on the annotation surface 422
   * (interface: Endpoints).
   */
  compressedBodies: boolean
  /** The status for an unknown annotator. Default 404 (interface: Errors › Surface A). */
  unknownAnnotator: 404 | 422
  /** The maximum size of a turn's `content`, in bytes of UTF-8. Default 2^20 (interface: Limits › Surface B). */
  turnBytes: number
  /** The maximum size of a body on the workspace surface, in bytes. Default 5 · 2^20 (interface: Limits › Surface B). */
  bodyBytes: number
  /** The same on the annotation surface, which shows no limit. Default 16 · 2^20 (interface: Limits › Surface A). */
  annotationBodyBytes: number
  /** The unit of string lengths. Default `code points` (interface: Limits › Surface B). */
  charactersAre: 'code points' | 'utf-16 units'
}

/** The default readings. */
export const defaultReadings: Readings = {
  annotatorsNeedKey: true,
  separateKeys: false,
  foreignList403: false,
  lenientPaging: false,
  lenientQueries: false,
  compressedBodies: false,
  legacy: true,
  unknownAnnotator: 404,
  turnBytes: 2 ** 20,
  bodyBytes: 5 * 2 ** 20,
  annotationBodyBytes: 16 * 2 ** 20,
  charactersAre: 'code points',
}

/** The values of readings that are neither a boolean nor a size. */
const choices: { readonly [Name in keyof Readings]?: readonly Readings[Name][] } = {
  unknownAnnotator: [404, 422],
  charactersAre: ['code points', 'utf-16 units'],
}

/** The problem of a value for a reading; undefined if it is valid. */
export function readingProblem(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(defaultReadings, name))
    return `unknown reading ${name}; expected one of ${Object.keys(defaultReadings).join(', ')}`
  const allowed: readonly unknown[] | undefined = choices[name as keyof Readings]
  if (allowed) return allowed.includes(value) ? undefined : `${name} must be ${allowed.join(' or ')}`
  if (typeof defaultReadings[name as keyof Readings] === 'boolean')
    return typeof value === 'boolean' ? undefined : `${name} must be true or false`
  return Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : `${name} must be an integer from 0`
}
