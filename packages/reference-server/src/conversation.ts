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

/** A transcript by its speakers. */
export interface Conversation {
  readonly all: readonly Spoken[]
  /** What the user said; a blank message says nothing. */
  readonly users: readonly Spoken[]
  /** What the user was told: visible assistant messages with text. */
  readonly replies: readonly Spoken[]
  /** What tools gave back. */
  readonly results: readonly Spoken[]
}

/** Reads a transcript as a conversation. Roles are free strings, read without regard to case. */
export function conversationOf(transcript: readonly Message[]): Conversation {
  const all = transcript.map(({ role, content, is_user_visible: visible = true }, i) => {
    return { turn: i + 1, speaker: speakers.get(role.toLowerCase()) ?? 'other', content, visible }
  })
  return {
    all,
    users: all.filter(({ speaker, content }) => speaker === 'user' && !isBlank(content)),
    replies: all.filter(({ speaker, content, visible }) => speaker === 'assistant' && visible && !isBlank(content)),
    results: all.filter(({ speaker }) => speaker === 'tool'),
  }
}

/** Whether a text is empty or white space. */
export const isBlank = (text: string): boolean => text.trim() === ''
