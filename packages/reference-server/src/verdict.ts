import { phraseDetectors, phrasesMayFire } from './annotator-patterns.js'
import { structuralDetectors, structureMayFire } from './annotator-structural.js'
import { Talk } from './conversation.js'
import { FirstLook, type MayFire } from './first-look.js'
import { type Detector, type Detectors, outcomeOf, type Signal, worseOf } from './signals.js'
import type { Sketch } from './sketch.js'
import type { Message, Outcome } from './types.js'

/**
 * What the rules find in a talk, in one small number: a bit for each signal that fired, and the outcomes of the shape and
 * of the words. It says what `Findings` says of the same turns, and takes the time of a glance where nothing is wrong.
 */
export type Verdict = number

interface Check {
  key: string
  bit: number
  detect: Detector
  mayFire: MayFire
}

const checksOf = (detectors: Detectors, mayFire: Readonly<Record<string, MayFire>>, firstBit: number): Check[] =>
  Object.entries(detectors).map(([key, detect], i) => {
    return { key, bit: 1 << (firstBit + i), detect, mayFire: mayFire[key] ?? (() => true) }
  })

const shapeChecks = checksOf(structuralDetectors, structureMayFire, 0)
const phraseChecks = checksOf(phraseDetectors, phrasesMayFire, shapeChecks.length)

const outcomes: readonly Outcome[] = ['strong', 'mixed', 'poor', 'critical', 'indeterminate']
const shapeAt = shapeChecks.length + phraseChecks.length
const phrasesAt = shapeAt + 3

/** Judges a talk as it is uploaded. */
export function verdictOf(transcript: readonly Message[], sketch: Sketch): Verdict {
  const look = new FirstLook(transcript, sketch)
  const talk = new Talk(transcript)
  return (
    judged(shapeChecks, talk, look, look.users === 0, shapeAt) |
    judged(phraseChecks, talk, look, look.users + look.replies === 0, phrasesAt)
  )
}

function judged(checks: readonly Check[], talk: Talk, look: FirstLook, isSilent: boolean, at: number): Verdict {
  let bits = 0
  let found: Record<string, Signal> | undefined
  for (const { key, bit, detect, mayFire } of checks) {
    const signal = mayFire(look) ? detect(talk) : undefined
    if (!signal) continue
    bits |= bit
    found ??= {}
    found[key] = signal
  }
  const outcome = isSilent ? 'indeterminate' : outcomeOf(found ?? none)
  return bits | (outcomes.indexOf(outcome) << at)
}

const none = {}

const outcomeAt = (verdict: Verdict, at: number) => outcomes[(verdict >> at) & 7] as Outcome
const structureOf = (verdict: Verdict) => outcomeAt(verdict, shapeAt)
const patternsOf = (verdict: Verdict) => outcomeAt(verdict, phrasesAt)

const readers = new Map<string, (verdict: Verdict) => unknown>([
  ...[...shapeChecks, ...phraseChecks].map(
    ({ key, bit }) => [key, (verdict: Verdict) => (verdict & bit ? true : undefined)] as const,
  ),
  ['structure', structureOf],
  ['patterns', patternsOf],
  ['outcome', (verdict) => worseOf(structureOf(verdict), patternsOf(verdict))],
])

/** What reads the annotation of this key out of a verdict; undefined where a verdict does not tell it. */
export const verdictReader = (key: string): ((verdict: Verdict) => unknown) | undefined => readers.get(key)
