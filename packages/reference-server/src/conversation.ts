import type { Message } from './types.js'

/** Who speaks, whatever the role is called. */
export type Speaker = 'user' | 'assistant' | 'tool' | 'other'

/** A message with its place: `turn` is 1-indexed. */
export interface Spoken {
  turn: number
  speaker: Speaker
  content: string
  /** Whether the end user saw it. */
  visible: boolean
}

const speakers = new Map<string, Speaker>([
  ...['user', 'human', 'customer', 'end_user'].map((role) => [role, 'user'] as const),
  ...['assistant', 'ai', 'model', 'bot', 'agent', 'human_agent'].map((role) => [role, 'assistant'] as const),
  ...['tool', 'function', 'tool_result'].map((role) => [role, 'tool'] as const),
])

/** The messages of a transcript, each with its turn and its speaker. Roles are free strings. */
export const conversationOf = (transcript: readonly Message[]): Spoken[] =>
  transcript.map(({ role, content, is_user_visible = true }, index) => ({
    turn: index + 1,
    speaker: speakers.get(role.toLowerCase()) ?? 'other',
    content,
    visible: is_user_visible,
  }))

/** What the user said; a blank message says nothing. */
export const userTurns = (talk: readonly Spoken[]): Spoken[] =>
  talk.filter(({ speaker, content }) => speaker === 'user' && content.trim() !== '')

/** What the user was told: visible assistant messages with text. */
export const replies = (talk: readonly Spoken[]): Spoken[] =>
  talk.filter(({ speaker, content, visible }) => speaker === 'assistant' && visible && content.trim() !== '')
