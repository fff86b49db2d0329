import { truncate } from '../validation/index.js'
import type { Annotator } from './annotator.js'
import {
  annotateBy,
  type Conversation,
  type ConversationTurn,
  type Findings,
  isBlank,
  judge,
  type Signal,
  sentenceAt,
} from './conversation.js'

/** Check the structure of a conversation: unanswered turns, repeated requests, tool errors, empty turns. */
export const structural: Annotator = {
  id: 'structural',
  annotator_version: '1.0.0',
  taxonomy_version: '1.0.0',
  description: 'Reads the shape of the conversation: unanswered turns, repeated requests, tool errors, empty turns.',
  annotate: ({ transcript }) => annotateBy(findStructure, transcript),
}

const detectors: Readonly<Record<string, (conversation: Conversation) => Signal | undefined>> = {
  no_user_turn: noUserTurn,
  unanswered_user_turn: unansweredUserTurn,
  repeated_user_request: repeatedUserRequest,
  tool_error: toolError,
  unanswered_tool_call: unansweredToolCall,
  empty_assistant_turn: emptyAssistantTurn,
  long_monologue: longMonologue,
}

export const findStructure = (conversation: Conversation): Findings =>
  judge(
    Object.entries(detectors).map(([key, detect]) => [key, detect(conversation)]),
    unjudged(conversation),
  )

function unjudged({ all, users }: Conversation): string | undefined {
  if (users.length > 0) return undefined
  return all.length === 0 ? 'The transcript is empty.' : 'No user speaks, so nothing can be judged.'
}

function noUserTurn({ all, users }: Conversation): Signal | undefined {
  if (all.length === 0 || users.length > 0) return undefined
  return { severity: 1, evidence: `0 of ${all.length} turns`, turn: null }
}

/** The last user turn has no reply and is no thanks or farewell. */
function unansweredUserTurn({ users, replies }: Conversation): Signal | undefined {
  const last = users.at(-1)
  const lastReply = replies.at(-1)
  if (!last || (lastReply && lastReply.turn > last.turn) || isClosing(last.content)) return undefined
  return { severity: lastReply ? 2 : 3, evidence: truncate(last.content, 200), turn: last.turn }
}

/** A user turn is similar to one of the twenty before it. */
function repeatedUserRequest({ users }: Conversation): Signal | undefined {
  const words = users.map(({ content }) => new Set(content.toLowerCase().match(/[\p{L}\p{N}]+/gu)))
  const repeats = users.filter((_, i) =>
    words.slice(Math.max(0, i - 20), i).some((earlier) => isSimilar(earlier, words[i] ?? earlier)),
  )
  const [first] = repeats
  return first && { severity: repeats.length > 1 ? 2 : 1, evidence: truncate(first.content, 200), turn: first.turn }
}

/** True if two texts of three words or more share four words of five. */
function isSimilar(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length
  return shared >= 0.8 * (one.size + other.size - shared) && one.size >= 3 && other.size >= 3
}

/** A tool result is an error. The severity is 2 if it is the last tool result. */
function toolError({ toolResults }: Conversation): Signal | undefined {
  const last = toolResults.findLast(({ content }) => isToolError(content))
  if (!last) return undefined
  const line = last.content.trim().split('\n', 1)[0] ?? ''
  return { severity: last === toolResults.at(-1) ? 2 : 1, evidence: truncate(line, 200), turn: last.turn }
}

/** An assistant message contains a tool call, and no tool result follows before the next message. */
function unansweredToolCall({ all }: Conversation): Signal | undefined {
  let first: Signal | undefined
  let next: ConversationTurn | undefined
  // From the end, so that the work does not grow with the square of the turns.
  for (const each of all.toReversed()) {
    const call = toolCallOf(each.content)
    if (call === undefined) next = each.speaker === 'other' ? next : each
    else if (each.speaker === 'assistant' && next?.speaker !== 'tool')
      first = { severity: 1, evidence: truncate(call, 200), turn: each.turn }
  }
  return first
}

/** A visible assistant message has no text, and no tool result follows it. */
function emptyAssistantTurn({ all }: Conversation): Signal | undefined {
  const empty = all.find(
    ({ speaker, content, visible }, i) =>
      speaker === 'assistant' && visible && isBlank(content) && all[i + 1]?.speaker !== 'tool',
  )
  return empty && { severity: 1, evidence: truncate(empty.content, 200), turn: empty.turn }
}

function longMonologue({ replies }: Conversation): Signal | undefined {
  const long = replies.find(({ content }) => content.length > 4000 && content.split(/\s+/, 1001).length > 1000)
  return long && { severity: 1, evidence: sentenceAt(long.content, 0), turn: long.turn }
}

/** True if a text is thanks or a farewell, and no request. */
function isClosing(content: string): boolean {
  // The lookbehind keeps the search linear in a long run of `#`.
  const text = content.replace(/(?<!#)#+[A-Z]+#+/g, ' ').trim()
  if (text === '') return true
  if (text.length > 300 || text.includes('?')) return false
  if (/\b(?:please|can you|could you|would you|i (?:really )?(?:need|want)|transfer|help me)\b/i.test(text))
    return false
  return /\b(?:thanks|thank you|thx|cheers|bye|goodbye|appreciate|that(?:'|’)?s (?:all|it)|that is all|great|perfect|never ?mind)\b/i.test(
    text,
  )
}

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

/** The first tool call in a message, such as `[tool_call search] {"q":"x"}`, to the end of its line. */
const toolCallOf = (content: string): string | undefined =>
  content.includes('[') ? /\[tool[_ ]call\b[^\n]*/i.exec(content)?.[0] : undefined

function isErrorRecord({ error, is_error, isError, status, success }: Record<string, unknown>): boolean {
  if (is_error === true || isError === true || success === false) return true
  if (typeof status === 'string' && /^(?:error|failed|failure)$/i.test(status)) return true
  return error !== undefined && error !== null && error !== false && error !== ''
}
