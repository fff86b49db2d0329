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

/** Who speaks under a role; roles are read without regard to case. */
export function speakerOf(role: string): Speaker {
  // Nearly all turns have one of these, and to compare is quicker than to look up.
  if (role === 'user' || role === 'assistant') return role
  return speakers.get(role) ?? speakers.get(role.toLowerCase()) ?? 'other'
}

/** A transcript as a talk. Roles are free strings, read without regard to case; who is not asked for is not looked at. */
export class Talk {
  readonly #transcript: readonly Message[]
  #all: readonly Spoken[] | undefined
  #users: readonly Spoken[] | undefined
  #replies: readonly Spoken[] | undefined

  constructor(transcript: readonly Message[]) {
    this.#transcript = transcript
  }

  get all(): readonly Spoken[] {
    this.#all ??= this.#by(undefined, () => true)
    return this.#all
  }

  /** What the user said; a blank message says nothing. */
  get users(): readonly Spoken[] {
    this.#users ??= this.#by('user', (content) => !isBlank(content))
    return this.#users
  }

  /** What the user was told: visible assistant messages with text. */
  get replies(): readonly Spoken[] {
    this.#replies ??= this.#by('assistant', (content, visible) => visible && !isBlank(content))
    return this.#replies
  }

  /** What tools gave back. */
  get results(): readonly Spoken[] {
    return this.#by('tool', () => true)
  }

  /** The turns of one speaker, or of all, that are meant. Of the others only the role is looked at. */
  #by(who: Speaker | undefined, isMeant: (content: string, visible: boolean) => boolean): Spoken[] {
    const meant: Spoken[] = []
    let turn = 0
    for (const message of this.#transcript) {
      turn += 1
      const speaker = speakerOf(message.role)
      if (who !== undefined && speaker !== who) continue
      const { content, is_user_visible = true } = message
      if (isMeant(content, is_user_visible)) meant.push({ turn, speaker, content, visible: is_user_visible })
    }
    return meant
  }
}

/** Whether a text is empty or white space. */
export function isBlank(text: string): boolean {
  const first = text.charCodeAt(0)
  // Most texts begin with a visible character of ASCII.
  return !(first > 0x20 && first < 0x7f) && text.trim() === ''
}
