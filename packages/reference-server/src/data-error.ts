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
export const said = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
