import type { ListBody, PageBody } from '../pagination/index.js'
import type { OperationId, ServiceErrorOf } from '../types.js'
import { domains, limits, roles } from '../validation.js'
import {
  anyValue,
  body,
  bytes,
  jsonObject,
  mirrors,
  narrows,
  open,
  openEnum,
  openObject,
  text,
  time,
  timeInput,
} from './fields.js'
// Schemas of the client's types. A test compares them with the spec. Not generated: generators know no code points, bytes,
// open enums or `Date`.

import * as z from 'zod'
import type * as types from '../types.js'

export type TranscriptMessage = types.TranscriptMessage
/** A message to annotate. */
export const TranscriptMessage = mirrors<TranscriptMessage>()(
  open({ role: z.string(), content: z.string(), is_user_visible: z.boolean().optional() }),
)

export type AnnotationRequest = types.AnnotationRequest
/** The body of `annotations.create`, without documented size bounds. */
export const AnnotationRequest = narrows<AnnotationRequest>()(
  open({ transcript: z.array(TranscriptMessage), annotator: z.string(), options: jsonObject.optional() }),
)

export type Outcome = types.Outcome
/** The listed outcomes. */
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
/** The evidence of a fired quality signal, and its 1-indexed turn. */
export const SignalHit = mirrors<SignalHit>()(open({ evidence: z.string(), turn: z.int().nullable().exactOptional() }))

export type UsageInfo = types.UsageInfo
/** Tokens in and out of an annotation, and its latency in milliseconds. */
export const UsageInfo = mirrors<UsageInfo>()(open({ tokens_in: z.int(), tokens_out: z.int(), latency_ms: z.int() }))

export type Annotation = types.Annotation
/** The answer of `annotations.create`; `outcome` is an open enum. */
export const Annotation = mirrors<Annotation>()(
  open({
    summary: AnnotationSummary,
    outcome: openEnum(Outcome.options),
    outcome_notes: z.string(),
    signals: z.record(z.string(), SignalHit.optional()),
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
/** The answer of `health`; `substrate` is an open enum. */
export const Health = mirrors<Health>()(open({ status: z.string(), substrate: openEnum(['fargate', 'lambda']) }))

export type ProjectCreate = types.ProjectCreate
/** The body of `projects.create`; characters are code points. */
export const ProjectCreate = mirrors<ProjectCreate>()(
  open({ name: text(limits.name), domain: z.enum(domains).optional() }),
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
/** The answer of `projects.create`; the id is `hp-` and a UUID, times are ISO 8601. */
export const Project = mirrors<Project>()(open(project))

export type ProjectDetail = types.ProjectDetail
/** A project, plus an executive summary under an undocumented name. */
export const ProjectDetail = mirrors<ProjectDetail>()(z.looseObject(project))

export type Pagination = types.Pagination
/** The 1-indexed page, its size, and the total items. */
export const Pagination = mirrors<Pagination>()(open({ page: z.number(), limit: z.number(), total: z.number() }))

export type PageQuery = types.PageQuery
/** Page number and size. */
export const PageQuery = mirrors<PageQuery>()(
  open({
    page: z.number().min(1).optional(),
    limit: z.number().min(limits.pageSize.min).max(limits.pageSize.max).optional(),
  }),
)

export type ProjectPage = ListBody<types.Project>
/** The answer of `projects.list`. */
export const ProjectPage = mirrors<ProjectPage>()(
  open({ data: z.array(Project), pagination: Pagination, processing_time_ms: z.number() }),
)

export type Role = types.Role
/** The speaker of a turn. */
export const Role = mirrors<Role>()(z.enum(roles))

export type ToolCall = types.ToolCall
/** A tool call of an assistant turn; `args` is required, of any type. */
export const ToolCall = mirrors<ToolCall>()(open({ name: z.string(), args: anyValue }))

export type ToolResult = types.ToolResult
/** A tool's response; `result` is required, of any type. */
export const ToolResult = mirrors<ToolResult>()(open({ name: z.string(), result: anyValue }))

export type Turn = types.Turn
/** A stored turn. */
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
/** A turn of an upload, of at most 2^20 bytes of UTF-8. */
export const TurnUpload = narrows<TurnUpload>()(
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
 * The body of `transcripts.upload`; characters are code points, and the JSON is at most 5 * 2^20 bytes. Extend it with
 * `safeExtend`, and pick fields from `TranscriptUpload.shape`.
 */
export const TranscriptUpload = narrows<TranscriptUpload>()(
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
/** The listed states after an upload. */
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
/** The answer of `transcripts.upload`. */
export const Transcript = mirrors<Transcript>()(open(transcript))

type TranscriptFields = typeof transcript
/** The interface does not show these records: all fields but the id are optional. */
const row = {
  ...(Object.fromEntries(
    Object.entries<z.ZodType>(transcript).map(([name, schema]) => [name, schema.exactOptional()]),
  ) as { [Name in keyof TranscriptFields]: z.ZodExactOptional<TranscriptFields[Name]> }),
  id: z.string(),
}

export type TranscriptRow = types.TranscriptRow
/** A row of the transcript list. */
export const TranscriptRow = mirrors<TranscriptRow>()(z.looseObject(row))

export type TranscriptDetail = types.TranscriptDetail
/** A transcript with all its turns and annotations. */
export const TranscriptDetail = mirrors<TranscriptDetail>()(
  z.looseObject({ ...row, turns: z.array(Turn).exactOptional(), annotations: z.unknown().exactOptional() }),
)

export type TranscriptPage = PageBody<types.TranscriptRow> & Pick<ListBody<unknown>, 'processing_time_ms'>
/** The answer of `transcripts.list`. */
export const TranscriptPage = mirrors<TranscriptPage>()(
  open({ data: z.array(TranscriptRow), pagination: Pagination.optional(), processing_time_ms: z.number() }),
)

export type TranscriptFilters = Omit<types.TranscriptFilters, 'annotation'> & { annotation?: string | undefined }
/** Filters of the transcript list; a time is ISO 8601 or a `Date`, an annotation `key:value`. */
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
/** The error envelope of surface A. */
export const ErrorResponse = mirrors<ErrorResponse>()(open({ error: z.string(), detail: z.string() }))

export type HTTPValidationError = Refused<'batches.get', 422>
export type ValidationError = NonNullable<HTTPValidationError['detail']>[number]
/** One invalid path parameter. */
export const ValidationError = mirrors<ValidationError>()(
  open({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
    input: z.unknown().exactOptional(),
    ctx: openObject.exactOptional(),
  }),
)
/** Surface A's answer to an invalid path parameter. */
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

/** The interface shows only the type of a 400, 404 or 413 of surface B. */
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

export type RateLimitError = Refused<'projects.list', 429>
/** Surface B's 429, of which the interface shows no field. */
export const RateLimitError = mirrors<RateLimitError>()(
  open({ error: open({ ...shown, type: z.string().exactOptional() }) }),
)
