import type { Annotation } from '@svc/client'
import { cut, kindOf, pointerOf } from '@svc/text'
import * as z from 'zod/mini'

/** Messages name the kind of the value, never the value itself. */
const of = (what: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? 'is missing' : `expected ${what}, found ${kindOf(input)}`,
})

const object = of('an object')
const text = z.string(of('a text'))
const whole = z.int(of('a whole number'))
const asCount = { error: 'expected a whole number from 0, found a negative number' }
const tokens = z.optional(z.nullable(whole.check(z.gte(0, asCount))))

const summary = z.looseObject(
  {
    title: text,
    keywords: z.array(text, of('a list of texts')),
    summary: text,
    quality_concerns: text,
    user_intent: text,
    domain: text,
  },
  object,
)

const hit = z.looseObject({ evidence: text, turn: z.optional(z.nullable(z.int(of('a whole number or null')))) }, object)

// z.record skips a key `__proto__`.
const signals = z.unknown().check(({ value, issues }) => {
  const report = (path: PropertyKey[], message: string) => issues.push({ code: 'custom', input: value, path, message })
  if (kindOf(value) !== 'an object') return void report([], object.error({ input: value }))
  for (const [key, each] of Object.entries(value as object))
    for (const { path, message } of hit.safeParse(each).error?.issues ?? []) report([key, ...path], message)
})

/** `AnnotationResponse` of the interface: further fields, unlisted outcomes, and usage that is not shown are allowed. */
const annotationShape = z.looseObject(
  {
    summary,
    outcome: text,
    outcome_notes: text,
    signals,
    annotator: text,
    annotator_version: text,
    taxonomy_version: text,
    usage: z.optional(
      z.nullable(
        z.looseObject({ tokens_in: tokens, tokens_out: tokens, latency_ms: z.optional(z.nullable(whole)) }, object),
      ),
    ),
  },
  object,
)

/** The faults of an answer, each with its JSON pointer. */
export const faultsIn = (answer: unknown): string[] =>
  (annotationShape.safeParse(answer).error?.issues ?? []).map(({ path, message }) =>
    [cut(pointerOf(path), 200), message].filter(Boolean).join(' '),
  )

/** The usage of an annotation; null for a number that the service does not show. */
export interface Usage {
  /** Tokens of the request. */
  tokens_in: number | null
  /** Tokens of the answer. */
  tokens_out: number | null
  /** The latency in milliseconds. */
  latency_ms: number | null
}

export function usageOf({ usage }: { usage: Partial<Usage> | null | undefined }): Usage {
  const { tokens_in = null, tokens_out = null, latency_ms = null } = usage ?? {}
  return { tokens_in, tokens_out, latency_ms }
}

/** The price of tokens in and out, by the prices of a million. */
export const priceOf = (prices: { in: number; out: number }, tokens: { in: number; out: number }): number =>
  (tokens.in * prices.in + tokens.out * prices.out) / 1e6

export const isAnnotation = (value: unknown): value is Annotation => faultsIn(value).length === 0

/** The versions that an annotation carries. */
export interface Versions {
  /** The version of the annotator. */
  annotator_version: string
  /** The version of the taxonomy. */
  taxonomy_version: string
}

export const areSameVersions = (a: Versions, b: Versions): boolean =>
  a.annotator_version === b.annotator_version && a.taxonomy_version === b.taxonomy_version

export const versionsText = ({ annotator_version, taxonomy_version }: Versions): string =>
  `annotator version ${annotator_version}, taxonomy version ${taxonomy_version}`

/** The note of a run whose answers are of several versions. */
export function versionNotes(versions: readonly Versions[]): string[] {
  const all = [...new Set(versions.map(versionsText))].sort()
  if (all.length < 2) return []
  return [`the annotator changed during the run: answers are of ${all.join(', and of ')}; run the check again`]
}
