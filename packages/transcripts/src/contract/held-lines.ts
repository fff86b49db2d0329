import type { ConversationDraft, Place, ReaderContext } from '../model/index.js'
import { type LineMeaningOf, type LineReader, readerOfMessages } from './text-format.js'

/** Learns from the first lines of a text what its lines mean. */
export interface LineSample {
  /** Add a line, which may be blank; the meaning once it is known. */
  add(line: string): LineMeaningOf | undefined
  /** The meaning at the end of the file, if no line decided. */
  end(): LineMeaningOf
}

/** A reader of messages that holds lines back until the sample knows what they mean. */
export function readerOfSample(notes: ReaderContext, sample: LineSample): LineReader {
  const held: [line: string, place: Place][] = []
  let reader: LineReader | undefined
  const begin = (meaningOf: LineMeaningOf): ConversationDraft[] => {
    const begun = readerOfMessages(notes, meaningOf)
    reader = begun
    return held.splice(0).flatMap(([line, place]) => [...begun.read(line, place)])
  }
  return {
    read(line, place) {
      if (reader) return reader.read(line, place)
      held.push([line, place])
      const meaningOf = sample.add(line)
      return meaningOf ? begin(meaningOf) : []
    },
    end() {
      const drafts = reader ? [] : begin(sample.end())
      return [...drafts, ...(reader?.end() ?? [])]
    },
  }
}
