import * as z from 'zod'
import type * as types from './types.js'
import { open, openEnum, sentBag } from './zod-fields.js'
import { mirrors } from './zod-mirrors.js'

export type TranscriptMessage = types.TranscriptMessage
export const TranscriptMessage = mirrors<TranscriptMessage>()(
  open({ role: z.string(), content: z.string(), is_user_visible: z.boolean().optional() }),
)

export type AnnotationRequest = types.AnnotationRequest
/** The body of `annotations.create`; the interface shows no size bounds for it. */
export const AnnotationRequest = mirrors<AnnotationRequest>()(
  open({ transcript: z.array(TranscriptMessage), annotator: z.string(), options: sentBag.optional() }),
)

export type Outcome = types.Outcome
export const Outcome = mirrors<Outcome>()(z.enum(['strong', 'mixed', 'poor', 'critical', 'indeterminate']))

export type AnnotationSummary = types.AnnotationSummary
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
export const UsageInfo = mirrors<UsageInfo>()(open({ tokens_in: z.int(), tokens_out: z.int(), latency_ms: z.int() }))

export type Annotation = types.Annotation
/** The answer of `annotations.create`: AnnotationResponse in the interface. */
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
export const AnnotatorInfo = mirrors<AnnotatorInfo>()(
  open({ id: z.string(), annotator_version: z.string(), taxonomy_version: z.string(), description: z.string() }),
)

export type Health = types.Health
export const Health = mirrors<Health>()(open({ status: z.string(), substrate: openEnum(['fargate', 'lambda']) }))
