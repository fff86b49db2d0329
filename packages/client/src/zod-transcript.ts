import * as z from 'zod'
import { limits, roles } from './limits.js'
import type { Page } from './page.js'
import type * as types from './types.js'
import { bag, body, bytes, open, openEnum, sentTime, something, text, time } from './zod-fields.js'
import { mirrors } from './zod-mirrors.js'
import { Pagination } from './zod-project.js'

export type Role = types.Role
/** Who speaks in a turn. */
export const Role = mirrors<Role>()(z.enum(roles))

export type ToolCall = types.ToolCall
/** A tool call of an assistant turn; `args` has to be there, whatever it is. */
export const ToolCall = mirrors<ToolCall>()(open({ name: z.string(), args: something }))

export type ToolResult = types.ToolResult
/** A tool's response; `result` has to be there, whatever it is. */
export const ToolResult = mirrors<ToolResult>()(open({ name: z.string(), result: something }))

export type Turn = types.Turn
/** A turn as it is read. */
export const Turn = mirrors<Turn>()(
  open({
    role: Role,
    content: z.string(),
    toolCalls: z.array(ToolCall).exactOptional(),
    toolResults: z.array(ToolResult).exactOptional(),
    metadata: bag.exactOptional(),
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
    metadata: bag.optional(),
    createdAt: sentTime.optional(),
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
    metadata: bag.optional(),
    sourceTimestamp: sentTime.optional(),
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
  metadata: bag,
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
    date_from: sentTime.optional(),
    date_to: sentTime.optional(),
  }),
)
