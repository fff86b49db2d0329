import { detect, type FormatId, parse, type Transcript, TranscriptFileError } from '@svc/transcripts'
import type { Ends } from '../io/index.js'
import { cut } from '../terminal/index.js'
import type { Tool } from './homes.js'

/** How much of a session is read from each of its ends to know what it is, at first and at most. */
export const endBytes = 1 << 16
export const mostEndBytes = 1 << 24

/** A session of a tool as its ends show it. */
export interface Session extends Span {
  tool: Tool
  path: string
  /** The folder that it was held in. */
  cwd: string | undefined
  /** SHA-256 of that folder, where the tool writes this instead. */
  cwdHash: string | undefined
  /** The first words of its user; empty where the beginning has none. */
  title: string
  id: string | undefined
  /** It is the talk of an agent that another session started. */
  isSubagent: boolean
}

/** What else a file can be: of another kind, or a log in which nobody speaks. */
export type NoSession = 'foreign' | 'silent'

const formatOf: Record<Tool, FormatId> = { 'claude-code': 'claude-code', codex: 'codex', gemini: 'gemini-cli' }

/** What the ends of a file tell of the session in it. */
export function sessionIn(path: string, ends: Ends, tool: Tool, now: number): Session | NoSession {
  const isWhole = ends.size <= ends.head.length
  const head = textOf(ends.head)
  if (head.trim() === '') return 'silent'
  if (detect(ends.head)?.format !== formatOf[tool]) return 'foreign'
  const end = isWhole ? head.length : head.lastIndexOf('\n') + 1
  const talk = transcriptIn(head.slice(0, end), tool)
  if (talk === 'silent' && isWhole) return 'silent'
  const { metadata } = talk instanceof Object ? talk : { metadata: undefined }
  const directories = Array.isArray(metadata?.directories) ? metadata.directories : []
  const own = [metadata?.cwd, directories[0], tool === 'gemini' ? undefined : firstValueOf('cwd', head)].find(
    (each) => typeof each === 'string',
  )
  return {
    tool,
    path,
    ...spanOf(head, textOf(ends.tail), now),
    cwd: own as string | undefined,
    cwdHash: firstValueOf('projectHash', head),
    title: cut(
      (userTextOf(talk) ?? userTextIn(talk === undefined ? head : head.slice(end)) ?? '').replace(/\s+/g, ' ').trim(),
      80,
    ),
    id: firstValueOf('sessionId', head) ?? firstValueOf('id', head),
    isSubagent: tool !== 'claude-code' && isOfSubagent(metadata),
  }
}

/** As logs of Codex and of Gemini say it. */
function isOfSubagent(metadata: Transcript['metadata'] = {}): boolean {
  return metadata.parent_session !== undefined || metadata.agent !== undefined || metadata.kind === 'subagent'
}

/** Whether more of a file than its ends would tell more of it: a long line may fill an end, or hide what is beyond. */
export function isVague(found: Session | NoSession, ends: Ends, now: number): boolean {
  if (ends.size <= ends.head.length || found === 'silent') return false
  if (found === 'foreign') return !ends.head.includes(lineFeed)
  const hasFolder = found.cwd !== undefined || found.cwdHash !== undefined
  return found.title === '' || !hasFolder || !endsInTime(textOf(ends.tail), now)
}

const lineFeed = 0x0a

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The talk in the whole lines of a beginning; `silent` where nobody speaks there, undefined where it cannot be read. */
function transcriptIn(text: string, tool: Tool): Transcript | 'silent' | undefined {
  try {
    return parse(text, { format: formatOf[tool] }).transcripts[0]
  } catch (error) {
    if (!(error instanceof TranscriptFileError)) throw error
    return error.problems.every(({ code }) => code === 'nothing_said') ? 'silent' : undefined
  }
}

function userTextOf(talk: Transcript | 'silent' | undefined): string | undefined {
  return talk instanceof Object ? talk.turns.find(({ role }) => role === 'user')?.content.slice(0, 400) : undefined
}

const userTextPattern =
  /(?<!\\)"(?:type|role)":\s*"user",\s*"content":\s*(?:\[\s*\{\s*(?:"type":\s*"\w+",\s*)?"text":\s*)?"((?:[^"\\]|\\.){1,400})/

/** The user's words in a beginning that is no whole record, such as one with a long text, or a document. */
function userTextIn(head: string): string | undefined {
  const found = userTextPattern.exec(head)?.[1]
  return found === undefined ? undefined : unescaped(found)
}

/** The first text of a field. An escaped quote before its name belongs to somebody's text. */
function firstValueOf(field: string, head: string): string | undefined {
  const found = new RegExp(`(?<!\\\\)"${field}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`).exec(head)?.[1]
  return found === undefined ? undefined : unescaped(found)
}

function unescaped(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return undefined
  }
}

const fields = ['timestamp', 'startTime', 'lastUpdated'] as const
/** A quote that is escaped belongs to somebody's text. */
const timePattern = /(?<!\\)"(timestamp|startTime|lastUpdated)"\s*:\s*"([^"\\]{10,40})"/g
const day = 86_400_000

/** When something began and when it last went on, in milliseconds since 1970. */
interface Span {
  started: number | undefined
  last: number | undefined
}

/** The first and the last time in the ends of a log; `now` because times more than a day after it are no times. */
function spanOf(head: string, tail: string, now: number): Span {
  const early = timesIn(head, now)
  const late = timesIn(tail, now)
  const begun = early.filter(({ field }) => field === 'startTime')
  return {
    started: least((begun.length > 0 ? begun : early.length > 0 ? early : late).map(({ at }) => at)),
    last: most([...early, ...late].map(({ at }) => at)),
  }
}

/** Whether a whole line in the end of a log has a time; a line that is cut may have one that is somebody's words. */
function endsInTime(tail: string, now: number): boolean {
  const from = tail.indexOf('\n') + 1
  return from > 0 && timesIn(tail.slice(from), now).length > 0
}

interface Time {
  field: string
  at: number
}

/** Those of whole lines stand in their fields; of a line that was cut, and of a document, all that look like it count. */
function timesIn(text: string, now: number): Time[] {
  const found = text.split('\n').flatMap((line): { field: string; text: unknown }[] => {
    const value = objectOr(line)
    if (!value || Array.isArray(value.messages)) {
      return [...line.matchAll(timePattern)].map(([, field = '', time]) => ({ field, text: time }))
    }
    const set = typeof value.$set === 'object' ? (value.$set as Record<string, unknown> | null) : undefined
    return fields.flatMap((field) => [value[field], set?.[field]].map((time) => ({ field, text: time })))
  })
  return found.flatMap(({ field, text: time }) => {
    const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
    return at > 0 && at <= now + day ? [{ field, at }] : []
  })
}

function objectOr(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}

const least = (times: readonly number[]) =>
  times.reduce<number | undefined>((a, b) => (a !== undefined && a < b ? a : b), undefined)
const most = (times: readonly number[]) =>
  times.reduce<number | undefined>((a, b) => (a !== undefined && a > b ? a : b), undefined)
