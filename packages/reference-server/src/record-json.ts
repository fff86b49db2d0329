import { nothing } from './records.js'
import type { Transcript } from './types.js'

/**
 * The record of a transcript as JSON: what JSON.stringify writes, in half of its time, as nearly all of its texts need no
 * escapes.
 */
export function transcriptJson(record: Transcript): string {
  const { metadata, turn_count, user_turn_count, assistant_turn_count, total_token_count, source_timestamp } = record
  const words =
    `"id":${quoted(record.id)},"name":${quoted(record.name)},"model_name":${orNull(record.model_name)},` +
    `"language":${orNull(record.language)},"source_system":${orNull(record.source_system)},` +
    `"external_id":${orNull(record.external_id)},"external_user_id":${orNull(record.external_user_id)}`
  const counts =
    `"turn_count":${turn_count},"user_turn_count":${user_turn_count},` +
    `"assistant_turn_count":${assistant_turn_count},"total_token_count":${total_token_count}`
  const rest =
    `"source_timestamp":${source_timestamp === null ? 'null' : `"${source_timestamp}"`},` +
    // Neither a time nor a status has anything to escape.
    `"created_at":"${record.created_at}","processing_status":"${record.processing_status}"`
  return `{${words},"metadata":${metadata === nothing ? '{}' : JSON.stringify(metadata)},${counts},${rest}}`
}

/** What cannot stand in a JSON text as it is, or may not: controls, quotes, backslashes, surrogates. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

const quoted = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`)

const orNull = (text: string | null): string => (text === null ? 'null' : quoted(text))
