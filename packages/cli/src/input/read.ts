import { hash } from 'node:crypto'
import { basename, dirname, extname, join, relative } from 'node:path'
import { count, firstNames, grouped, shellLine } from '@svc/text'
import {
  describeLosses,
  type Format,
  formats,
  nameFor,
  openRole,
  type ParseOptions,
  type Position,
  type Problem,
  parseStream,
  split,
  suggestColumns,
  type Transcript,
  TranscriptFileError,
  unreadTranscripts,
  wrongMap,
} from '@svc/transcripts'
import { ContainerError } from '@svc/transcripts/containers'
import { type Conversation, type Diagnostic, labelOf } from './conversations.js'
import { matchingOf } from './exclusions.js'
import type { InputFlags, InputGap } from './find.js'
import { BrokenImporter, formatsIn } from './importers.js'
import { InputProblem } from './input-problem.js'
import { isOfRejects, type KnownFile, knownAs } from './known-files.js'
import { addSkipped, type Skipped, type SkipReason, skippedLines } from './skipped.js'
import { type Source, UnreadableInput } from './sources.js'

export interface ReadFlags extends InputFlags {
  format?: string
  /** Paths of programs whose formats are tried first. */
  importer?: readonly string[]
  strict?: boolean
  split?: boolean
  thinking?: boolean
  subagents?: boolean
  branches?: boolean
  map?: Record<string, string>
  /** What settings or a policy say about files of a pattern; the flags override it. */
  reading?: readonly ReadingRule[]
  /** The file whose `reading` a hint names. Default: `svc.config.json`. */
  readingFile?: string
  /** The settings whose `reading` is not used, because they are not trusted, with its rules. */
  untrustedReading?: { path: string; rules: readonly ReadingRule[]; exclude: readonly string[] }
  /** Refuse files that these settings concern, unless `map` or `format` say how to read them. Default: false. */
  refusesUntrusted?: boolean
  csvEscape?: string
  stopAtFirst?: boolean
  hash?: (text: string) => string
}

/** How files that match a pattern are read. */
export interface ReadingRule {
  /** Patterns as those of `--exclude`. */
  files: readonly string[]
  /** As `--map`, for the files that have these fields. */
  map?: Readonly<Record<string, string>> | undefined
  /** Paths of programs, as of `--importer`. */
  importer?: readonly string[] | undefined
}

/** SHA-256 in hex, for the option `hash`. */
export const sha256 = (text: string): string => hash('sha256', text)

/** A file or record that could not be read as a transcript. */
export interface Unread {
  path: string
  /** From 1. */
  record: number
  /** From 1, if a problem costs several. Default: 1. */
  part?: number
  at: Position | undefined
  /** SHA-256 of the bytes of the file in hex; null if they cannot be read. */
  sha256: string | null
  why: 'no transcript' | 'incomplete' | InputGap['why']
  detail: string
  /** A further run may read it. Default: false. */
  temporary?: boolean | undefined
  /** Number of transcripts that were read before it. */
  after: number
  /** The id of the conversation, if it was given before a row of it came too late. */
  givenId?: string
}

/** Problems and notes of reading files; complete once all files are read. */
export interface ReadReport {
  problems: Diagnostic[]
  notes: string[]
  hint?: string
  /** Arguments with which the command would read a file that it cannot read now. */
  add?: readonly string[]
  /** Files of products, or of kinds, that are known but not read. */
  products?: { path: string; product: string }[]
  skipped?: Skipped
  /** The number of found files that were skipped, because they hold no transcript. */
  filesWithout?: number
  /** If given, files that could not be read are listed here instead of in `problems` or `notes`. */
  unread?: Unread[]
  onRead?: ((transcripts: number) => void) | undefined
}

export interface Reading extends ReadReport {
  conversations: Conversation[]
}

export async function readConversations(
  sources: Sources,
  flags: ReadFlags,
  now: number,
  more: Pick<ReadReport, 'skipped' | 'unread' | 'onRead'> = {},
): Promise<Reading> {
  const report: ReadReport = { problems: [], notes: [], ...more }
  const conversations: Conversation[] = []
  for await (const conversation of conversationsIn(sources, flags, now, report)) conversations.push(conversation)
  return { ...report, conversations: withoutLate(conversations, report) }
}

/** A conversation of which a row came too late lacks it: it is not judged. */
function withoutLate(conversations: Conversation[], { unread = [] }: ReadReport): Conversation[] {
  const late = new Set(unread.flatMap(({ path, givenId }) => (givenId === undefined ? [] : `${path}\n${givenId}`)))
  if (late.size === 0) return conversations
  return conversations.filter(({ source, transcript }) => !late.has(`${source.path}\n${transcript.externalId}`))
}

type Sources = AsyncIterable<Source> | Iterable<Source>

interface Failed {
  source: Source
  error: unknown
  /** Number of transcripts that were read from it, and from all sources until then. */
  given: number
  after: number
  kind: KnownFile | undefined
  /** SHA-256 of its bytes, if it is to be listed as unread. */
  sha256: string | null
}

/**
 * Read the transcripts of the sources one by one. A found file that is known to hold no transcript is skipped. Without
 * `report.unread` any other found file without a transcript is skipped, too, if its directory or archive holds another
 * transcript, unless it seems to hold conversations: a map reads it, or settings that are not used say how files are read.
 * With `strict`, only those are skipped that are known to hold none.
 */
export async function* conversationsIn(
  sources: Sources,
  flags: ReadFlags,
  now: number,
  report: ReadReport,
): AsyncGenerator<Conversation, void, undefined> {
  const failed: Failed[] = []
  const rootsRead = new Set<string>()
  const notRead: string[] = []
  let read = 0
  const readingOf = readingsOf(flags, now, report)
  const { strict, untrustedReading } = flags
  const untrustedRulesOf = matchingRules(untrustedReading?.rules)
  const concernedBy = matchingRules(refusedRules(flags))
  const refused: string[] = []
  for await (const source of sources) {
    if ((await concernedBy(source)).length > 0) {
      refused.push(source.path)
      continue
    }
    const reading = await readingOf(source)
    notRead.push(...source.notRead)
    const before = read
    try {
      for await (const conversation of conversationsOf(source, reading)) {
        rootsRead.add(source.root)
        read++
        report.onRead?.(read)
        yield conversation
        await source.checkpoint()
      }
    } catch (error) {
      if (error instanceof BrokenImporter) throw error
      const isKnowable = source.isFound && error instanceof TranscriptFileError
      const given = read - before
      const kind = isKnowable ? await knownAs(source, noTranscriptIn({ error, given }) !== undefined) : undefined
      const sha256 = report.unread && !kind ? ((await source.hash()) ?? null) : null
      failed.push({ source, error, given, after: read, kind, sha256 })
    }
  }
  if (notRead.length > 0)
    report.notes.push(`${count(notRead.length, 'member')} of archives not read: ${firstNames(notRead)}`)
  const ofRows = await suggestMap(failed, flags, report)
  const named = failed.find(({ source, error }) => !source.isFound && error instanceof TranscriptFileError)?.source
  if (named && named.path !== '-' && (await isOfRejects(named)))
    report.hint = `\`svc upload ${named.path} --retry-rejects\` uploads the corrected lines of a file of --rejects`
  const untrusted = new Set<Source>()
  for (const { source, ...each } of failed)
    if (noTranscriptIn(each) === 'unknown_format' && (await untrustedRulesOf(source)).length > 0) untrusted.add(source)
  const trustHint = `check ${untrustedReading?.path}, then run \`svc config trust\`: its reading is not used`
  if (untrusted.size > 0) report.hint = trustHint
  if (refused.length > 0) {
    const message = 'Settings that are not trusted say how files are read, or exclude them; nothing was sent.'
    throw new InputProblem('untrusted_settings', message, {
      details: [firstNames(refused)],
      hint: `${trustHint}; or give --map or --format`,
    })
  }
  const maySkip = (each: Failed, code: Code) => {
    if (code === 'nothing_said' || code === 'only_subagents') return true
    return !strict && (code !== 'unknown_format' || !(untrusted.has(each.source) || ofRows(each.source)))
  }
  reportFailed(failed, { rootsRead, maySkip }, report)
  if (strict) refuseOtherNames(report)
}

/** The rules of settings that are not trusted, of which a file is not read in another way. */
function refusedRules({ untrustedReading, refusesUntrusted, map, format }: ReadFlags): ReadingRule[] {
  if (!untrustedReading || !refusesUntrusted || map || format !== undefined) return []
  const { rules, exclude } = untrustedReading
  return exclude.length > 0 ? [...rules, { files: exclude }] : [...rules]
}

/** The beginning of a file on which maps are tried, in bytes. */
const triedBytes = 1 << 18

/**
 * Find the maps that read files of rows that are unknown, by trial on their beginning, and report that of the first. Returns a function
 * that is true for a file that a map reads, or that has the ending of such a file and was not tried.
 */
async function suggestMap(
  failed: readonly Failed[],
  flags: ReadFlags,
  report: ReadReport,
): Promise<(source: Source) => boolean> {
  const isOfRows = ({ error, kind }: Failed) =>
    error instanceof TranscriptFileError &&
    !kind &&
    !error.problems.some(({ code, product }) => product ?? (code && code !== 'unknown_format'))
  const ofRows = failed.filter(isOfRows).map(({ source }) => source)
  const tried = ofRows.slice(0, report.unread ? mostTried : mostTriedToRefuse)
  const read: Source[] = []
  for (const source of tried) {
    const columns = await suggestedFor(source, flags)
    if (!columns) continue
    read.push(source)
    if (read.length > 1) continue
    const map = Object.entries(columns).flatMap(([field, name]) => ['--map', `${field}=${name}`])
    const { path, isFound } = source
    const { readingFile = 'svc.config.json' } = flags
    const folder = dirname(relative(dirname(readingFile), path))
    const name = isFound ? `*${extname(path)}` : basename(path)
    // A pattern must not leave the folder of its file; one without a folder matches everywhere.
    const files = [folder.startsWith('..') ? name : join(folder, name)]
    const settings =
      path === '-'
        ? ''
        : `; or, for everybody, in ${readingFile}: "reading": [${JSON.stringify({ files, map: columns })}]`
    const isOpen = map.some((each) => each.endsWith(`=${openRole}`))
    const check = isOpen ? `check, write user, assistant or human_agent for ${openRole}, and add` : 'check and add'
    report.hint = `to read ${path === '-' ? 'it' : path}, ${check} ${shellLine(map)}${settings}`
    if (!isOpen) report.add = map
    if (report.unread) break
  }
  const endings = new Set(read.map(({ path }) => extname(path)))
  return (source) => read.includes(source) || (!tried.includes(source) && endings.has(extname(source.path)))
}

/** Files that are tried, of many that are not read: for a hint, and where files would be skipped. */
const [mostTried, mostTriedToRefuse] = [3, 20]

async function suggestedFor(source: Source, { format, map, csvEscape }: ReadFlags) {
  const decoder = new TextDecoder()
  let text = ''
  let isWhole = true
  try {
    for await (const chunk of source.chunks()) {
      if (typeof chunk === 'object' && !(chunk instanceof Uint8Array)) return undefined
      text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
      isWhole = text.length <= triedBytes
      if (!isWhole) break
    }
  } catch {
    // Standard input that is no longer buffered, or a file that is gone.
    return undefined
  }
  const tried = isWhole ? text : text.slice(0, text.lastIndexOf('\n', triedBytes) + 1)
  return suggestColumns(tried, {
    ...(format !== undefined && formats.some(({ id }) => id === format) && { format }),
    columns: map,
    csvEscape,
  } as ParseOptions)
}

/** Reads conversations once more, each by its source and its place there; sources and places are asked for in their order. */
export function readAgain(flags: ReadFlags, now: number) {
  let reading: { source: Source; conversations: AsyncGenerator<Conversation>; next: number } | undefined
  return {
    async at({ source, place }: { source: Source; place: number }): Promise<Conversation | undefined> {
      if (reading?.source !== source) {
        await reading?.conversations.return(undefined)
        const conversations = conversationsIn([source], flags, now, { problems: [], notes: [] })
        reading = { source, conversations, next: 0 }
      }
      for (;;) {
        const { done, value } = await reading.conversations.next()
        if (done) return undefined
        if (reading.next++ >= place) return value
      }
    },
    end: () => reading?.conversations.return(undefined),
  }
}

/** How each source is read: as the flags say, and the rules whose patterns match it. */
function readingsOf(flags: ReadFlags, now: number, report: ReadReport): (source: Source) => Promise<SourceReading> {
  const readings = new Map<string, Promise<SourceReading>>()
  const rulesOf = matchingRules(flags.reading)
  return async (source) => {
    const rules = await rulesOf(source)
    const key = rules.map((rule) => flags.reading?.indexOf(rule)).join()
    const reading =
      readings.get(key) ?? optionsOf(flags, rules, now, source).then((options) => ({ ...flags, options, report }))
    readings.set(key, reading)
    return reading
  }
}

/** The rules whose patterns match a source. */
function matchingRules(rules: readonly ReadingRule[] = []): (source: Source) => Promise<ReadingRule[]> {
  let matching: Promise<(readonly [ReadingRule, Awaited<ReturnType<typeof matchingOf>>])[]> | undefined
  return async (source) => {
    matching ??= Promise.all(
      rules.map(async (rule) => [rule, await matchingOf(source, rule.files, '"reading"')] as const),
    )
    const places = [source.path, source.file]
    return (await matching).flatMap(([rule, of]) => (places.some((path) => of(path).length > 0) ? [rule] : []))
  }
}

interface SourceReading extends Pick<ReadFlags, 'strict' | 'split'> {
  options: ParseOptions
  report: ReadReport
}

/** The transcripts of one source; with `strict` only those without losses. */
async function* conversationsOf(source: Source, reading: SourceReading): AsyncGenerator<Conversation, void, undefined> {
  const { origin = source.path } = source
  const fileName = origin === '-' ? 'stdin' : origin
  const read = (transcript: Transcript, place: number, total: number) =>
    asConversations(
      source,
      { ...transcript, externalId: transcript.externalId ?? source.id },
      nameFor(transcript, fileName, place, total),
      reading,
    )
  const transcripts = parseStream(source.chunks(), {
    ...reading.options,
    isOneOfSeveral: source.isOneOfSeveral,
    pause: source.checkpoint,
  })
  // The name depends on whether the transcript is the only one, so each is held until the next is read.
  let held: Transcript | undefined
  let given = 0
  let failure: { error: unknown } | undefined
  try {
    for (;;) {
      const next = await transcripts.next()
      if (next.done) {
        const { skipped } = next.value
        if (skipped.length > 0) reading.report.notes.push(`${source.path}: ${skippedRecords(skipped)}`)
        break
      }
      if (held) yield* read(held, ++given, Infinity)
      held = next.value
    }
  } catch (error) {
    failure = { error }
  } finally {
    // Closes the file if the caller stops early.
    await transcripts.return({ format: 'upload', skipped: [] })
  }
  if (held) yield* read(held, given + 1, given === 0 ? 1 : Infinity)
  if (failure) throw failure.error
}

/** `2 records skipped: the request "r2" has no answer: expired (line 2) and 1 more`, a reason with its lines each. */
function skippedRecords(skipped: readonly Problem[]): string {
  const reasonOf = ({ message, losses = [] }: Problem) =>
    losses.length > 0 ? `${message}; ${describeLosses(losses)}` : message
  const byReason = [...grouped(skipped, reasonOf)]
  const reasons = byReason.map(
    ([message, of]) => `${message} (${of[1] ? 'lines' : 'line'} ${firstNames(of.map(({ line }) => `${line}`))})`,
  )
  return `${count(skipped.length, 'record')} skipped: ${firstNames(reasons)}`
}

function* asConversations(
  source: Source,
  transcript: Transcript,
  name: string,
  { split: splits, strict, report }: SourceReading,
): Generator<Conversation> {
  const parts = splits ? split({ ...transcript, name }) : [transcript]
  for (const [at, part] of parts.entries()) {
    const conversation = { source, transcript: part, name: splits ? (part.name ?? name) : name, part: at + 1 }
    if (strict && part.losses.length > 0) report.problems.push(lossesAsFlaw(conversation))
    else yield conversation
  }
}

export const lossesAsFlaw = (conversation: Conversation): Diagnostic => ({
  path: labelOf(conversation),
  at: undefined,
  pointer: '',
  message: `${describeLosses(conversation.transcript.losses)} (--strict allows no loss)`,
})

function reportFailed(
  failed: readonly Failed[],
  { rootsRead, maySkip }: { rootsRead: ReadonlySet<string>; maySkip(each: Failed, code: Code): boolean },
  report: ReadReport,
): void {
  const skipped: Skipped = report.skipped ?? new Map()
  const withoutTranscript: { path: string; code: Code }[] = []
  for (const each of failed) {
    const { source, error, kind } = each
    const { path, root, isFound } = source
    const code = noTranscriptIn(each)
    const problems = error instanceof TranscriptFileError ? error.problems : []
    const product = error instanceof ContainerError ? error.product : problems[0]?.product
    if (product) report.products = [...(report.products ?? []), { path, product }]
    if (kind) addSkipped(skipped, kind, path)
    else if (report.unread && isFound && code === 'only_subagents' && rootsRead.has(root))
      addSkipped(skipped, 'companion', path)
    else if (report.unread) report.unread.push(...unreadIn(each))
    else if (isFound && code && rootsRead.has(root) && maySkip(each, code)) withoutTranscript.push({ path, code })
    else {
      report.problems.push(...diagnosticsIn(source, error))
      if (isFound && code && rootsRead.has(root)) report.hint ??= '--exclude skips a file that holds no conversation'
      if (code === 'unknown_format') report.hint ??= 'svc help formats lists the formats'
    }
  }
  const isSkipped = (why: SkipReason) => skipped.get(why)?.count ?? 0
  report.filesWithout = withoutTranscript.length + isSkipped('other file') + isSkipped('other name')
  report.notes.push(...skippedLines(skipped), ...notesOn(withoutTranscript))
}

/** A file that looks like transcripts, and is not read because of its name, is one that `strict` must not leave out. */
function refuseOtherNames(report: ReadReport): void {
  const { skipped } = report
  for (const path of skipped?.get('other name')?.paths ?? [])
    report.problems.push({
      path,
      at: undefined,
      pointer: '',
      message: 'it looks like transcripts, but its name does not',
    })
  if (skipped?.has('other name')) report.hint ??= 'name the file to read it, or leave it out with --exclude'
}

function unreadIn({ source, error, given, after, sha256 }: Failed): Unread[] {
  if (error instanceof UnreadableInput)
    return [{ path: source.path, record: 1, at: undefined, sha256, after, ...error.gap }]
  const { code } = error as NodeJS.ErrnoException
  const isOfSystem = typeof code === 'string' && !(error instanceof TranscriptFileError)
  if (isOfSystem) {
    const detail = `it is not readable (${code})`
    return [{ path: source.path, record: given + 1, at: undefined, sha256, why: 'unreadable', detail, after }]
  }
  return unreadTranscripts(problemsIn(error), given).map(({ problems: [first], record, part, why, detail }) => {
    const { line, column, conversations } = first
    return {
      ...{ path: pathOf(source, first), record, part, at: { line, column }, sha256, why, detail, after },
      ...(conversations?.isGiven && { givenId: conversations.ids[0] }),
    }
  })
}

type Code = NonNullable<Problem['code']>

/** The reason why an intact file, or member of an archive, holds no transcript; undefined for any other error. */
function noTranscriptIn({ error, given }: Pick<Failed, 'error' | 'given'>): Code | undefined {
  if (!(error instanceof TranscriptFileError)) return undefined
  if (given > 0 && error.problems.some(({ member }) => member === undefined)) return undefined
  const codes = error.problems.map(({ code }) => code)
  return codes.includes(undefined) ? undefined : codes[0]
}

const describeFiles: Record<Code, (files: string, paths: string) => string> = {
  only_subagents: (files, paths) =>
    `${files} with only sub-agent conversations skipped (--subagents includes them): ${paths}`,
  nothing_said: (files, paths) => `${files} without messages skipped: ${paths}`,
  unknown_format: (files, paths) => `${files} of unknown format skipped: ${paths}`,
  unsupported_product: (files, paths) => `${files} without a whole conversation skipped: ${paths}`,
  empty_file: (files, paths) => `${files} without content skipped: ${paths}`,
}

const notesOn = (files: readonly { path: string; code: Code }[]): string[] =>
  (Object.keys(describeFiles) as Code[]).flatMap((code) => {
    const paths = files.filter((each) => each.code === code).map(({ path }) => path)
    return paths.length === 0 ? [] : [describeFiles[code](count(paths.length, 'file'), firstNames(paths))]
  })

async function optionsOf(
  { format, importer = [], strict, thinking, subagents, branches, map, csvEscape, stopAtFirst, hash }: ReadFlags,
  rules: readonly ReadingRule[],
  now: number,
  { resolve }: Source,
) {
  const importers = [...importer, ...rules.flatMap((rule) => rule.importer ?? [])]
  const customFormats = await formatsIn([...new Set(importers)], resolve)
  const maps = rules.flatMap((rule) => (rule.map ? [columnsOf(rule.map, '"reading"')] : []))
  return {
    stopAtFirst,
    hash,
    strict,
    format: format === undefined ? undefined : formatIdOf(format, customFormats),
    formats: customFormats,
    thinking,
    subagents,
    branches,
    columns: map && columnsOf(map, '--map'),
    ...(maps.length > 0 && { optionalColumns: Object.assign({}, ...maps) }),
    csvEscape,
    now,
  }
}

function formatIdOf(text: string, customFormats: readonly Format[]): string {
  const ids = [...customFormats, ...formats].map(({ id }) => id)
  if (ids.includes(text)) return text
  throw new InputProblem('unknown_format', `Unknown format "${text}".`, {
    hint: `give one of ${ids.join(', ')}`,
  })
}

function columnsOf(map: Readonly<Record<string, string>>, name: string): Record<string, string> {
  const wrong = wrongMap(map)
  if (wrong === undefined) return map
  const { field, expected, found } = wrong
  const problem = field === found ? `unknown field "${field}"` : `"${found}" (${field}) is no role`
  throw new InputProblem('unknown_column', `${name}: ${problem}.`, {
    hint: `give ${expected}, as in --map role=Sender or --map role:Ada=user`,
  })
}

const pathOf = ({ path, folder = path }: Source, { member }: Problem): string =>
  member === undefined ? path : `${folder}/${member}`

const diagnosticsIn = (source: Source, error: unknown): Diagnostic[] =>
  problemsIn(error).map((each) => ({
    path: pathOf(source, each),
    ...(each.record !== undefined && { record: each.record }),
    ...(each.member === undefined && { source }),
    at: { line: each.line, column: each.column },
    pointer: each.pointer ?? '',
    message: each.message,
    ...(each.conversations && { conversations: each.conversations }),
    isOfFile: each.code === 'unknown_format' || each.code === 'unsupported_product',
  }))

/** The problems of a file, in the words of the command. An error of another kind is thrown. */
function problemsIn(error: unknown): Problem[] {
  if (error instanceof ContainerError) return [{ message: error.message, line: 1, column: 1 }]
  if (!(error instanceof TranscriptFileError)) throw error
  return error.problems.map((each) => ({ ...each, message: messageOf(each) }))
}

function messageOf({ code, message }: Problem): string {
  if (code !== 'only_subagents') return message
  return 'only sub-agent messages found; --subagents includes them'
}
