import type { Place, Placed } from '../../model/index.js'

/** A word of speech, or a punctuation mark behind one. */
export interface Word {
  speaker: unknown
  text: string
  /** Seconds from the start, as the file has them. */
  start: unknown
  isPunctuation?: boolean
  place: Place
}

/** The messages of speakers: the consecutive words of each. */
export function turnsOf(words: readonly Word[]): Placed[] {
  const turns: (Placed & { value: { speaker: unknown; text: string; start: unknown } })[] = []
  for (const { speaker, text, start, isPunctuation = false, place } of words) {
    const last = turns.at(-1)
    const continues = last !== undefined && (isPunctuation || last.value.speaker === speaker)
    if (continues) last.value.text += isPunctuation ? text : ` ${text}`
    else turns.push({ value: { speaker, text, start }, place })
  }
  return turns
}

/** The seconds in a number, or in a text such as `1.5` or `1.5s`. */
export function secondsIn(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? Number(value.replace(/s$/, '')) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : undefined
}
