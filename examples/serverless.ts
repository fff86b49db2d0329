// A serverless function behind a queue: it stores each conversation of a batch, and returns to the queue those that may be
// tried again. The event and the answer are those of AWS Lambda for SQS with partial batch responses.
import { ConnectionError, ServiceError, type SvcClient, type TranscriptUpload } from '@svc/client'

interface Event {
  Records: { messageId: string; body: string }[]
}
interface Context {
  getRemainingTimeInMillis(): number
}

export const createHandler =
  (svc: SvcClient, projectId: string) =>
  async ({ Records }: Event, context: Context): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> => {
    const uploads = Records.map(({ body }) => JSON.parse(body) as TranscriptUpload)
    const options = { concurrency: 4, deadlineMs: context.getRemainingTimeInMillis() - 1_000 }
    const batchItemFailures: { itemIdentifier: string }[] = []
    for await (const result of svc.transcripts.uploadMany(projectId, uploads, options)) {
      if (result.status === 'fulfilled') continue
      const itemIdentifier = Records[result.index]?.messageId ?? ''
      if (isTemporary(result.reason)) batchItemFailures.push({ itemIdentifier })
      // Invalid, refused, or perhaps already stored: another try would not help, or would store it twice.
      else console.error(itemIdentifier, result.reason)
    }
    return { batchItemFailures }
  }

const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ServiceError && ['rate_limited', 'unavailable'].includes(error.kind))
