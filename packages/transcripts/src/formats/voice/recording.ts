import { readTime } from '../../conversation/index.js'
import type { JsonObject } from '../../json/index.js'

/** Lines such as `AI: Hello` and `User: Hi`. A line without a speaker continues the one before. */
export function messagesInTranscript(transcript: string): JsonObject[] {
  const lines = transcript.trim().split(/\n(?= ?(?:AI|Bot|Agent|Assistant|User|Customer):)/i)
  return lines.map((line) => {
    const [, speaker = '', content = line] = /^ ?(\w+):\s?(.*)$/s.exec(line.trimEnd()) ?? []
    return { role: /^(user|customer)$/i.test(speaker) ? 'user' : 'assistant', content }
  })
}

/** The time of a message that is given in seconds from the start of the recording, if the time of the start is known. */
export function timeAfter(start: unknown, seconds: unknown): number | undefined {
  const read = readTime(start)
  if (read === undefined || 'error' in read || typeof seconds !== 'number') return undefined
  return Date.parse(read.iso) + Math.round(seconds * 1000)
}
