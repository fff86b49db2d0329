import { type CallOptions, ServiceError, type SvcClient, type TranscriptDetail, type TranscriptRow } from '@svc/client'

/** A row with what the list did not show of it; undefined where it has gone meanwhile. */
export async function whole(
  row: TranscriptRow,
  { client, call }: { client: Pick<SvcClient, 'transcripts'>; call(): Pick<CallOptions, 'signal' | 'deadlineMs'> },
): Promise<TranscriptDetail | undefined> {
  try {
    return { ...row, ...(await client.transcripts.get(row.id, call())) }
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'not_found') return undefined
    throw error
  }
}
