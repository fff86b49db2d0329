// Schemas of the client's types, each with the type of its name. They are written by hand, and a test holds them equal to the
// spec: generators write `max` for `maxLength`, which counts UTF-16 units, and know no bytes, open enums or `Date`.

import * as z from 'zod'
import type { Page } from '../pagination.js'
import type * as types from '../types.js'
import type { OperationId, ServiceErrorOf } from '../types.js'
import { limits, roles } from '../validation/index.js'
import {
  anyValue,
  body,
  bytes,
  jsonObject,
  mirrors,
  open,
  openEnum,
  openObject,
  text,
  time,
  timeInput,
} from './fields.js'

export type TranscriptMessage = types.TranscriptMessage
/** One message of the transcript of an annotation request. */
export const TranscriptMessage = mirrors<TranscriptMessage>()(
  open({ role: z.string(), content: z.string(), is_user_visible: z.boolean().optional() }),
)

export type AnnotationRequest = types.AnnotationRequest
/** The body of `annotations.create`; the interface shows no size bounds for it. */
export const AnnotationRequest = mirrors<AnnotationRequest>()(
  open({ transcript: z.array(TranscriptMessage), annotator: z.string(), options: jsonObject.optional() }),
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

export type ProjectCreate = types.ProjectCreate
/** The body of `projects.create`: a name of 1 to 500 characters, which are code points. */
export const ProjectCreate = mirrors<ProjectCreate>()(
  open({ name: text(limits.name), domain: z.enum(['general', 'ai_coding']).optional() }),
)

const project = {
  id: z.string().regex(/^hp-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/),
  name: text(limits.name),
  transcript_count: z.number(),
  latest_transcript_at: time.nullable(),
  created_at: time,
  updated_at: time,
}

export type Project = types.Project
/** The answer of `projects.create`: its id is `hp-` and a UUID, its times are ISO 8601. */
export const Project = mirrors<Project>()(open(project))

export type ProjectDetail = types.ProjectDetail
/**
 * A project, plus the executive summary of its latest completed report under a name that the interface does not show.
 */
export const ProjectDetail = mirrors<ProjectDetail>()(z.looseObject(project))

export type Pagination = types.Pagination
/** Where in a list a page stands. */
export const Pagination = mirrors<Pagination>()(open({ page: z.number(), limit: z.number(), total: z.number() }))

export type PageQuery = types.PageQuery
/** One page of a list: a 1-indexed number, and a size of 1 to 100. */
export const PageQuery = mirrors<PageQuery>()(
  open({
    page: z.number().min(1).optional(),
    limit: z.number().min(limits.pageSize.min).max(limits.pageSize.max).optional(),
  }),
)

export type ProjectPage = Page<types.Project>
/** The answer of `projects.list`. */
export const ProjectPage = mirrors<ProjectPage>()(
  open({ data: z.array(Project), pagination: Pagination.exactOptional(), processing_time_ms: z.number() }),
)

export type Role = types.Role
/** Who speaks in a turn. */
export const Role = mirrors<Role>()(z.enum(roles))

export type ToolCall = types.ToolCall
/** A tool call of an assistant turn; `args` has to be there, whatever it is. */
export const ToolCall = mirrors<ToolCall>()(open({ name: z.string(), args: anyValue }))

export type ToolResult = types.ToolResult
/** A tool's response; `result` has to be there, whatever it is. */
export const ToolResult = mirrors<ToolResult>()(open({ name: z.string(), result: anyValue }))

export type Turn = types.Turn
/** A turn as it is read. */
export const Turn = mirrors<Turn>()(
  open({
    role: Role,
    content: z.string(),
    toolCalls: z.array(ToolCall).exactOptional(),
    toolResults: z.array(ToolResult).exactOptional(),
    metadata: openObject.exactOptional(),
    createdAt: z.string().exactOptional(),
  }),
)

export type TurnUpload = types.TurnUpload
/** A turn of an upload; its content is at most 2^20 bytes of UTF-8. */
export const TurnUpload = mirrors<TurnUpload>()(
  open({
    role: Role,
    content: bytes(limits.turnBytes.max),
    toolCalls: z.array(ToolCall).optional(),
    toolResults: z.array(ToolResult).optional(),
    metadata: openObject.optional(),
    createdAt: timeInput.optional(),
  }),
)

export type TranscriptUpload = types.TranscriptUpload
/**
 * The body of an upload: 1 to 1 000 turns, texts in characters (code points), and at most 5 * 2^20 bytes of JSON.
 * Because of that last bound it is extended with `safeExtend`, and fields are picked from `TranscriptUpload.shape`.
 */
export const TranscriptUpload = mirrors<TranscriptUpload>()(
  open({
    name: text(limits.name),
    turns: z.array(TurnUpload).min(limits.turns.min).max(limits.turns.max),
    modelName: text(limits.modelName).optional(),
    language: text(limits.language).optional(),
    sourceSystem: text(limits.sourceSystem).optional(),
    externalId: text(limits.externalId).optional(),
    externalUserId: text(limits.externalUserId).optional(),
    metadata: openObject.optional(),
    sourceTimestamp: timeInput.optional(),
    process: z.boolean().optional(),
  }).check(body(limits.bodyBytes.max)),
)

export type ProcessingStatus = types.ProcessingStatus
/** The listed states after an upload; an answer may hold one that is not. */
export const ProcessingStatus = mirrors<ProcessingStatus>()(z.enum(['queued', 'skipped', 'error']))

const transcript = {
  id: z.string().regex(/^tr_/),
  name: z.string(),
  model_name: z.string().nullable(),
  language: z.string().nullable(),
  source_system: z.string().nullable(),
  external_id: z.string().nullable(),
  external_user_id: z.string().nullable(),
  metadata: openObject,
  turn_count: z.number(),
  user_turn_count: z.number(),
  assistant_turn_count: z.number(),
  total_token_count: z.number(),
  source_timestamp: time.nullable(),
  created_at: time,
  processing_status: openEnum(ProcessingStatus.options),
}

export type Transcript = types.Transcript
/** The stored transcript, as the upload answers it. */
export const Transcript = mirrors<Transcript>()(open(transcript))

/** A record whose fields the interface does not show: those that an upload answers may be there, and others may too. */
const row = {
  id: z.string(),
  name: transcript.name.exactOptional(),
  model_name: transcript.model_name.exactOptional(),
  language: transcript.language.exactOptional(),
  source_system: transcript.source_system.exactOptional(),
  external_id: transcript.external_id.exactOptional(),
  external_user_id: transcript.external_user_id.exactOptional(),
  metadata: transcript.metadata.exactOptional(),
  turn_count: transcript.turn_count.exactOptional(),
  user_turn_count: transcript.user_turn_count.exactOptional(),
  assistant_turn_count: transcript.assistant_turn_count.exactOptional(),
  total_token_count: transcript.total_token_count.exactOptional(),
  source_timestamp: transcript.source_timestamp.exactOptional(),
  created_at: transcript.created_at.exactOptional(),
  processing_status: transcript.processing_status.exactOptional(),
}

export type TranscriptRow = types.TranscriptRow
/** A row of the transcript list. */
export const TranscriptRow = mirrors<TranscriptRow>()(z.looseObject(row))

export type TranscriptDetail = types.TranscriptDetail
/** A transcript with all its turns and annotations. */
export const TranscriptDetail = mirrors<TranscriptDetail>()(
  z.looseObject({ ...row, turns: z.array(Turn).exactOptional(), annotations: z.unknown().exactOptional() }),
)

export type TranscriptPage = Page<types.TranscriptRow>
/** The answer of `transcripts.list`. */
export const TranscriptPage = mirrors<TranscriptPage>()(
  open({ data: z.array(TranscriptRow), pagination: Pagination.exactOptional(), processing_time_ms: z.number() }),
)

export type TranscriptFilters = types.TranscriptFilters
/** Filters of the transcript list; a time is ISO 8601 or a `Date`. */
export const TranscriptFilters = mirrors<TranscriptFilters>()(
  open({
    q: z.string().optional(),
    model_name: z.string().optional(),
    language: z.string().optional(),
    source_system: z.string().optional(),
    annotation: z.string().optional(),
    date_from: timeInput.optional(),
    date_to: timeInput.optional(),
  }),
)

type Refused<Id extends OperationId, Status> = Extract<ServiceErrorOf<Id>, { status: Status }>['body']

export type ErrorResponse = Refused<'annotations.create', 404>
/** The one error envelope of surface A. */
export const ErrorResponse = mirrors<ErrorResponse>()(open({ error: z.string(), detail: z.string() }))

export type HTTPValidationError = Refused<'batches.get', 422>
export type ValidationError = NonNullable<HTTPValidationError['detail']>[number]
/** One refused path parameter: where, and why. */
export const ValidationError = mirrors<ValidationError>()(
  open({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
    input: z.unknown().exactOptional(),
    ctx: openObject.exactOptional(),
  }),
)
/** Surface A's answer where a path parameter fails validation. */
export const HTTPValidationError = mirrors<HTTPValidationError>()(
  open({ detail: z.array(ValidationError).exactOptional() }),
)

export type AuthenticationError = Refused<'projects.list', 401>
/** Surface B's 401. */
export const AuthenticationError = mirrors<AuthenticationError>()(
  open({ error: open({ message: z.string(), type: z.literal('authentication_error'), code: z.literal(401) }) }),
)

export type AuthorizationError = Refused<'projects.list', 403>
/** Surface B's 403. */
export const AuthorizationError = mirrors<AuthorizationError>()(
  open({ error: open({ message: z.string(), type: z.literal('authorization_error'), code: z.literal(403) }) }),
)

/** Only the type is shown of a 400, 404 or 413 of surface B. */
const shown = { message: z.string().exactOptional(), code: z.number().exactOptional() }

export type InvalidRequestError = Refused<'projects.create', 400>
/** Surface B's 400 and 413. */
export const InvalidRequestError = mirrors<InvalidRequestError>()(
  open({ error: open({ ...shown, type: z.literal('invalid_request_error') }) }),
)

export type NotFoundError = Refused<'projects.get', 404>
/** Surface B's 404. */
export const NotFoundError = mirrors<NotFoundError>()(
  open({ error: open({ ...shown, type: z.literal('not_found_error') }) }),
)
