import * as z from 'zod'
import type * as types from './types.js'
import { open, openEnum, sentBag } from './zod-fields.js'
import { mirrors } from './zod-mirrors.js'

export type TranscriptMessage = types.TranscriptMessage
/** One message of the transcript of an annotation request. */
export const TranscriptMessage = mirrors<TranscriptMessage>()(
  open({ role: z.string(), content: z.string(), is_user_visible: z.boolean().optional() }),
)

export type AnnotationRequest = types.AnnotationRequest
/** The body of `annotations.create`; the interface shows no size bounds for it. */
export const AnnotationRequest = mirrors<AnnotationRequest>()(
  open({ transcript: z.array(TranscriptMessage), annotator: z.string(), options: sentBag.optional() }),
)

export type Outcome = types.Outcome
/** The listed outcomes; an answer may hold one that is not. */
export const Outcome = mirrors<Outcome>()(z.enum(['strong', 'mixed', 'poor', 'critical', 'indeterminate']))

export type AnnotationSummary = types.AnnotationSummary
/** The structured summary of an annotation. */
export const AnnotationSummary = mirrors<AnnotationSummary>()(
  open({
    title: z.string(),
    keywords: z.array(z.string()),
    summary: z.string(),
    quality_concerns: z.string(),
    user_intent: z.string(),
    domain: z.string(),
  }),
)

export type SignalHit = types.SignalHit
/** The evidence of one fired quality signal, and its 1-indexed turn of the transcript. */
export const SignalHit = mirrors<SignalHit>()(open({ evidence: z.string(), turn: z.int().nullable().exactOptional() }))

export type UsageInfo = types.UsageInfo
/** What an annotation took: tokens in and out, and milliseconds. */
export const UsageInfo = mirrors<UsageInfo>()(open({ tokens_in: z.int(), tokens_out: z.int(), latency_ms: z.int() }))

export type Annotation = types.Annotation
/** The answer of `annotations.create`; an outcome that is not listed is taken. */
export const Annotation = mirrors<Annotation>()(
  open({
    summary: AnnotationSummary,
    outcome: openEnum(Outcome.options),
    outcome_notes: z.string(),
    signals: z.record(z.string(), SignalHit),
    annotator: z.string(),
    annotator_version: z.string(),
    taxonomy_version: z.string(),
    usage: UsageInfo,
  }),
)

export type AnnotatorInfo = types.AnnotatorInfo
/** An annotator of the registry, with its versions. */
export const AnnotatorInfo = mirrors<AnnotatorInfo>()(
  open({ id: z.string(), annotator_version: z.string(), taxonomy_version: z.string(), description: z.string() }),
)

export type Health = types.Health
/** The answer of `health`; a substrate that is not listed is taken. */
export const Health = mirrors<Health>()(open({ status: z.string(), substrate: openEnum(['fargate', 'lambda']) }))
