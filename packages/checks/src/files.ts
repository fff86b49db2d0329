import { isAbsolute, relative, sep } from 'node:path'
import { type Checked, CodedError, checkJson, type NamesAt, type Shape } from '@svc/text'
import { jsonProblem, locate } from '@svc/transcripts'
import { CheckError, type CheckErrorCode } from './check-error.js'

/** The operations of a file system that the package needs. */
export interface Files {
  /** Make a path absolute. */
  resolve(path: string): string
  /** True if there is a file or a folder. */
  isThere(path: string): boolean
  /** True if a folder has this name, also for a link to nothing, or if that cannot be known. Default: `isThere`. */
  isNamed?(path: string): boolean
  /** The path without links. Rejects if there is no such file. Default: links are not resolved. */
  realPath?(path: string): Promise<string>
  /** All bytes of a file. Rejects with the code of the system, or with a reason as its `code`. */
  readFile(path: string, bound?: { maxBytes?: number; isPlain?: boolean }): Promise<Uint8Array>
}

/** True if a path is a folder, or inside it. */
export function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

/** The words of messages about a kind of file, and their code. */
export interface FileKind {
  /** As in `the policy`. */
  what: string
  hint: string
  code: CheckErrorCode
}

/** @throws {CheckError} for a path that is no text, which would count as that of a missing file */
export function refuseOtherPath(path: unknown, of: string): void {
  if (typeof path !== 'string' || path === '')
    throw new CheckError('invalid_option', `${of}: expected the path of a file.`)
}

/**
 * The text of a file; undefined if it is missing. The bound of a file: a regular one of at most `maxBytes`, by default 1 MiB.
 *
 * @throws {CheckError} if it cannot be read
 */
export async function readText(
  files: Files,
  path: string,
  { what, hint }: FileKind,
  maxBytes: number = 1 << 20,
): Promise<string | undefined> {
  if (!files.isThere(path)) return undefined
  try {
    return new TextDecoder().decode(await files.readFile(path, { isPlain: true, maxBytes }))
  } catch (cause) {
    throw new CheckError('unreadable_file', `${path}: cannot read ${what} (${systemCode(cause)}).`, {
      cause,
      hint: hint.replace(/^correct the file/, 'make it readable'),
    })
  }
}

/** The code of an error of the file system. Any other error, such as the reason of a signal, is thrown. */
export function systemCode(error: unknown): string {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (typeof code !== 'string' || error instanceof CodedError) throw error
  return code
}

export async function parseFile<Value>(
  file: { path: string; text: string },
  shape: Shape<Value>,
  namesAt: NamesAt,
  kind: FileKind,
): Promise<Value> {
  return valid(await checkJson(file, shape, namesAt, () => ({ jsonProblem, locate })), file.path, kind)
}

export function valid<Value>(checked: Checked<Value>, path: string, { what, hint, code }: FileKind): Value {
  if ('value' in checked) return checked.value
  throw new CheckError(code, `${path}: ${what} cannot be used.`, { details: checked.problems, hint })
}

/** True if a file is an archive, by its name. The paths of its members lead through it. */
export const isArchive = (name: string): boolean => /\.(zip|eval)(\.(gz|zst))?$/i.test(name)

/** True if the lines of the content are not lines of the file, as in an archive. */
export const isPacked = (name: string): boolean => /\.(zip|eval|gz|zst)$/i.test(name)

/** True if a path is standard input, or a member of an archive on it. */
export const isStdin = (path: string): boolean => path === '-' || path.startsWith('-/')
