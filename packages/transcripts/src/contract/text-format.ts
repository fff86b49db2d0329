import { ConversationBuilder } from '../conversation/index.js'
import { describe } from '../json/index.js'
import type { ConversationDraft, Place, ReaderContext, Role } from '../model/index.js'
import { TextHead, TextLine } from '../records/index.js'
import { type Format, placeIn } from './format.js'
import { roleOfSpeaker } from './speakers.js'

/** Reads the lines of one text file in their order. */
export interface LineReader {
  /** Read the next line, which may be blank, and return the transcripts that are now complete. An unreadable line is reported. */
  read(line: string, place: Place): readonly ConversationDraft[]
  /** The remaining transcripts at the end of the file. */
  end(): Iterable<ConversationDraft>
}

/** A format of text files that are neither JSON nor a table, such as subtitles or a chat in Markdown. */
export interface TextFormat<Id extends string = string>
  extends Pick<Format<Id>, 'id' | 'title' | 'accepts' | 'skipsEmpty'> {
  /** The score of a file by its first lines, at most 50, from 0 (not of this format) to 1. Blank lines at the start are dropped. */
  detect(lines: readonly string[]): number
  /** A reader for one file, such as `readerOfMessages`. */
  reader(notes: ReaderContext): LineReader
}

/** A format whose records are the lines of a text file. */
export function defineTextFormat<Id extends string>({ detect, reader, ...format }: TextFormat<Id>): Format<Id> {
  return {
    ...format,
    fields: [],
    isText: true,
    detect: (value) => (value instanceof TextHead ? detect(value.lines) : 0),
    reader(notes) {
      const lines = reader(notes)
      return {
        read(record) {
          const { value } = record
          if (value instanceof TextLine) return lines.read(value.text, placeIn(record))
          notes.report(`expected ${format.accepts}; found ${describe(value)}`, placeIn(record))
          return []
        },
        end: () => lines.end(),
      }
    },
  }
}

/** A line that begins a message. Give the name of the speaker, or the role where the file says it. */
export interface MessageStart {
  /** Its first line. */
  text: string
  speaker?: string | undefined
  role?: Role | undefined
  /** The time in any usual form. */
  time?: unknown
  model?: string | undefined
}

/** A line that begins a conversation. */
export interface ConversationStart {
  conversation: { name?: string; id?: string; time?: unknown }
}

/**
 * The meaning of a line. A start begins a message or a conversation. A text, such as the line without its mark, continues the
 * message, and `undefined` continues it with the whole line. `drop` names a line that is no part of the conversation.
 */
export type LineMeaning = MessageStart | ConversationStart | { drop: string } | string | undefined

/**
 * A reader of texts in which lines begin messages, and other lines continue them.
 *
 * @param meaningOf called with each line and the message that it would continue
 */
export function readerOfMessages(
  notes: ReaderContext,
  meaningOf: (line: string, open: MessageStart | undefined) => LineMeaning,
): LineReader {
  let conversation = new ConversationBuilder(notes)
  let head: ConversationStart['conversation'] = {}
  let first: Place | undefined
  let open: (MessageStart & { lines: string[]; place: Place }) | undefined

  const closeMessage = (): void => {
    if (!open) return
    const { lines, speaker, role, time: at, model, place } = open
    const metadata = speaker === undefined ? undefined : { speaker }
    const known = role ?? roleOfSpeaker(speaker, notes, conversation.losses)
    conversation.addMessage(known, lines.join('\n').trim(), { place, at, model, metadata })
    open = undefined
  }
  const close = (): ConversationDraft[] => {
    closeMessage()
    const { name, id: externalId, time } = head
    const place = first
    // The lines before the first conversation are losses of that.
    if (place === undefined) return []
    const sourceTimestamp = conversation.time(time)
    const closed = conversation.build({ name, externalId, sourceTimestamp, place })
    conversation = new ConversationBuilder(notes)
    return [closed]
  }

  return {
    read(line, place) {
      const meaning = meaningOf(line, open)
      conversation.losses.note(line)
      if (meaning === undefined || typeof meaning === 'string') {
        const text = meaning ?? line
        if (open) open.lines.push(text)
        else if (text.trim() !== '')
          conversation.losses.drop('line before the first message', 'not recognised; it holds text')
        return []
      }
      if ('conversation' in meaning) {
        const closed = close()
        head = meaning.conversation
        first = place
        return closed
      }
      if ('drop' in meaning) conversation.losses.drop(meaning.drop)
      else {
        closeMessage()
        first ??= place
        open = { ...meaning, lines: [meaning.text], place }
      }
      return []
    },
    end: close,
  }
}
