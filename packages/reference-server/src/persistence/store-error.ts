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
