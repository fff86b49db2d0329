import { cut, parseJson } from '@svc/text'
import { detect, type FormatId, parse, type Transcript, TranscriptFileError } from '@svc/transcripts'
import type { Ends } from '../files.js'
import { formatsOf, type Tool } from './tools.js'

/** Bytes that are read from each end of a session file, at first and at most. */
export const endBytes = 1 << 16
export const mostEndBytes = 1 << 24

export interface Session extends Span {
  tool: Tool
  path: string
  /** The database that it is in, and its member there; its path names both. */
  stored?: { database: string; member: string }
  cwd: string | undefined
  /** SHA-256 of its working directory, if the tool writes that instead. */
  cwdHash: string | undefined
  /** The beginning of the first user message; empty if none was found. */
  title: string
  id: string | undefined
  isSubagent: boolean
}

export type NoSession = 'otherFormat' | 'empty'

/** Formats whose files are one document without a time of its own: it is read as a whole. */
const documents: ReadonlySet<string> = new Set<FormatId>(['copilot-chat', 'cline'])

export function sessionIn(path: string, ends: Ends, tool: Tool, now: number): Session | NoSession {
  const isWhole = ends.size <= ends.head.length
  const head = decodedText(ends.head)
  if (head.trim() === '') return 'empty'
  const format = formatsOf[tool].find((each) => each === detect(ends.head)?.format)
  if (format === undefined) return 'otherFormat'
  if (tool === 'opencode') return storedSession(path, head, ends, now)
  const end = isWhole ? head.length : head.lastIndexOf('\n') + 1
  const transcript = transcriptIn(head.slice(0, end), format)
  if (transcript === 'empty' && isWhole) return 'empty'
  const { metadata } = transcript instanceof Object ? transcript : { metadata: undefined }
  const directories = Array.isArray(metadata?.directories) ? metadata.directories : []
  const directory = [metadata?.cwd, directories[0], tool === 'gemini' ? undefined : firstValueOf('cwd', head)].find(
    (each) => typeof each === 'string',
  )
  return {
    tool,
    path,
    ...(documents.has(format) || format === 'cursor'
      ? spanOfTurns(transcript, ends, now)
      : spanOf(head, decodedText(ends.tail), now)),
    cwd: directory as string | undefined,
    cwdHash: firstValueOf('projectHash', head),
    title: titleOf(userTextOf(transcript) ?? userTextIn(transcript === undefined ? head : head.slice(end)) ?? ''),
    id: idInPath[tool]?.(path) ?? firstValueOf('sessionId', head) ?? firstValueOf('id', head),
    isSubagent: tool !== 'claude-code' && (isOfSubagent(metadata) || /\/(chats\/[^/]+|subagents)\/[^/]+$/.test(path)),
  }
}

export const titleOf = (text: string) => cut(text.replace(/\s+/g, ' ').trim(), 80)

/** The id of a session whose file has none: the name of its folder, or of the file. */
const idInPath: Partial<Record<Tool, (path: string) => string | undefined>> = {
  cline: (path) => path.split('/').at(-2),
  cursor: (path) =>
    path
      .split('/')
      .at(-1)
      ?.replace(/\.jsonl$/, ''),
}

/** True if the file has no id, so that its transcript takes that of its path. */
export const namesSession = (tool: Tool): boolean => idInPath[tool] !== undefined

/** A session in the storage of opencode: its own file has its title, folder and times. */
function storedSession(path: string, head: string, ends: Ends, now: number): Session | NoSession {
  const fields = objectOr(head.trim())
  if (fields === undefined) return 'otherFormat'
  const { id, title, directory, parentID, time } = fields
  const { created, updated } = Object(time) as Record<string, unknown>
  const textOr = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    tool: 'opencode',
    path,
    started: timeOr(created, now),
    last: timeOr(updated, now) ?? timeOr(ends.modified, now),
    cwd: textOr(directory),
    cwdHash: undefined,
    title: titleOf(textOr(title) ?? ''),
    id: textOr(id),
    isSubagent: typeof parentID === 'string',
  }
}

const timeOr = (at: unknown, now: number) => (typeof at === 'number' && at > 0 && at <= now + day ? at : undefined)

/** The times of the turns, or else when the file changed. */
function spanOfTurns(transcript: Transcript | 'empty' | undefined, { modified }: Ends, now: number): Span {
  const { turns, sourceTimestamp } =
    transcript instanceof Object ? transcript : { turns: [], sourceTimestamp: undefined }
  const times = [sourceTimestamp, ...turns.map(({ createdAt }) => createdAt)].flatMap(
    (time) => timeOr(Date.parse(time ?? ''), now) ?? [],
  )
  return { started: least(times), last: most(times) ?? timeOr(modified, now) }
}

function isOfSubagent(metadata: Transcript['metadata'] = {}): boolean {
  return metadata.parent_session !== undefined || metadata.agent !== undefined || metadata.kind === 'subagent'
}

/** True if larger ends of the file could show more, because a long line may fill an end. */
export function isVague(session: Session | NoSession, ends: Ends, now: number): boolean {
  if (ends.size <= ends.head.length || session === 'empty') return false
  // Of a document no part can be read by itself.
  if (session !== 'otherFormat' && documents.has(detect(ends.head)?.format ?? '')) return true
  if (session === 'otherFormat') return !ends.head.includes(lineFeed)
  const hasFolder = session.cwd !== undefined || session.cwdHash !== undefined
  return session.title === '' || !hasFolder || !endsInTime(decodedText(ends.tail), now)
}

const lineFeed = 0x0a

const decodedText = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The transcript in the whole lines of a beginning; `empty` without messages, undefined if it cannot be read. */
function transcriptIn(text: string, format: FormatId): Transcript | 'empty' | undefined {
  try {
    return parse(text, { format }).transcripts[0]
  } catch (error) {
    if (!(error instanceof TranscriptFileError)) throw error
    return error.problems.every(({ code }) => code === 'nothing_said') ? 'empty' : undefined
  }
}

function userTextOf(transcript: Transcript | 'empty' | undefined): string | undefined {
  return transcript instanceof Object
    ? transcript.turns.find(({ role }) => role === 'user')?.content.slice(0, 400)
    : undefined
}

const userTextPattern =
  /(?<!\\)"(?:type|role)":\s*"user",\s*"content":\s*(?:\[\s*\{\s*(?:"type":\s*"\w+",\s*)?"text":\s*)?"((?:[^"\\]|\\.){1,400})/

/** The first user message in a beginning that is no whole record. */
function userTextIn(head: string): string | undefined {
  const escapedText = userTextPattern.exec(head)?.[1]
  return escapedText === undefined ? undefined : unescaped(escapedText)
}

/** The first text of a field. An escaped quote before the name is part of a text. */
function firstValueOf(field: string, head: string): string | undefined {
  const escapedText = new RegExp(`(?<!\\\\)"${field}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`).exec(head)?.[1]
  return escapedText === undefined ? undefined : unescaped(escapedText)
}

const unescaped = (text: string) => parseJson(`"${text}"`)?.value as string | undefined

const fields = ['timestamp', 'startTime', 'lastUpdated'] as const
const timePattern = /(?<!\\)"(timestamp|startTime|lastUpdated)"\s*:\s*"([^"\\]{10,40})"/g
const day = 86_400_000

/** The first and the last time of a session, in milliseconds since 1970. */
interface Span {
  started: number | undefined
  last: number | undefined
}

/** Times more than a day after `now` are ignored. */
function spanOf(head: string, tail: string, now: number): Span {
  const early = timesIn(head, now)
  const late = timesIn(tail, now)
  const begun = early.filter(({ field }) => field === 'startTime')
  return {
    started: least((begun.length > 0 ? begun : early.length > 0 ? early : late).map(({ at }) => at)),
    last: most([...early, ...late].map(({ at }) => at)),
  }
}

/** True if a whole line at the end of a log has a time. In a cut line it may be part of a text. */
function endsInTime(tail: string, now: number): boolean {
  const from = tail.indexOf('\n') + 1
  return from > 0 && timesIn(tail.slice(from), now).length > 0
}

interface Time {
  field: string
  at: number
}

/** Of a whole line its fields count; of a cut line or a document every text that looks like a time. */
function timesIn(text: string, now: number): Time[] {
  const values = text.split('\n').flatMap((line): { field: string; text: unknown }[] => {
    const value = objectOr(line)
    if (!value || Array.isArray(value.messages)) {
      return [...line.matchAll(timePattern)].map(([, field = '', time]) => ({ field, text: time }))
    }
    const set = typeof value.$set === 'object' ? (value.$set as Record<string, unknown> | null) : undefined
    return fields.flatMap((field) => [value[field], set?.[field]].map((time) => ({ field, text: time })))
  })
  return values.flatMap(({ field, text: time }) => {
    const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
    return at > 0 && at <= now + day ? [{ field, at }] : []
  })
}

const objectOr = (line: string): Record<string, unknown> | undefined =>
  line.startsWith('{') ? (parseJson(line)?.value as Record<string, unknown> | undefined) : undefined

const least = (times: readonly number[]) =>
  times.reduce<number | undefined>((a, b) => (a !== undefined && a < b ? a : b), undefined)
const most = (times: readonly number[]) =>
  times.reduce<number | undefined>((a, b) => (a !== undefined && a > b ? a : b), undefined)
