export interface Connection {
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): void
}

export interface Statement {
  run(...values: string[]): unknown
  all(...values: string[]): unknown[]
}

/** Open a file; it is created if it is missing. */
export type Connect = (file: string) => Connection

/** Load `node:sqlite` if Node has it, else `libsql`. Throws a StoreError with the folder if there is neither. */
export async function loadLibrary(folder: string): Promise<Connect> {
  const sqlite = nodeSqlite()
  if (sqlite) return (file) => new sqlite.DatabaseSync(file)
  try {
    const { default: Database } = await import('libsql')
    return (file) => new Database(file)
  } catch (cause) {
    const message = `${folder} needs SQLite: this version of Node has none, and libsql cannot be loaded.`
    const hint = 'Run: npm install libsql (with --global, where svc was installed so), or use Node 22.13 or newer.'
    throw new StoreError('no_library', folder, message, { hint, cause })
  }
}

function nodeSqlite() {
  const { emitWarning } = process
  // Some versions of Node warn that their SQLite is experimental; a user can do nothing about it.
  process.emitWarning = () => {}
  try {
    // Bundlers would rewrite an `import` of `node:sqlite` to `sqlite`, which does not exist.
    return process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: new (file: string) => Connection } | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The primary SQLite result code of an error of either library. */
export function resultCode(error: unknown): number | undefined {
  const { errcode, rawCode } = error as { errcode?: number; rawCode?: number }
  const code = errcode ?? rawCode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** True if the cause is outside the file: PERM, BUSY, NOMEM, READONLY, FULL or CANTOPEN. */
export const isEnvironmentError = (error: unknown): boolean => [3, 5, 7, 8, 13, 14].includes(resultCode(error) ?? 0)

export const errorLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''

/** The reason of a `StoreError`. */
export type StoreFailure =
  /** Another server uses the folder. */
  | 'in_use'
  /** The files in the folder are not as they were written. */
  | 'damaged'
  /** A newer version wrote the file. */
  | 'newer'
  /** There is no SQLite library. */
  | 'no_library'
  /** The folder or a file in it cannot be created, read or written. */
  | 'unusable'
  /** A write failed; none of it is in the store. */
  | 'not_written'

/** A store that cannot be opened or written. The message names the file and the place in it. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** The kind of failure, to branch on. */
  readonly reason: StoreFailure
  /** The absolute path of the folder. */
  readonly folder: string
  /** The next step, as a sentence. */
  readonly hint: string | undefined

  constructor(reason: StoreFailure, folder: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.reason = reason
    this.folder = folder
    this.hint = options.hint
  }
}
