import { bytesOf, bytesOfLine, ConversationBuilder, ConversationSize } from '../conversation/index.js'
import { describe } from '../json/index.js'
import {
  type ConversationDraft,
  type Loss,
  type Place,
  type ReaderContext,
  type Role,
  reasons,
} from '../model/index.js'
import { isTextHead, isTextLine } from '../records/index.js'
import { type Format, placeIn } from './format.js'
import { refuseInvalid } from './options.js'
import { roleOfSpeaker } from './speakers.js'

/** Reads the lines of one text file in their order. */
export interface LineReader {
  /** Read the next line, which may be blank, and return the transcripts that are now complete. An unreadable line is reported. */
  read(line: string, place: Place): readonly ConversationDraft[]
  /** The remaining transcripts at the end of the file. */
  end(): Iterable<ConversationDraft>
}

/** A format of text files that are neither JSON nor a table, such as subtitles or a chat in Markdown. */
export type TextFormat<Id extends string = string> = Pick<Format<Id>, 'id' | 'title' | 'accepts' | 'skipsEmpty'> & {
  /** The score of a file by its first lines, at most 50, from 0 (not of this format) to 1. Blank lines at the start are dropped. */
  detect(lines: readonly string[]): number
} & ({ lineMeaning: LineMeaningOf } | { reader(context: ReaderContext): LineReader })

/**
 * A format whose records are the lines of a text file. `lineMeaning` says of each line if it begins a message; a format that
 * must remember more than the open message has a `reader` instead.
 *
 * @example
 * const callNotes = defineTextFormat({
 *   id: 'call-notes',
 *   title: 'Notes of a call',
 *   accepts: 'the line "Call", then lines such as "Ann: Hello"',
 *   detect: ([first = '']) => (first === 'Call' ? 0.9 : 0),
 *   lineMeaning: (line) => (line === 'Call' ? { drop: 'first line' } : speakerLine(line)),
 * })
 *
 * @throws {TypeError} if an option is missing or unknown
 */
export function defineTextFormat<const Id extends string>(format: TextFormat<Id>): Format<Id> {
  refuseInvalid(
    'defineTextFormat',
    format,
    ['id', 'title', 'accepts', 'detect', 'reader' in format ? 'reader' : 'lineMeaning'],
    ['skipsEmpty'],
  )
  const { id, title, accepts, skipsEmpty, detect } = format
  return {
    id,
    title,
    accepts,
    ...(skipsEmpty && { skipsEmpty }),
    fields: [],
    isText: true,
    detect: (value) => (isTextHead(value) ? detect(value.lines) : 0),
    reader(context) {
      const lines = 'reader' in format ? format.reader(context) : readerOfMessages(context, format.lineMeaning)
      return {
        read(record) {
          const { value } = record
          if (isTextLine(value)) return lines.read(value.text, placeIn(record))
          context.report(`expected ${accepts}; found ${describe(value)}`, placeIn(record))
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
  /** The name of the speaker, which is kept in the metadata of the turn. */
  speaker?: string | undefined
  /** Default: the role that is chosen for the speaker, or that the name says. */
  role?: Role | undefined
  /** The time in any usual form. */
  time?: unknown
  /** The name of the model that answers. */
  model?: string | undefined
  /** The name of a tool, if the text shows its call and its result. */
  tool?: string | undefined
  /** The arguments of its call. Default: none. */
  args?: unknown
  /** The part that the text shows. Default: the call, and the result unless it is empty. */
  shows?: 'call' | 'result' | undefined
  /** True if its text is the lines that a meaning gives, and its arguments are no JSON text. Default: blanks at both ends are no text. */
  isExact?: boolean | undefined
  /** A loss of the message, such as the arguments of a tool that the text does not show. */
  loss?: Pick<Loss, 'code' | 'what' | 'why'> | undefined
}

/** A line that begins a conversation. */
export interface ConversationStart {
  /** Its title, its id in the file, and its time in any usual form. */
  conversation: { name?: string | undefined; id?: string | undefined; time?: unknown }
  /** True if it adds facts to the conversation that is open. */
  isMore?: boolean
}

/**
 * The meaning of a line. A start begins a message or a conversation. A text, such as the line without its mark, continues the
 * message, and `undefined` continues it with the whole line. `drop` names a line that is no part of the conversation.
 */
export type LineMeaning = MessageStart | ConversationStart | { drop: string } | string | undefined

/** True if a line has three words in a row that its meaning does not hold: more than a label, a time or a tag. */
function hasUnread(line: string, meaning: MessageStart | string): boolean {
  if (meaning === '' || meaning === line) return false
  const read = new Set(textsIn(meaning).flatMap(wordsIn))
  let unread: string[] = []
  return wordsIn(line.replaceAll(/<[^<>]*>/g, ' ')).some((word) => {
    unread = read.has(word) ? [] : [...unread.slice(-2), word]
    return unread.length === 3 && unread.filter((each) => /\p{L}/u.test(each)).length > 1
  })
}

const wordsIn = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

const textsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)])
    : [String(value)]

/** The meaning of a line; `open`: the message that it would continue. */
export type LineMeaningOf = (line: string, open: MessageStart | undefined) => LineMeaning

/**
 * A reader of texts in which lines begin messages, and other lines continue them.
 *
 * @param separator a line at the end of messages that is no part of them
 */
export function readerOfMessages(context: ReaderContext, meaningOf: LineMeaningOf, separator = ''): LineReader {
  let conversation = new ConversationBuilder(context)
  let head: ConversationStart['conversation'] = {}
  let first: Place | undefined
  /** `said`: the lines from the first to the last one that a meaning gave as text; none of them is a separator. */
  let open:
    | (MessageStart & { lines: string[]; size: ConversationSize; place: Place; said: { start?: number; end: number } })
    | undefined

  const closeMessage = (): void => {
    if (!open) return
    const { lines, said, speaker, role, time: at, model, place, tool, args = {}, shows, isExact, loss } = open
    if (loss) conversation.losses.add(loss.code, loss.what, loss.why)
    const metadata = speaker === undefined ? undefined : { speaker }
    const facts = { place, at, model, metadata }
    while (lines.length > said.end && (lines.at(-1)?.trim() === '' || lines.at(-1) === separator)) lines.pop()
    const text = isExact ? lines.slice(said.start, said.end).join('\n') : lines.join('\n').trim()
    if (tool === undefined) {
      conversation.addMessage(role ?? roleOfSpeaker(speaker, context, conversation.losses), text, facts)
    } else {
      if (shows !== 'result') conversation.addToolCalls([{ name: tool, args, raw: isExact }], facts)
      const isResult = shows === 'result' || (shows === undefined && text !== '')
      if (isResult) conversation.addToolResult({ name: tool, output: text }, facts)
    }
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
    conversation = new ConversationBuilder(context)
    return [closed]
  }

  return {
    read(line, place) {
      const meaning = meaningOf(line, open)
      conversation.losses.note(line)
      const isStart = typeof meaning === 'object' && 'text' in meaning
      if ((isStart || typeof meaning === 'string') && hasUnread(line, meaning))
        conversation.losses.drop('part of a line', reasons.notRecognized)
      if (meaning === undefined || typeof meaning === 'string') {
        const text = meaning ?? line
        if (open) {
          open.lines.push(text)
          open.size.add(bytesOfLine + bytesOf(text), open.place)
          if (meaning !== undefined) {
            const end = open.lines.length
            open.said = { start: open.said.start ?? end - 1, end }
          }
        } else if (text.trim() !== '') conversation.losses.drop('line before the first message', reasons.notRecognized)
        return []
      }
      if ('conversation' in meaning) {
        if (meaning.isMore) {
          head = { ...head, ...meaning.conversation }
          first ??= place
          return []
        }
        const closed = close()
        head = meaning.conversation
        first = place
        return closed
      }
      if ('drop' in meaning) conversation.losses.drop(meaning.drop)
      else {
        closeMessage()
        first ??= place
        open = { ...meaning, lines: [meaning.text], size: new ConversationSize(), place, said: { end: 0 } }
      }
      return []
    },
    end: close,
  }
}
