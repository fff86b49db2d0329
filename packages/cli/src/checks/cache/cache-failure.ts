import { isUtf8 } from 'node:buffer'
import { CliError, exit } from '../../exit.js'
import type { Damage } from './cache-file.js'

const hint = 'delete the file: its answers are asked for again; or run with --no-cache'
const lineHint = 'take that line out, or delete the file: what is gone is asked for again; or run with --no-cache'

/** A cache with a line that is not what `svc` wrote; nothing of the line itself is shown. */
export async function damagedLine(path: string, number: number, line: Buffer, damage: Damage): Promise<CliError> {
  const { column, message } = number === 1 ? damage : await nearer(line, damage)
  return notCache(`${path}:${number}:${column} ${message}`, number === 1 ? hint : lineHint)
}

/** The first place at which a damaged line is no JSON, where there is one. */
async function nearer(line: Buffer, damage: Damage): Promise<Damage> {
  const text = line.toString()
  if (!isUtf8(line)) return { column: text.indexOf('\ufffd') + 1, message: 'expected UTF-8' }
  const { jsonProblem } = await import('@svc/transcripts')
  const { column, message } = jsonProblem(text) ?? {}
  return column && message ? { column, message: message.replace(/, found [\s\S]*$/, '') } : damage
}

/** What is at the path is not even a file. */
export const notFile = (path: string, found: string): CliError =>
  notCache(`${path}:1:1 expected a file, found ${found}`, 'set SVC_CACHE_DIR to another folder, or run with --no-cache')

const notCache = (detail: string, hint: string): CliError =>
  new CliError(exit.input, 'The cache of annotations is damaged; nothing was sent.', { details: [detail], hint })

/** A file that is there and may not be read. */
export const cannotRead = (path: string, cause: unknown): CliError =>
  new CliError(exit.input, `The cache of annotations cannot be read (${codeOf(cause)}); nothing was sent.`, {
    details: [path],
    hint: 'make it readable, set SVC_CACHE_DIR to another folder, or run with --no-cache',
    cause,
  })

export const codeOf = (error: unknown): string => {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  return code ?? message ?? String(error)
}
