import { isBlank, speakerOf } from './conversation.js'
import type { Sketch } from './sketch.js'
import type { Message } from './types.js'

/** What one look at a talk tells: enough to know of most signals that they cannot fire. */
export class FirstLook {
  readonly sketch: Sketch
  /** What the user said, and what the user was told, as in a `Talk`. */
  users = 0
  replies = 0
  /** No reply comes after the last that the user said. */
  isOpen = false
  hasResults = false
  hasEmptyReply = false
  hasLongReply = false

  constructor(transcript: readonly Message[], sketch: Sketch) {
    this.sketch = sketch
    for (const { role, content, is_user_visible = true } of transcript) {
      const speaker = speakerOf(role)
      if (speaker === 'user') {
        if (!isBlank(content)) this.#userSays()
      } else if (speaker === 'assistant') {
        if (is_user_visible) this.#userIsTold(content)
      } else if (speaker === 'tool') this.hasResults = true
    }
  }

  #userSays(): void {
    this.users += 1
    this.isOpen = true
  }

  #userIsTold(content: string): void {
    if (isBlank(content)) {
      this.hasEmptyReply = true
      return
    }
    this.replies += 1
    this.isOpen = false
    if (content.length > 4000) this.hasLongReply = true
  }
}

/** Whether a signal may fire in a talk that looks so. Where it says no, the signal does not fire. */
export type MayFire = (look: FirstLook) => boolean
