import type { Loss } from '../model/index.js'

/**
 * A part of a file: bytes of UTF-8 or UTF-16, or text, or the start of the next file of an archive, whose records
 * follow those of the file before, or a loss of the next transcript, which its container could not give as text.
 */
export type Chunk = Uint8Array | string | { member: string } | { loss: Pick<Loss, 'code' | 'what' | 'why'> }
