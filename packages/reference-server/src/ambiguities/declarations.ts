import { suggestion } from '../validation/index.js'

type Value = string | number | boolean

/** The readings of an ambiguity; the first one is the default. */
const oneOf = <const Values extends readonly Value[]>(...values: Values) => ({ values })
const on = { values: [true, false] as readonly boolean[] }
const off = { values: [false, true] as readonly boolean[] }
const integer = (initial: number, min = 0, max = Number.MAX_SAFE_INTEGER) => ({ initial, min, max })

/** Far more than any clock is off, and never a date that cannot be written. */
const maxSkewMs = 10 ** 12

/**
 * Each ambiguity: what it decides, its readings, and the place of the interface. Types, checks, defaults and the table of the
 * README follow from this.
 */
const declarations = {
  /** `GET /v1/annotators` needs a key (interface: Endpoints › Surface A › rule 3; Authentication › Surface A 1). */
  annotatorsNeedKey: on,
  /** `GET /health` is a 401 without a key (interface: Authentication › Surface A 1). */
  healthNeedsKey: off,
  /** If false, the registry is empty, though each annotator can still be named (interface: Endpoints › GET /v1/annotators). */
  listsAnnotators: on,
  /**
   * A key is a 401 on a surface that its `surfaces` does not list; otherwise `surfaces` is ignored
   * (interface: Authentication › Surface B 10).
   */
  separateKeys: off,
  /** Listing another workspace's project is a 403, not a 404 (interface: Authentication › Surface B 9). */
  foreignList403: off,
  /** `page` and `limit` out of range are clamped, not refused with 400 (interface: Endpoints › GET /projects). */
  lenientPaging: off,
  /**
   * Of a repeated query parameter the first value counts, and `annotation=:x` has an empty key; otherwise both are a 400
   * (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  lenientQueries: off,
  /**
   * A body with `Content-Encoding: gzip` or `deflate` is decoded; otherwise it is a 400, on the annotation surface a 422
   * (interface: Endpoints › POST /projects/{projectId}/transcripts).
   */
  compressedBodies: off,
  /**
   * `/halfpipe/sessions` (creates a project) and `/halfpipe/transcripts` (uploads to `projectId` or `sessionId` of the body)
   * exist (interface: Endpoints › Legacy routes).
   */
  legacy: on,
  /** The status for an annotator that is not in the registry (interface: Errors › Surface A). */
  unknownAnnotator: oneOf(404, 422),
  /** The largest `content` of a turn, in bytes of UTF-8 (interface: Limits › turn `content`). */
  turnBytes: integer(2 ** 20),
  /** The largest body on the workspace surface, in bytes (interface: Limits › upload request body). */
  bodyBytes: integer(5 * 2 ** 20),
  /** The unit of length limits (interface: Limits › Surface B). */
  charactersAre: oneOf('code points', 'utf-16 units'),
  /**
   * The fields in a row of a list of transcripts: the record, its id, its id and name, or the record without `metadata`, with
   * `null` or with `{}` in its place (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  rowFields: oneOf('full', 'id', 'names', 'no metadata', 'null metadata', 'empty metadata'),
  /**
   * How the metadata of an upload is stored: as it was sent, not at all (`{}`), each value that is no string as its JSON, or
   * nested keys joined by dots (`svc.key`). `svc refused`: metadata with the key `svc` is a 400
   * (interface: Resources › Transcript › metadata).
   */
  metadata: oneOf('kept', 'stripped', 'strings', 'flat', 'svc refused'),
  /** How lists show `pagination`: with numbers, not at all, or with numbers as text (interface: Resources › Surface B: records). */
  pagination: oneOf('full', 'none', 'text'),
  /**
   * `pagination.total` of lists: the number of rows, left out, -1, at most `totalCap`, half of it rounded down, or the rows of
   * this page (interface: Resources › Surface B: records).
   */
  total: oneOf('exact', 'none', 'minus one', 'capped', 'low', 'of the page'),
  /** The largest `pagination.total`, with `total: 'capped'` only (interface: Resources › Surface B: records). */
  totalCap: integer(100),
  /** The most rows of a page, however many are asked for; 0: as many as `limit` (interface: Limits › `limit` page size). */
  pageCap: integer(0),
  /** If false, `pagination.limit` repeats the limit that was asked for, not `pageCap` (interface: Resources › Surface B: records). */
  pageCapReported: on,
  /** The order of lists by `created_at`; `unstable`: another one at each request (interface: Endpoints › GET /projects). */
  order: oneOf('descending', 'ascending', 'unstable'),
  /**
   * A record appears in lists so many milliseconds after it was stored; a single read shows it at once
   * (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  listLagMs: integer(0),
  /**
   * The filters of the list of transcripts: they work, are ignored, are a 400, find a transcript only `filterLagMs` after it was
   * stored, or are a 400 for `date_from` and `date_to` with a time
   * (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  filters: oneOf('on', 'ignored', 'refused', 'lagging', 'days only'),
  /** The lag of filters in milliseconds, with `filters: 'lagging'` only (interface: Endpoints › GET /projects/{projectId}/transcripts). */
  filterLagMs: integer(10_000),
  /** A page after the last row: no rows, or this status; page 1 always exists (interface: Endpoints › GET /projects). */
  pastEnd: oneOf('empty', 404, 400),
  /**
   * How a single read shows the turns: as `turns`, as `messages`, not at all, or with `content: null`
   * (interface: Endpoints › GET /transcripts/{transcriptId}).
   */
  turns: oneOf('turns', 'messages', 'none', 'redacted'),
  /**
   * The status of a new project or transcript; `empty`: 201 without a body, with the path of the record in `Location`
   * (interface: Endpoints › POST /projects › Response 201).
   */
  created: oneOf(201, 200, 202, 'empty'),
  /** A second upload with the same `externalId` into a project is a 409 (interface: Resources › Transcript › external_id). */
  externalIdUnique: off,
  /** Answers of both surfaces have a `Date` header (interface: Endpoints). */
  dateHeader: on,
  /**
   * The body of errors: the envelope of the surface, `{"detail": …}`, `{"message": …}`, plain text or HTML
   * (interface: Errors › Surface A; Errors › Surface B).
   */
  errorBody: oneOf('envelope', 'detail', 'message', 'text', 'html'),
}

/** Ambiguities that only a test of a client needs: `contract` does not see them, and no saved service has them. */
const testDeclarations = {
  /** The largest body on the annotation surface, in bytes (interface: Limits › Surface A). */
  annotationBodyBytes: integer(16 * 2 ** 20),
  /** If false, `pagination.total` counts the rows that a list does not show yet (interface: Resources › Surface B: records). */
  totalLags: on,
  /**
   * `created_at` and `updated_at` of new records are the time of the clock and so many milliseconds; may be negative
   * (interface: Resources › Transcript › created_at).
   */
  databaseSkewMs: integer(0, -maxSkewMs, maxSkewMs),
}

type ReadingsOf<Declarations> = {
  [Name in keyof Declarations]: Declarations[Name] extends { values: readonly (infer One)[] } ? One : number
}

/** Choices where the interface contradicts itself or is silent. `defaultAmbiguities` has the default of each. */
export type Ambiguities = ReadingsOf<typeof declarations>

/** Ambiguities that only a test of a client needs. */
export type TestAmbiguities = ReadingsOf<typeof testDeclarations>

/** All ambiguities. */
export type AllAmbiguities = Ambiguities & TestAmbiguities

const entries: [string, { values: readonly Value[] } | ReturnType<typeof integer>][] = Object.entries({
  ...declarations,
  ...testDeclarations,
})

/** The default ambiguities. */
export const defaultAmbiguities: Ambiguities = Object.freeze(
  Object.fromEntries(entries.map(([name, one]) => [name, 'values' in one ? one.values[0] : one.initial])),
) as AllAmbiguities

/** The readings of each ambiguity, its default first; one without readings here is an integer. */
export const ambiguityValues = Object.fromEntries(
  entries.flatMap(([name, one]) => ('values' in one ? [[name, one.values]] : [])),
) as { readonly [Name in keyof AllAmbiguities]?: readonly AllAmbiguities[Name][] }

/** The names of the ambiguities, in the order of their declaration. */
export const ambiguityNames = Object.keys(declarations) as readonly (keyof Ambiguities)[]

/** The names of those that only a test needs. */
export const testAmbiguityNames = Object.keys(testDeclarations) as readonly (keyof TestAmbiguities)[]

/** The problem of a reading for an ambiguity that a person or a file names; undefined if it is valid. */
export function ambiguityProblem(name: string, value: unknown): string | undefined {
  const names: readonly string[] = ambiguityNames
  if (names.includes(name)) return valueProblem(name, value)
  return `unknown ambiguity ${name}${suggestion(name, names)}; expected one of ${names.join(', ')}`
}

/** Likewise, for the code of a test too. */
function valueProblem(name: string, value: unknown): string | undefined {
  const [, one] = entries.find(([each]) => each === name) ?? []
  if (!one) return ambiguityProblem(name, value)
  if ('values' in one) {
    if (one.values.includes(value as Value)) return undefined
    const values = typeof one.values[0] === 'boolean' ? [true, false] : one.values
    return `${name} must be ${[values.slice(0, -1).join(', '), values.at(-1)].join(' or ')}`
  }
  if (Number.isSafeInteger(value) && (value as number) >= one.min && (value as number) <= one.max) return undefined
  return `${name} must be an integer from ${one.min}${one.max === Number.MAX_SAFE_INTEGER ? '' : ` to ${one.max}`}`
}

/** Every problem of ambiguities from outside; an undefined one counts as absent. */
export const ambiguityProblems = (ambiguities: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(ambiguities).flatMap(([name, value]) => (value === undefined ? [] : (valueProblem(name, value) ?? [])))

/**
 * Parse ambiguities whose readings are text, as in `{ listLagMs: '8000', legacy: 'false' }`.
 *
 * @throws {Error} if one is invalid, with every problem
 */
export function parseAmbiguities(texts: Readonly<Record<string, string>>): Partial<Ambiguities> {
  const ambiguities = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, parseValue(text)]))
  const problems = Object.entries(ambiguities).flatMap(([name, value]) => ambiguityProblem(name, value) ?? [])
  if (problems.length > 0) throw new Error(`Invalid ambiguities: ${problems.join('; ')}.`)
  return ambiguities
}

const parseValue = (text: string): Value | number =>
  /^-?\d+$/.test(text) ? Number(text) : ({ true: true, false: false }[text] ?? text)
