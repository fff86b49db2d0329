/** A record as it is cut out of a file, before anyone has parsed it. */
export interface RawRecord {
  record: number
  offset: number
  /** Of its first character; both 1-based, the column in UTF-16 code units. */
  line: number
  column: number
  /** The JSON; empty for a row of a table, which is in `value`. */
  text: string
  value?: unknown
  /** It had bytes that are no UTF-8. */
  repaired?: boolean
  /** Why this is no record, where that is known. */
  error?: string
}

/** Where the records of a file begin, and the most bytes that one may have. */
export interface Start {
  line: number
  most: number
}

export const tooLong = (most: number): string => `expected records of at most ${most} bytes, found a longer one`

/** Cuts records out of bytes as they come. */
export interface Splitter {
  /** What of the waiting bytes is complete, and at the end of the file the rest. */
  split(ended: boolean): RawRecord[]
}

export const newline = 0x0a

export const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const checker = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** Bytes as text. Those that are not UTF-8 become U+FFFD, and `repaired` is true. */
export function textOfBytes(bytes: Uint8Array): { text: string; repaired?: true } {
  const text = decoder.decode(bytes)
  if (!text.includes('\uFFFD')) return { text }
  try {
    checker.decode(bytes)
    return { text }
  } catch {
    return { text, repaired: true }
  }
}
