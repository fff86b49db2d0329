import type { Transcript, TranscriptUpload, Unlisted } from '@svc/client'
import * as schemas from '@svc/client/zod'
import { same } from './same.mjs'

export function parse(given: unknown) {
  const stored = schemas.Transcript.parse(given)
  same<typeof stored.processing_status, 'queued' | 'skipped' | 'error' | Unlisted>(true)
  same<typeof stored.turn_count, number>(true)
  const asType: Transcript = stored
  // @ts-expect-error no such field
  stored.nothing

  const upload = schemas.TranscriptUpload.parse(given)
  const asUpload: TranscriptUpload = upload
  same<(typeof upload.turns)[number]['role'], 'user' | 'assistant' | 'system' | 'tool' | 'human_agent'>(true)
  const checked = schemas.Annotation.safeParse(given)
  if (checked.success) same<typeof checked.data.outcome_notes, string>(true)
  // @ts-expect-error what did not parse has no data
  else same<typeof checked.data.outcome, unknown>(true)
  return [asType, asUpload]
}
