import type { FileRecord, Reader } from '../contract/index.js'
import { LargeConversationError } from '../conversation/index.js'
import type { ConversationDraft } from '../model/index.js'

/** A reader that gives nothing more once a conversation is too large; `stop` reports that. */
export function stoppingReader(reader: Reader, stop: (error: LargeConversationError) => void): Reader {
  const stopAt = (error: unknown): [] => {
    if (!(error instanceof LargeConversationError)) throw error
    stop(error)
    return []
  }
  const { maps, isPerRecord, isInterleaved } = reader
  return {
    read(record: FileRecord) {
      try {
        return reader.read(record)
      } catch (error) {
        return stopAt(error)
      }
    },
    *end(): Generator<ConversationDraft> {
      try {
        yield* reader.end()
      } catch (error) {
        stopAt(error)
      }
    },
    ...(reader.broken && { broken: reader.broken.bind(reader) }),
    ...(reader.lose && { lose: reader.lose.bind(reader) }),
    ...(reader.waiting && { waiting: reader.waiting.bind(reader) }),
    ...(maps && { maps }),
    ...(isPerRecord && { isPerRecord }),
    ...(isInterleaved && { isInterleaved }),
  }
}
