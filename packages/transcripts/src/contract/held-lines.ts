import { bytesOf, bytesOfLine, ConversationSize } from '../conversation/index.js'
import type { ConversationDraft, Place, ReaderContext } from '../model/index.js'
import { type LineMeaning, type LineReader, type MessageStart, readerOfMessages } from './text-format.js'

/** Learns from the first lines of a text what its lines mean. */
export interface LineSample<MeaningOf> {
  /** Add a line, which may be blank; the meaning once it is known. */
  add(line: string): MeaningOf | undefined
  /** The meaning at the end of the file, if no line decided. */
  end(): MeaningOf
}

/** A reader of messages that holds lines back until the sample knows what they mean. `start`: begins to read them. */
export function readerOfSample<MeaningOf>(
  context: ReaderContext,
  sample: LineSample<MeaningOf>,
  start: (meaningOf: MeaningOf) => LineReader,
): LineReader {
  const held: [line: string, place: Place][] = []
  const size = new ConversationSize()
  let reader: LineReader | undefined
  const begin = (meaningOf: MeaningOf): ConversationDraft[] => {
    const begun = start(meaningOf)
    reader = begun
    return held.splice(0).flatMap(([line, place]) => [...begun.read(line, place)])
  }
  return {
    read(line, place) {
      if (reader) return reader.read(line, place)
      held.push([line, place])
      size.add(bytesOfLine + bytesOf(line), place)
      // The audit would search all equal lines that are held for each of them.
      context.account.note(line)
      const meaningOf = sample.add(line)
      return meaningOf ? begin(meaningOf) : []
    },
    end() {
      const drafts = reader ? [] : begin(sample.end())
      return [...drafts, ...(reader?.end() ?? [])]
    },
  }
}

/** The meaning of a line of Markdown; `isFenced`: it is inside a fence, or one itself. */
export type MarkdownMeaningOf = (line: string, open: MessageStart | undefined, isFenced: boolean) => LineMeaning

/** How messages are kept apart in a text of Markdown. */
export interface MarkdownOptions {
  /** A line at the end of messages that is no part of them. Default: none. */
  separator?: string
  /** True for a line that ends each fence, for texts of programs may hold half of one. Default: none. */
  endsFences?(line: string): boolean
}

const fence = /^ {0,3}(?:`{3,}|~{3,})/

/** The language behind an opening fence; empty for a closing one, undefined for a line that is no fence. */
function infoIn(line: string): string | undefined {
  const found = line.length < 256 ? fence.exec(line) : null
  const info = line.slice(found?.[0].length)
  return found && !info.includes('`') ? info.trim() : undefined
}

/**
 * A reader of Markdown in which lines begin messages. Lines between fences are held back until the fence ends: a fence that
 * never ends is text, and lines after it count again. A fence with a language inside of another one is nested, as models write it.
 */
export function readerOfMarkdown(
  context: ReaderContext,
  meaningOf: MarkdownMeaningOf,
  { separator, endsFences = () => false }: MarkdownOptions = {},
): LineReader {
  let isFenced = false
  const reader = readerOfMessages(context, (line, open) => meaningOf(line, open, isFenced), separator)
  let held: [line: string, place: Place][] = []
  let size = new ConversationSize()
  let depth = 0
  const flush = (asFenced: boolean): ConversationDraft[] => {
    isFenced = asFenced
    const drafts = held.flatMap(([line, place]) => [...reader.read(line, place)])
    isFenced = false
    held = []
    size = new ConversationSize()
    depth = 0
    return drafts
  }
  return {
    read(line, place) {
      const drafts = depth > 0 && endsFences(line) ? flush(true) : []
      const info = infoIn(line)
      if (info !== undefined) depth += depth === 0 || info !== '' ? 1 : -1
      if (depth === 0 && held.length === 0) return [...drafts, ...reader.read(line, place)]
      held.push([line, place])
      size.add(bytesOfLine + bytesOf(line), place)
      context.account.note(line)
      return depth === 0 ? [...drafts, ...flush(true)] : drafts
    },
    end: () => [...flush(false), ...reader.end()],
  }
}
