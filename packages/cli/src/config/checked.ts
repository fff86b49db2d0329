import { dirname, join } from 'node:path'
import { type Checked, checkJson, checkValue, type NamesAt, type Shape } from '@svc/text'
import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'

export { startOfJson as startOf } from '@svc/text'

// The readers of files that `checks` still takes from the command; this file ends with that.

interface FileWords {
  what: string
  hint: string
}

const settingsWords: FileWords = { what: 'the settings', hint: 'correct the file' }

export async function textOf(
  io: Io,
  path: string,
  words = settingsWords,
  bound = { isPlain: true, maxBytes: 1 << 20 },
): Promise<string | undefined> {
  if (!io.isThere(path)) return undefined
  try {
    return new TextDecoder().decode(await io.readFile(path, bound))
  } catch (cause) {
    io.stop.throwIfAborted()
    const { code } = cause as NodeJS.ErrnoException
    const hint = words.hint.replace(/^correct the file/, 'make it readable')
    throw new CliError(exit.input, `${path}: cannot read ${words.what} (${code}).`, { cause, hint })
  }
}

export const checked = async <Value>(
  path: string,
  text: string,
  shape: Shape<Value>,
  namesAt: NamesAt,
  words = settingsWords,
): Promise<Value> =>
  valid(path, await checkJson({ path, text }, shape, namesAt, () => import('@svc/transcripts')), words)

export const checkedValue = <Value>(
  path: string,
  value: unknown,
  shape: Shape<Value>,
  namesAt: NamesAt,
  words = settingsWords,
): Value => valid(path, checkValue(value, shape, namesAt), words)

function valid<Value>(path: string, found: Checked<Value>, { what, hint }: FileWords): Value {
  if ('value' in found) return found.value
  throw new CliError(exit.input, `${path}: ${what} cannot be used.`, { details: found.problems, hint })
}

/** The files with these names in the nearest folder that has any of them. */
export function nearestOf(io: Pick<Io, 'resolve' | 'isThere'>, names: readonly string[]): string[] {
  for (let folder = io.resolve('.'); ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).filter((path) => io.isThere(path))
    if (found.length > 0 || folder === dirname(folder) || io.isThere(join(folder, '.git'))) return found
  }
}
