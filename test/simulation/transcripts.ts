import type { TranscriptUpload } from '@svc/client'
import type { Choices } from './choices.js'

/** The transcripts of a world. */
export function drawTranscripts(choices: Choices): TranscriptUpload[] {
  const count = 1 + choices.oneOf(5, 0.2)
  return Array.from({ length: count }, (_, i) => transcript(i, choices))
}

/** Some transcripts have equal content, and some external ids are equal. */
function transcript(i: number, choices: Choices): TranscriptUpload {
  const same = i > 0 && choices.chance(0.2)
  const content = `content ${same ? i - 1 : i}`
  const hasId = choices.chance(0.3)
  return {
    name: `Transcript ${i}`,
    turns: [
      { role: 'user', content },
      { role: 'assistant', content: 'yes' },
    ],
    ...(hasId && { externalId: `id-${same ? i - 1 : i}` }),
  }
}

/** The content of a transcript, different for each transcript of a world. */
export const contentOf = ({ turns }: { turns: readonly { content: string }[] }): string => turns[0]?.content ?? ''
