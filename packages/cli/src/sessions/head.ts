import { detect, type FormatId, parse, type Transcript, TranscriptFileError } from '@svc/transcripts'
import type { Ends } from '../disk.js'
import { cut } from '../text.js'
import type { Tool } from './homes.js'
import { endsInTime, type Span, spanOf } from './times.js'

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
  const talk = talkIn(head.slice(0, end), tool)
  if (talk === 'silent' && isWhole) return 'silent'
  const { metadata } = talk instanceof Object ? talk : { metadata: undefined }
  const directories = Array.isArray(metadata?.directories) ? metadata.directories : []
  const own = [metadata?.cwd, directories[0], tool === 'gemini' ? undefined : firstOf('cwd', head)].find(
    (each) => typeof each === 'string',
  )
  return {
    tool,
    path,
    ...spanOf(head, textOf(ends.tail), now),
    cwd: own as string | undefined,
    cwdHash: firstOf('projectHash', head),
    title: cut(
      (wordsOf(talk) ?? wordsIn(talk === undefined ? head : head.slice(end)) ?? '').replace(/\s+/g, ' ').trim(),
      80,
    ),
    id: firstOf('sessionId', head) ?? firstOf('id', head),
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
function talkIn(text: string, tool: Tool): Transcript | 'silent' | undefined {
  try {
    return parse(text, { format: formatOf[tool] }).transcripts[0]
  } catch (error) {
    if (!(error instanceof TranscriptFileError)) throw error
    return error.problems.every(({ code }) => code === 'nothing_said') ? 'silent' : undefined
  }
}

function wordsOf(talk: Transcript | 'silent' | undefined): string | undefined {
  return talk instanceof Object ? talk.turns.find(({ role }) => role === 'user')?.content.slice(0, 400) : undefined
}

const said =
  /(?<!\\)"(?:type|role)":\s*"user",\s*"content":\s*(?:\[\s*\{\s*(?:"type":\s*"\w+",\s*)?"text":\s*)?"((?:[^"\\]|\\.){1,400})/

/** The user's words in a beginning that is no whole record, such as one with a long text, or a document. */
function wordsIn(head: string): string | undefined {
  const found = said.exec(head)?.[1]
  return found === undefined ? undefined : unescaped(found)
}

/** The first text of a field. An escaped quote before its name belongs to somebody's text. */
function firstOf(field: string, head: string): string | undefined {
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
