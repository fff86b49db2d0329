import type { Annotator, Judgement } from './annotator.js'
import { conversationOf, replies, type Spoken, userTurns } from './conversation.js'
import { hitsOf, notesOf, outcomeOf, type Signal, type Signals, sentenceAt } from './signals.js'
import { summarize } from './summary.js'
import { clip } from './text.js'
import { isClosing, isToolError, similar, toolCallOf, wordsOf } from './turn-shape.js'
import type { Message } from './types.js'

/** Reads the shape of a talk: what was left open, asked twice, empty, or ended in a tool's error. */
export const structural: Annotator = {
  id: 'structural',
  annotator_version: '1.0.0',
  taxonomy_version: '1.0.0',
  description: 'Reads the shape of the conversation: unanswered turns, repeated requests, tool errors, empty turns.',
  annotate: ({ transcript }) => judgeStructure(transcript),
}

export function judgeStructure(transcript: readonly Message[]): Judgement {
  const talk = conversationOf(transcript)
  const signals = signalsOf(talk)
  const summary = summarize(talk, signals)
  if (userTurns(talk).length > 0) {
    return { summary, outcome: outcomeOf(signals), outcome_notes: notesOf(signals), signals: hitsOf(signals) }
  }
  const outcome_notes = talk.length === 0 ? 'The transcript is empty.' : 'No user speaks, so nothing can be judged.'
  return { summary, outcome: 'indeterminate', outcome_notes, signals: hitsOf(signals) }
}

function signalsOf(talk: readonly Spoken[]): Signals {
  const found: [string, Signal | undefined][] = [
    ['no_user_turn', noUserTurn(talk)],
    ['unanswered_user_turn', unansweredUserTurn(talk)],
    ['repeated_user_request', repeatedUserRequest(talk)],
    ['tool_error', toolError(talk)],
    ['unanswered_tool_call', unansweredToolCall(talk)],
    ['empty_assistant_turn', emptyAssistantTurn(talk)],
    ['long_monologue', longMonologue(talk)],
  ]
  return Object.fromEntries(found.filter((entry): entry is [string, Signal] => entry[1] !== undefined))
}

function noUserTurn(talk: readonly Spoken[]): Signal | undefined {
  if (talk.length === 0 || userTurns(talk).length > 0) return undefined
  return { severity: 1, evidence: `0 of ${talk.length} turns`, turn: null }
}

/** The last thing the user asks gets no reply. A word of thanks or farewell at the end asks nothing. */
function unansweredUserTurn(talk: readonly Spoken[]): Signal | undefined {
  const last = userTurns(talk).at(-1)
  const lastReply = replies(talk).at(-1)
  if (!last || (lastReply && lastReply.turn > last.turn) || isClosing(last.content)) return undefined
  return { severity: lastReply ? 2 : 3, evidence: sentenceAt(last.content, 0), turn: last.turn }
}

/** The user says (nearly) the same again; compared with the twenty turns before. */
function repeatedUserRequest(talk: readonly Spoken[]): Signal | undefined {
  const users = userTurns(talk)
  const words = users.map(({ content }) => wordsOf(content))
  const again = users.filter((_, i) => {
    const own = words[i]
    return own && words.slice(Math.max(0, i - 20), i).some((earlier) => similar(earlier, own))
  })
  const first = again[0]
  return first && { severity: again.length > 1 ? 2 : 1, evidence: sentenceAt(first.content, 0), turn: first.turn }
}

/** A tool's result is an error; graver when it is the last word of the tools. */
function toolError(talk: readonly Spoken[]): Signal | undefined {
  const results = talk.filter(({ speaker }) => speaker === 'tool')
  const failed = results.filter(({ content }) => isToolError(content))
  const shown = failed.at(-1)
  if (!shown) return undefined
  const line = shown.content.trim().split('\n', 1)[0] ?? ''
  return { severity: shown === results.at(-1) ? 2 : 1, evidence: clip(line, 200), turn: shown.turn }
}

/** A call is written into an assistant message, and no tool message follows before the talk goes on. */
function unansweredToolCall(talk: readonly Spoken[]): Signal | undefined {
  for (const [i, { speaker, content, turn }] of talk.entries()) {
    const call = speaker === 'assistant' ? toolCallOf(content) : undefined
    if (call === undefined) continue
    const next = talk.slice(i + 1).find((other) => other.speaker !== 'other' && !toolCallOf(other.content))
    if (next?.speaker !== 'tool') return { severity: 1, evidence: clip(call, 200), turn }
  }
  return undefined
}

/** A visible assistant message says nothing and calls nothing: no tool message comes right after it. */
function emptyAssistantTurn(talk: readonly Spoken[]): Signal | undefined {
  const empty = talk.find(
    ({ speaker, content, visible }, i) =>
      speaker === 'assistant' && visible && content.trim() === '' && talk[i + 1]?.speaker !== 'tool',
  )
  return empty && { severity: 1, evidence: 'empty content', turn: empty.turn }
}

/** A reply of more than a thousand words. */
function longMonologue(talk: readonly Spoken[]): Signal | undefined {
  const long = replies(talk).find(({ content }) => content.length > 4000 && content.split(/\s+/, 1001).length > 1000)
  return long && { severity: 1, evidence: sentenceAt(long.content, 0), turn: long.turn }
}
