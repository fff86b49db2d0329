import {
  columnFields,
  type FormatId,
  formats,
  type Position,
  type Problem,
  TranscriptFileError,
} from '@svc/transcripts'
import { CliError, exit } from '../exit.js'
import { grouped } from '../grouped.js'
import { count, firstNames } from '../terminal/index.js'
import type { InputFlags, InputGap } from './candidates.js'
import type { Conversation } from './conversations.js'
import { type Known, knownAs } from './known-files.js'
import { type Diagnostic, diagnosticLine } from './positions.js'
import { conversationsOf } from './read-source.js'
import { addSkipped, type Skipped, skippedLines } from './skipped.js'
import { type Source, UnreadableInput } from './sources.js'

/** How files are to be read. */
export interface ReadFlags extends InputFlags {
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

/** A file, or a record of one, that could not be read as a transcript. */
export interface Unread {
  path: string
  /** From 1. */
  record: number
  at: Position | undefined
  why: 'no transcript' | InputGap['why']
  detail: string
  /** How many transcripts were read before it. */
  after: number
}

/** What there is to say of what was read, beside the transcripts; complete when the reading is. */
export interface ReadReport {
  problems: Diagnostic[]
  /** What was left out without being a problem. */
  notes: string[]
  /** What would help with the problems. */
  hint?: string
  skipped?: Skipped
  /** Where it is given, it takes what could not be read, in the place of a problem or a note. */
  unread?: Unread[]
}

/** What was read, and a line for each thing that could not be. */
export interface Reading extends Omit<ReadReport, 'problems'> {
  conversations: Conversation[]
  problems: string[]
}

/** Every transcript of the sources, and everything that is wrong with any of them. */
export async function readConversations(
  sources: Sources,
  flags: ReadFlags,
  now: number,
  more: Pick<ReadReport, 'skipped' | 'unread'> = {},
): Promise<Reading> {
  const told: ReadReport = { problems: [], notes: [], ...more }
  const conversations: Conversation[] = []
  for await (const conversation of conversationsIn(sources, flags, now, told)) conversations.push(conversation)
  return { ...told, conversations, problems: told.problems.map(diagnosticLine) }
}

type Sources = AsyncIterable<Source> | Iterable<Source>

/** A source whose reading ended with an error. */
interface Failed {
  source: Source
  error: unknown
  /** How many transcripts it gave before that, and how many were read before it. */
  given: number
  after: number
  /** What it is known to be, where it is no transcript. */
  known: Known | undefined
}

/**
 * The transcripts of the sources, as they are read; what is wrong with the others is reported. A file that was found and
 * is known to hold no transcript is left out. Without `told.unread` so is any other file that was found and holds none,
 * unless there is nothing else in the directory or archive that was named.
 */
export async function* conversationsIn(
  sources: Sources,
  flags: ReadFlags,
  now: number,
  told: ReadReport,
): AsyncGenerator<Conversation, void, undefined> {
  const reading = { ...flags, options: optionsOf(flags, now), told }
  const failed: Failed[] = []
  const rootsRead = new Set<string>()
  const notRead: string[] = []
  let read = 0
  for await (const source of sources) {
    notRead.push(...source.notRead)
    const before = read
    try {
      for await (const conversation of conversationsOf(source, reading)) {
        rootsRead.add(source.root)
        read++
        yield conversation
      }
    } catch (error) {
      const isKnowable = source.isFound && error instanceof TranscriptFileError
      const known = isKnowable ? await knownAs(source, noTranscriptIn(error) !== undefined) : undefined
      failed.push({ source, error, given: read - before, after: read, known })
    }
  }
  if (notRead.length > 0)
    told.notes.push(`${count(notRead.length, 'member')} of archives not read: ${firstNames(notRead)}`)
  report(failed, rootsRead, told)
}

function report(failed: readonly Failed[], heard: ReadonlySet<string>, told: ReadReport): void {
  const skipped: Skipped = told.skipped ?? new Map()
  const withoutTranscript: { path: string; code: Code }[] = []
  for (const each of failed) {
    const { source, error, known } = each
    const { path, root, isFound } = source
    const code = noTranscriptIn(error)
    if (known) addSkipped(skipped, known, path)
    else if (told.unread && isFound && code === 'only_subagents' && heard.has(root))
      addSkipped(skipped, 'companion', path)
    else if (told.unread) told.unread.push(...unreadIn(each))
    else if (isFound && code && heard.has(root)) withoutTranscript.push({ path, code })
    else {
      told.problems.push(...diagnosticsIn(source, error))
      if (code === 'unknown_format')
        told.hint = `to read it as one of these, name it by --format: ${formats.map(({ id }) => id).join(', ')}`
    }
  }
  told.notes.push(...skippedLines(skipped), ...notesOn(withoutTranscript))
}

/** One for a file that gave no transcript; else one for each record that could not be read. */
function unreadIn({ source, error, given, after }: Failed): Unread[] {
  if (error instanceof UnreadableInput) return [{ path: source.path, record: 1, at: undefined, after, ...error.gap }]
  const { code } = error as NodeJS.ErrnoException
  const isOfSystem = typeof code === 'string' && !(error instanceof TranscriptFileError)
  if (isOfSystem) {
    const detail = `it cannot be read (${code})`
    return [{ path: source.path, record: given + 1, at: undefined, why: 'unreadable', detail, after }]
  }
  const why = noTranscriptIn(error) ? 'no transcript' : 'unreadable'
  const flaws = diagnosticsIn(source, error)
  const records = given === 0 ? [flaws] : [...grouped(flaws, ({ record }) => record).values()]
  return records.map((of) => {
    const [{ path, record, at, pointer, message }] = of as [Diagnostic, ...Diagnostic[]]
    const more = of.length > 1 ? ` (and ${count(of.length - 1, 'more problem')})` : ''
    const detail = `${pointer && `${pointer} `}${message}${more}`
    return { path, record: given === 0 ? 1 : (record ?? given + 1), at, why, detail, after }
  })
}

type Code = NonNullable<Problem['code']>

/** Why a file holds no transcript although nothing in it is broken; undefined for any other error. */
function noTranscriptIn(error: unknown): Code | undefined {
  if (!(error instanceof TranscriptFileError)) return undefined
  const codes = error.problems.map(({ code }) => code)
  return codes.includes(undefined) ? undefined : codes[0]
}

const describeFiles: Record<Code, (files: string, paths: string) => string> = {
  only_subagents: (files) => `${files} with talks of sub-agents alone left out; --subagents takes them`,
  nothing_said: (files) => `${files} in which nobody says anything left out`,
  unknown_format: (files, paths) => `${files} of no known format left out: ${paths}`,
  empty_file: (files, paths) => `${files} without content left out: ${paths}`,
}

/** A line for each reason. */
const notesOn = (files: readonly { path: string; code: Code }[]): string[] =>
  (Object.keys(describeFiles) as Code[]).flatMap((code) => {
    const paths = files.filter((each) => each.code === code).map(({ path }) => path)
    return paths.length === 0 ? [] : [describeFiles[code](count(paths.length, 'file'), firstNames(paths))]
  })

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

function diagnosticsIn({ path }: Source, error: unknown): Diagnostic[] {
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
