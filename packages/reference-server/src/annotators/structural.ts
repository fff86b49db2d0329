import type { Message, Outcome } from '../types.js'
import { truncate } from '../validation/index.js'
import type { Annotator, Judgement } from './annotator.js'
import {
  type Conversation,
  collectSignals,
  isBlank,
  outcomeNotes,
  outcomeOf,
  readConversation,
  type Signal,
  type Signals,
  sentenceAt,
  signalHits,
  summarize,
} from './conversation.js'

/** Reads the shape of a conversation: what was left open, asked twice, empty, or ended in a tool's error. */
export const structural: Annotator = {
  id: 'structural',
  annotator_version: '1.0.0',
  taxonomy_version: '1.0.0',
  description: 'Reads the shape of the conversation: unanswered turns, repeated requests, tool errors, empty turns.',
  annotate: ({ transcript }) => judgeStructure(transcript),
}

/** A detector for each signal of the shape. */
const detectors: Readonly<Record<string, (conversation: Conversation) => Signal | undefined>> = {
  no_user_turn: noUserTurn,
  unanswered_user_turn: unansweredUserTurn,
  repeated_user_request: repeatedUserRequest,
  tool_error: toolError,
  unanswered_tool_call: unansweredToolCall,
  empty_assistant_turn: emptyAssistantTurn,
  long_monologue: longMonologue,
}

/** The signals of the shape that fire in a conversation. */
export const findStructuralSignals = (conversation: Conversation): Signals =>
  collectSignals(Object.entries(detectors).map(([key, detect]) => [key, detect(conversation)]))

/** How a conversation with these signals ended. */
export const structuralOutcome = ({ users }: Conversation, signals: Signals): Outcome =>
  users.length === 0 ? 'indeterminate' : outcomeOf(signals)

function judgeStructure(transcript: readonly Message[]): Judgement {
  const conversation = readConversation(transcript)
  const signals = findStructuralSignals(conversation)
  return {
    summary: summarize(conversation, signals),
    outcome: structuralOutcome(conversation, signals),
    outcome_notes: notesOn(conversation, signals),
    signals: signalHits(signals),
  }
}

function notesOn({ all, users }: Conversation, signals: Signals): string {
  if (users.length > 0) return outcomeNotes(signals)
  return all.length === 0 ? 'The transcript is empty.' : 'No user speaks, so nothing can be judged.'
}

function noUserTurn({ all, users }: Conversation): Signal | undefined {
  if (all.length === 0 || users.length > 0) return undefined
  return { severity: 1, evidence: `0 of ${all.length} turns`, turn: null }
}

/** The last thing the user asks gets no reply. A word of thanks or farewell at the end asks nothing. */
function unansweredUserTurn({ users, replies }: Conversation): Signal | undefined {
  const last = users.at(-1)
  const lastReply = replies.at(-1)
  if (!last || (lastReply && lastReply.turn > last.turn) || isClosing(last.content)) return undefined
  return { severity: lastReply ? 2 : 3, evidence: sentenceAt(last.content, 0), turn: last.turn }
}

/** The user says (nearly) the same again; compared with the twenty turns before. */
function repeatedUserRequest({ users }: Conversation): Signal | undefined {
  const words = users.map(({ content }) => wordsOf(content))
  const repeats = users.filter((_, i) =>
    words.slice(Math.max(0, i - 20), i).some((earlier) => similar(earlier, words[i] ?? earlier)),
  )
  const [first] = repeats
  return first && { severity: repeats.length > 1 ? 2 : 1, evidence: sentenceAt(first.content, 0), turn: first.turn }
}

/** A tool's result is an error; graver when it is the last word of the tools. */
function toolError({ results }: Conversation): Signal | undefined {
  const failed = results.filter(({ content }) => isToolError(content))
  const shown = failed.at(-1)
  if (!shown) return undefined
  const line = shown.content.trim().split('\n', 1)[0] ?? ''
  return { severity: shown === results.at(-1) ? 2 : 1, evidence: truncate(line, 200), turn: shown.turn }
}

/** A call is written into an assistant message, and no tool message follows before the conversation goes on. */
function unansweredToolCall({ all }: Conversation): Signal | undefined {
  for (const [i, { speaker, content, turn }] of all.entries()) {
    const call = speaker === 'assistant' ? toolCallOf(content) : undefined
    if (call === undefined) continue
    const next = all.slice(i + 1).find((other) => other.speaker !== 'other' && !toolCallOf(other.content))
    if (next?.speaker !== 'tool') return { severity: 1, evidence: truncate(call, 200), turn }
  }
  return undefined
}

/** A visible assistant message says nothing and calls nothing: no tool message comes right after it. */
function emptyAssistantTurn({ all }: Conversation): Signal | undefined {
  const empty = all.find(
    ({ speaker, content, visible }, i) =>
      speaker === 'assistant' && visible && isBlank(content) && all[i + 1]?.speaker !== 'tool',
  )
  return empty && { severity: 1, evidence: 'empty content', turn: empty.turn }
}

/** A reply of more than a thousand words. */
function longMonologue({ replies }: Conversation): Signal | undefined {
  const long = replies.find(({ content }) => content.length > 4000 && content.split(/\s+/, 1001).length > 1000)
  return long && { severity: 1, evidence: sentenceAt(long.content, 0), turn: long.turn }
}

/** Whether a user's last words only close the talk: thanks or farewell, and nothing asked. */
function isClosing(content: string): boolean {
  // A run of `#` is tried from its beginning alone: from each of its characters, a long run takes seconds.
  const text = content.replace(/(?<!#)#+[A-Z]+#+/g, ' ').trim()
  if (text === '') return true
  if (text.length > 300 || text.includes('?')) return false
  if (/\b(?:please|can you|could you|would you|i (?:really )?(?:need|want)|transfer|help me)\b/i.test(text))
    return false
  return /\b(?:thanks|thank you|thx|cheers|bye|goodbye|appreciate|that(?:'|’)?s (?:all|it)|that is all|great|perfect|never ?mind)\b/i.test(
    text,
  )
}

/** Whether a tool's result is an error, as text or as JSON. */
function isToolError(content: string): boolean {
  const text = content.replace(/^\s*\[tool[_ ]result[^\]\n]{0,200}\]/i, '').trim()
  if (
    /^(?:\w{0,40}(?:error|exception)\b|traceback \(most recent|failed\b|fatal\b|panic:|command not found)/i.test(text)
  ) {
    return true
  }
  if (!text.startsWith('{')) return false
  try {
    return isErrorRecord(JSON.parse(text) as Record<string, unknown>)
  } catch {
    return false
  }
}

/** The first tool call written into a message, such as `[tool_call search] {"q":"x"}`, up to the end of its line. */
const toolCallOf = (content: string): string | undefined =>
  content.includes('[') ? /\[tool[_ ]call\b[^\n]*/i.exec(content)?.[0] : undefined

/** Whether two texts of three words or more are the same, or share four words of five. */
function similar(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  if (one.size < 3 || other.size < 3) return false
  const total = one.size + other.size
  /** As many as they share, if all the words that were not looked at are shared. */
  let shared = one.size
  for (const word of one) {
    if (other.has(word)) continue
    shared -= 1
    if (shared / (total - shared) < 0.8) return false
  }
  return shared / (total - shared) >= 0.8
}

/** The words of a text, each once and in any case. They are hashes, because texts would take most of a first search. */
function wordsOf(text: string): ReadonlySet<number> {
  const lower = text.toLowerCase()
  const words = new Set<number>()
  let hash = 0
  for (let i = 0; i <= lower.length; i += 1) {
    const unit = lower.charCodeAt(i)
    const isAscii = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39)
    if (isAscii || (unit >= 0x80 && /[\p{L}\p{N}]/u.test(lower.charAt(i)))) hash = (Math.imul(hash, 31) + unit) | 0
    else if (hash !== 0) {
      words.add(hash)
      hash = 0
    }
  }
  return words
}

function isErrorRecord({ error, is_error, isError, status, success }: Record<string, unknown>): boolean {
  if (is_error === true || isError === true || success === false) return true
  if (typeof status === 'string' && /^(?:error|failed|failure)$/i.test(status)) return true
  return error !== undefined && error !== null && error !== false && error !== ''
}
