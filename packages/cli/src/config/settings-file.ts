import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'
import { nearest } from '../nearest.js'

/** A zod schema. */
interface Shape<Value> {
  safeParse(value: unknown): { success: true; data: Value } | { success: false; error: { issues: readonly Issue[] } }
}

interface Issue {
  code: string
  path: readonly PropertyKey[]
  message: string
  keys?: readonly string[]
}

interface FileWords {
  /** As in `the settings`. */
  what: string
  hint: string
}

const settingsWords: FileWords = {
  what: 'the settings',
  hint: 'correct the file, or name another one with --config or SVC_CONFIG',
}

/** The text of a file; undefined if it is missing. */
export async function textOf(io: Io, path: string, words = settingsWords): Promise<string | undefined> {
  if (!io.isThere(path)) return undefined
  try {
    return new TextDecoder().decode(await io.readFile(path))
  } catch (cause) {
    io.signal.throwIfAborted()
    const { code } = cause as NodeJS.ErrnoException
    const hint = words.hint.replace(/^correct the file/, 'make it readable')
    throw new CliError(exit.input, `${path}: cannot read ${words.what} (${code}).`, { cause, hint })
  }
}

type Names = (path: readonly PropertyKey[]) => string[]

/** A place in a value, and how it is shown. */
interface Located {
  text: string
  line: number
  column: number
}

/** The validated value of a file. The error names every wrong place, and never the value there. */
export async function checked<Value>(
  path: string,
  text: string,
  shape: Shape<Value>,
  namesAt: Names,
  words = settingsWords,
): Promise<Value> {
  const value = parsed(text)
  const result = value && shape.safeParse(value.json)
  if (result?.success) return result.data
  const { jsonProblem, locate } = await import('@svc/transcripts')
  if (!value) {
    const { line = 1, column = 1, message = 'expected JSON' } = jsonProblem(text) ?? {}
    throw invalid(path, words, [`${path}:${line}:${column} ${message.replace(/, found [\s\S]*$/, '')}`])
  }
  const placeOf = (pointer: string): Located => {
    const { line, column } = locate(text, { record: 1, offset: startOf(text), pointer })
    return { line, column, text: `${path}:${line}:${column} ${pointer && `${pointer} `}` }
  }
  return checkedValue(path, value.json, shape, namesAt, words, placeOf)
}

/** The validated value; the error names every wrong place by its JSON pointer, or as `placeOf` shows it. */
export function checkedValue<Value>(
  path: string,
  value: unknown,
  shape: Shape<Value>,
  namesAt: Names,
  words = settingsWords,
  placeOf = (pointer: string): Located => ({ line: 0, column: 0, text: pointer && `${pointer} ` }),
): Value {
  const result = shape.safeParse(value)
  if (result.success) return result.data
  const located = (at: readonly PropertyKey[], message: string) => {
    const place = placeOf(at.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))
    return { ...place, text: `${place.text}${message}` }
  }
  const all = result.error.issues.flatMap(({ path: at, message, keys }) =>
    keys ? keys.map((key) => located([...at, key], unknown(key, namesAt(at)))) : [located(at, message)],
  )
  all.sort((a, b) => a.line - b.line || a.column - b.column)
  throw invalid(
    path,
    words,
    all.map((each) => each.text),
  )
}

/** The byte offset of the value in a JSON text. */
export const startOf = (text: string): number => new TextEncoder().encode(text.slice(0, text.search(/\S/))).length

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function unknown(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant ? `unknown name; did you mean ${meant}?` : `unknown name; expected one of ${known.join(', ')}`
}

const invalid = (path: string, { what, hint }: FileWords, details: string[]) =>
  new CliError(exit.input, `${path}: ${what} cannot be used.`, { details, hint })
