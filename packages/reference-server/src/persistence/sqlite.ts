/** A connection, as far as both libraries agree on it. */
export interface Connection {
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): void
}

export interface Statement {
  run(...values: (string | number)[]): unknown
  /** Every row. */
  all(...values: (string | number)[]): unknown[]
}

/** Opens a file, which is made where it is missing. */
export type Connect = (file: string) => Connection

/** `node:sqlite` where Node has it, else `libsql`. The folder is the one that is asked for, for the error. */
export async function loadLibrary(folder: string): Promise<Connect> {
  const own = nodeLibrary()
  if (own) return own
  try {
    const { default: Database } = await import('libsql')
    return (file) => new Database(file)
  } catch (cause) {
    const message = `This version of Node has no SQLite of its own, in which ${folder} is kept, and libsql cannot be loaded.`
    const hint = 'Run: npm install libsql (with --global, where svc was installed so), or use Node 22.13 or newer.'
    throw new StoreError('no_library', folder, message, { hint, cause })
  }
}

function nodeLibrary(): Connect | undefined {
  // Neither `import` nor `require`: bundlers take the `node:` away, and there is no module `sqlite`.
  const sqlite = withoutWarning(() => process.getBuiltinModule?.('node:sqlite')) as
    | { DatabaseSync: new (file: string) => Connection }
    | undefined
  return sqlite && ((file) => new sqlite.DatabaseSync(file))
}

/** Some versions of Node warn, while the module loads, that theirs may still change; a user can do nothing about it. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The primary result code of SQLite in an error of either library. */
export function resultCode(error: unknown): number | undefined {
  const { errcode, rawCode } = error as { errcode?: number; rawCode?: number }
  const code = errcode ?? rawCode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Result codes of SQLite that say something of the machine and nothing of what is in the file. */
export const environmentErrors: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
}

/** Why there is no store, or why it did not keep what it was given. */
export type StoreFailure =
  /** Another server has the folder. */
  | 'in_use'
  /** What is in the folder is not what was written into it. */
  | 'damaged'
  /** A newer version wrote it. */
  | 'newer'
  /** There is no library that reads and writes it. */
  | 'no_library'
  /** The folder or a file in it cannot be made, read or written. */
  | 'unusable'
  /** A write failed; nothing of it is in the store. */
  | 'not_written'

/** A store that cannot be opened, or cannot keep what it was given. The message names the file and the place in it. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** What went wrong, as a word to branch on. */
  readonly reason: StoreFailure
  /** The absolute path of the folder. */
  readonly folder: string
  /** What to do about it, as a sentence. */
  readonly hint: string | undefined

  constructor(reason: StoreFailure, folder: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.reason = reason
    this.folder = folder
    this.hint = options.hint
  }
}

/** What an error of a library or of the file system says, in one line. */
export const errorLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
