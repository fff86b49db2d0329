import { clip } from './text.js'
import type { Outcome, SignalHit } from './types.js'

/** How much a signal worsens the outcome: 0 not at all, 1 `mixed`, 2 `poor`, 3 `critical`. */
export type Severity = 0 | 1 | 2 | 3

/** A signal that fired: where, and the words that made it fire. */
export interface Signal extends SignalHit {
  severity: Severity
}

/** The signals of a transcript by their keys. */
export type Signals = Readonly<Record<string, Signal>>

const outcomes: readonly Outcome[] = ['strong', 'mixed', 'poor', 'critical']

/** The signals that fired, by their keys. */
export const firedOf = (signals: readonly (readonly [key: string, signal: Signal | undefined])[]): Signals =>
  Object.fromEntries(signals.filter((entry): entry is [string, Signal] => entry[1] !== undefined))

/** The outcome of the gravest signal; two of severity 2 together are critical. */
export function outcomeOf(signals: Signals): Outcome {
  const severities = Object.values(signals).map(({ severity }) => severity)
  const grave = severities.filter((severity) => severity >= 2).length
  return outcomes[grave >= 2 ? 3 : Math.max(0, ...severities)] ?? 'strong'
}

/** The worse of two outcomes; `indeterminate` where nothing was judged. */
export function worseOf(a: Outcome, b: Outcome): Outcome {
  return outcomes[Math.max(rank(a), rank(b))] ?? 'indeterminate'
}

const rank = (outcome: Outcome) => outcomes.indexOf(outcome)

/** The names of the signals that count against a transcript. */
export const concernsOf = (signals: Signals): string[] =>
  Object.keys(signals).filter((name) => (signals[name]?.severity ?? 0) > 0)

/** Why the outcome is what it is, in a sentence. */
export function notesOf(signals: Signals): string {
  const names = concernsOf(signals)
  return names.length === 0 ? 'No signal counts against this transcript.' : `Fired: ${names.join(', ')}.`
}

/** The signals as they are answered: without their severities. */
export const hitsOf = (signals: Signals): Record<string, SignalHit> =>
  Object.fromEntries(
    Object.entries(signals).map(([name, { evidence, turn }]) => [name, { evidence, turn: turn ?? null }]),
  )

/** The sentence around a place in a text, verbatim, at most 200 characters of it. */
export function sentenceAt(text: string, index: number): string {
  const from = Math.max(0, index - 100)
  const lead = text.slice(from, index)
  const start = from + (lead.match(/^[\s\S]*(?:[.!?]\s|\n)/)?.[0].length ?? 0)
  const sentence = text.slice(isLowSurrogate(text, start) ? start + 1 : start).trimStart()
  const end = /[.!?](?=\s)|\n/.exec(sentence.slice(0, 200))
  return (end ? sentence.slice(0, end.index + 1) : clip(sentence, 200)).trim()
}

const isLowSurrogate = (text: string, i: number) => text.charCodeAt(i) >= 0xdc00 && text.charCodeAt(i) <= 0xdfff
