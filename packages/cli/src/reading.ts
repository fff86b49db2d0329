import { columnFields, type FormatId, formats, type Problem, type TranscriptFileError } from '@svc/transcripts'
import type { Conversation } from './conversations.js'
import { CliError, exit } from './exit.js'
import { isOwn, type LeftOut, noTalkIn, notesOn } from './left-out.js'
import { type Flaw, flawLine } from './positions.js'
import { conversationsAtOnce, conversationsOf, isList } from './read-source.js'
import type { Source } from './sources.js'
import { count, firstOf } from './text.js'

/** How files are to be read. */
export interface ReadFlags {
  /** An id of `formats`. */
  format?: string
  /** Any loss is an error. */
  strict?: boolean
  /** Transcripts that are too large become several. */
  split?: boolean
  thinking?: boolean
  subagents?: boolean
  branches?: boolean
  /** Which column or field of a table holds what. */
  map?: Record<string, string>
  /** Nothing is read after something that cannot be. */
  stopAtFirst?: boolean
  /** Gives each transcript a digest of the records that it was read from. */
  hash?: (text: string) => string
}

/** What there is to say of what was read, beside the transcripts; complete when the reading is. */
export interface Told {
  problems: Flaw[]
  /** What was left out without being a problem. */
  notes: string[]
  /** What would help with the problems. */
  hint?: string
}

/** What was read, and a line for each thing that could not be. */
export interface Reading extends Omit<Told, 'problems'> {
  conversations: Conversation[]
  problems: string[]
}

/** Every transcript of the sources, and everything that is wrong with any of them. */
export async function readConversations(sources: Sources, flags: ReadFlags, now: number): Promise<Reading> {
  const told: Told = { problems: [], notes: [] }
  const conversations: Conversation[] = []
  for await (const conversation of conversationsIn(sources, flags, now, told)) conversations.push(conversation)
  return { ...told, conversations, problems: told.problems.map(flawLine) }
}

type Sources = AsyncIterable<Source> | Iterable<Source>

/**
 * The transcripts of the sources, as they are read; what is wrong with the others is told. A file that nobody named and
 * that holds no talk is left out, unless there is nothing else in the directory or archive that was named.
 */
export async function* conversationsIn(
  sources: Sources,
  flags: ReadFlags,
  now: number,
  told: Told,
): AsyncGenerator<Conversation, void, undefined> {
  const reading = { ...flags, options: optionsOf(flags, now), told }
  const leftOut: LeftOut[] = []
  const heard = new Set<string>()
  const notRead: string[] = []
  const tell = (source: Source, error: unknown) => {
    told.problems.push(...flawsIn(source, error))
    if (noTalkIn(error) === 'unknown_format') told.hint = `the formats are ${formats.map(({ id }) => id).join(', ')}`
  }
  for await (const source of sources) {
    notRead.push(...source.notRead)
    try {
      const parts = source.chunks()
      const atOnce = isList(parts) ? conversationsAtOnce(source, parts, reading) : undefined
      if (atOnce) {
        if (atOnce.length > 0) heard.add(source.root)
        for (const conversation of atOnce) yield conversation
      } else {
        for await (const batch of conversationsOf(source, parts, reading)) {
          heard.add(source.root)
          for (const conversation of batch) yield conversation
        }
      }
    } catch (error) {
      const code = noTalkIn(error)
      if (source.isFound && code)
        leftOut.push({ source, error: error as TranscriptFileError, code, isOwn: await isOwn(source) })
      else {
        tell(source, error)
        heard.add(source.root)
      }
    }
  }
  if (notRead.length > 0)
    told.notes.push(`${count(notRead.length, 'member')} of archives not read: ${firstOf(notRead)}`)
  for (const { source, error } of leftOut) if (!heard.has(source.root)) tell(source, error)
  told.notes.push(...notesOn(leftOut.filter(({ source, isOwn }) => heard.has(source.root) && !isOwn)))
}

function optionsOf({ format, thinking, subagents, branches, map, stopAtFirst, hash }: ReadFlags, now: number) {
  return {
    stopAtFirst,
    hash,
    format: format === undefined ? undefined : formatIdOf(format),
    thinking,
    subagents,
    branches,
    columns: map && columnsOf(map),
    now,
  }
}

function formatIdOf(text: string): FormatId {
  const format = formats.find(({ id }) => id === text)
  if (format) return format.id
  throw new CliError(exit.usage, `There is no format "${text}".`, {
    hint: `give one of ${formats.map(({ id }) => id).join(', ')}`,
  })
}

/** A field that nobody knows would be passed over in silence. */
function columnsOf(map: Record<string, string>): Record<string, string> {
  const known: readonly string[] = columnFields
  const unknown = Object.keys(map).find((field) => !known.includes(field) && !/^role:./.test(field))
  if (unknown === undefined) return map
  throw new CliError(exit.usage, `--map knows no field "${unknown}".`, {
    hint: `give one of ${columnFields.join(', ')}, or role:NAME, as in --map role=Sender or --map role:Ada=user`,
  })
}

function flawsIn({ path }: Source, error: unknown): Flaw[] {
  const { name, message, problems } = error as Error & { problems?: Problem[] }
  if (name === 'ContainerError') return [{ path, at: { line: 1, column: 1 }, pointer: '', message }]
  if (!problems) throw error
  return problems.map((each) => ({
    path: each.member === undefined ? path : `${path}/${each.member}`,
    ...(each.record !== undefined && { record: each.record }),
    at: { line: each.line, column: each.column },
    pointer: each.pointer ?? '',
    message: messageOf(each),
  }))
}

/** The option is named as it is typed. */
function messageOf({ code, message }: Problem): string {
  // Once for each file they would bury the rest.
  if (code === 'unknown_format') return message.split('. Accepted are\n', 1)[0] ?? message
  if (code !== 'only_subagents') return message
  return 'expected user or assistant lines of a session, found only those of sub-agents; --subagents takes these'
}
