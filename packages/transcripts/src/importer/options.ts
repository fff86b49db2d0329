import type { Format } from '../contract/index.js'
import type { AnyFormatId } from '../formats/index.js'
import type { Loss, ReadOptions } from '../model/index.js'

/** Options of `parse` and `parseStream`. */
export interface ParseOptions extends ReadOptions {
  /** Default: the result of `detect`. */
  format?: AnyFormatId | undefined
  /** Formats of your own, which are tried before all others; see `defineFormat`. Default: none. */
  formats?: readonly Format[] | undefined
  /** Gives each transcript a `digest` of the records that it was read from. Default: none. */
  hash?: ((text: string) => string) | undefined
  /** Report each text that is not recognised as a problem, with its place. Default: it is a loss of its transcript. */
  strict?: boolean | undefined
  /**
   * As `columns`, for files that may be of a known format: a field that no record of the file has, or that its format does not use,
   * counts as not given. `columns` override these. Default: none.
   */
  optionalColumns?: Record<string, string> | undefined
  /**
   * The file is one of several that share `columns`: a role that is mapped for a speaker whom it does not have is no problem, unless
   * a speaker has a similar name. Default: false.
   */
  isOneOfSeveral?: boolean | undefined
  /** Stop at the first problem and omit the transcripts that it may have cut off. Default: report all problems. */
  stopAtFirst?: boolean | undefined
  /** Called by `parseStream` between records; reading goes on when it resolves, and ends with its rejection. Default: none. */
  pause?: (() => Promise<void>) | undefined
}

/**
 * A part of a file: bytes of UTF-8 or UTF-16, or text, or the start of the next file of an archive, whose records
 * follow those of the file before, or a loss of the next transcript, which its container could not give as text.
 */
export type Chunk = Uint8Array | string | { member: string } | { loss: Pick<Loss, 'code' | 'what' | 'why'> }
