import { nearest } from './nearest.js'

/** A zod schema. */
export interface Shape<Value> {
  safeParse(
    value: unknown,
  ): { success: true; data: Value } | { success: false; error: { issues: readonly ShapeIssue[] } }
}

export interface ShapeIssue {
  code: string
  path: readonly PropertyKey[]
  message: string
  /** The unknown names of an object; each is reported at its own place. */
  keys?: readonly string[]
}

export type NamesAt = (path: readonly PropertyKey[]) => string[]

interface Position {
  line: number
  column: number
}

/** Finds places in a JSON text, as `@svc/transcripts` does. */
interface JsonPlaces {
  jsonProblem(text: string): (Position & { message: string }) | undefined
  locate(text: string, place: { record: number; offset: number; pointer: string }): Position
}

export type Checked<Value> = { value: Value } | { problems: string[] }

/** The most levels of nesting in JSON that is read. */
export const maxDepth = 512
export const jsonBounds = `at most ${maxDepth} levels of nesting and numbers up to 1.8e308`

/** False for a value that `JSON.stringify` cannot write, or writes with null in place of a number. */
export function isWritable(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return depth < maxDepth && Object.values(value).every((each) => isWritable(each, depth + 1))
}

/** A path as a JSON pointer (RFC 6901). */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The value of a JSON file. A problem begins with `path:line:column` and the JSON pointer. `places` is loaded for an invalid file. */
export async function checkJson<Value>(
  { path, text }: { path: string; text: string },
  shape: Shape<Value>,
  namesAt: NamesAt,
  places: () => JsonPlaces | Promise<JsonPlaces>,
): Promise<Checked<Value>> {
  const parsed = parseJson(text)
  const isReadable = parsed !== undefined && isWritable(parsed.value)
  const result = isReadable ? shape.safeParse(parsed.value) : undefined
  if (result?.success) return { value: result.data }
  const { jsonProblem, locate } = await places()
  if (!isReadable) {
    const { line = 1, column = 1, message = `expected JSON with ${jsonBounds}` } = jsonProblem(text) ?? {}
    return { problems: [`${path}:${line}:${column} ${message.replace(/, found [\s\S]*$/, '')}`] }
  }
  const offset = startOfJson(text)
  return checkValue(parsed.value, shape, namesAt, (pointer) => {
    const { line, column } = locate(text, { record: 1, offset, pointer })
    return { line, column, text: `${path}:${line}:${column} ${pointer && `${pointer} `}` }
  })
}

/** The byte offset of the value in a JSON text. */
export const startOfJson = (text: string): number => new TextEncoder().encode(text.slice(0, text.search(/\S/))).length

/** A value that is no file: a problem begins with the JSON pointer, or with the place that `placeOf` gives. */
export function checkValue<Value>(
  value: unknown,
  shape: Shape<Value>,
  namesAt: NamesAt,
  placeOf = (pointer: string): Position & { text: string } => ({
    line: 0,
    column: 0,
    text: pointer && `${pointer} `,
  }),
): Checked<Value> {
  const result = shape.safeParse(value)
  if (result.success) return { value: result.data }
  const located = (at: readonly PropertyKey[], message: string) => {
    const place = placeOf(pointerOf(at))
    return { ...place, text: `${place.text}${message}` }
  }
  const all = result.error.issues.flatMap(({ path: at, message, keys }) =>
    keys ? keys.map((key) => located([...at, key], unknownName(key, namesAt(at)))) : [located(at, message)],
  )
  all.sort((a, b) => a.line - b.line || a.column - b.column)
  return { problems: all.map((each) => each.text) }
}

function unknownName(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant ? `unknown name; did you mean ${meant}?` : `unknown name; expected one of ${known.join(', ')}`
}
