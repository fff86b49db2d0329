import { defineFormat } from '../../contract/index.js'

/** The blank lines, and the names of the speakers, that begin the messages in a text. */
const start = /(?:^|\n\n)(Human|Assistant):/

/** Dialogues of which one end is preferred to another. */
export const preferences = defineFormat({
  id: 'preferences',
  title: 'Preferred answers',
  accepts: '{ "chosen": "\\n\\nHuman: …\\n\\nAssistant: …", "rejected" }',
  signature: { 'chosen=\n\nHuman:*|Human:* rejected': 0.95 },
  messages: 'chosen',
  printed: (text) => {
    const [, ...pieces] = text.trim().split(start)
    return pieces.flatMap((role, at) => (at % 2 === 0 ? [{ role, content: pieces[at + 1]?.trim() ?? '' }] : []))
  },
  roles: { user: 'Human', assistant: 'Assistant' },
  lost: ['rejected'],
})
