/** The points where the interface contradicts itself or is silent and where a service may read it either way. */
export interface Readings {
  /**
   * `GET /v1/annotators` needs a key. Default true; false makes the registry public
   * (interface: Endpoints › GET /v1/annotators).
   */
  annotatorsNeedKey: boolean
  /**
   * A key is refused (401) on a surface that its `surfaces` does not name. Default false: `surfaces` is not looked at
   * (interface: Authentication › Surface B).
   */
  separateKeys: boolean
  /**
   * Listing the transcripts of another workspace's project answers 403. Default false: 404, as if unknown
   * (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  foreignList403: boolean
  /** `page` and `limit` out of bounds are moved into them. Default false: 400 (interface: Endpoints › GET /projects). */
  lenientPaging: boolean
  /** The routes under `/halfpipe` exist. Default true (interface: Versioning). */
  legacy: boolean
  /** The status for an annotator that the registry does not have. Default 404 (interface: Errors › Surface A). */
  unknownAnnotator: 404 | 422
  /** The greatest `content` of a turn, in bytes of UTF-8. Default 2^20 (interface: Limits › Surface B). */
  turnBytes: number
  /** The greatest body on the workspace surface, in bytes. Default 5 · 2^20 (interface: Limits › Surface B). */
  bodyBytes: number
  /**
   * The greatest body on the annotation surface, in bytes; no bound is shown. Default 16 · 2^20
   * (interface: Limits › Surface A).
   */
  annotationBodyBytes: number
  /** What the bounds on lengths count. Default `code points` (interface: Limits › Surface B). */
  charactersAre: 'code points' | 'utf-16 units'
}

/** The readings that hold unless an option says otherwise. */
export const defaultReadings: Readings = {
  annotatorsNeedKey: true,
  separateKeys: false,
  foreignList403: false,
  lenientPaging: false,
  legacy: true,
  unknownAnnotator: 404,
  turnBytes: 2 ** 20,
  bodyBytes: 5 * 2 ** 20,
  annotationBodyBytes: 16 * 2 ** 20,
  charactersAre: 'code points',
}

/** What a reading may be, where its default does not say it. */
const choices: { readonly [Name in keyof Readings]?: readonly Readings[Name][] } = {
  unknownAnnotator: [404, 422],
  charactersAre: ['code points', 'utf-16 units'],
}

/** What is wrong with a value for a reading; undefined when nothing is. */
export function readingProblem(name: string, value: unknown): string | undefined {
  if (!Object.hasOwn(defaultReadings, name)) {
    return `there is no reading ${name}; there are ${Object.keys(defaultReadings).join(', ')}`
  }
  const allowed: readonly unknown[] | undefined = choices[name as keyof Readings]
  if (allowed) return allowed.includes(value) ? undefined : `${name} must be ${allowed.join(' or ')}`
  if (typeof defaultReadings[name as keyof Readings] === 'boolean') {
    return typeof value === 'boolean' ? undefined : `${name} must be true or false`
  }
  return Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : `${name} must be an integer from 0`
}
