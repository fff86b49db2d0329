// A worker of a BullMQ queue, which delivers a job at least once: each conversation is stored once, by whichever worker.
import { InputError, type SvcClient, type TranscriptUpload } from '@svc/client'
import { type ConnectionOptions, UnrecoverableError, Worker } from 'bullmq'

export interface Conversation extends TranscriptUpload {
  /** When the conversation ended: the same in each delivery of its job. */
  sourceTimestamp: string
}

export const startWorker = (client: SvcClient, project: string, connection: ConnectionOptions, queue: string) =>
  new Worker<Conversation, string>(
    queue,
    async ({ id, data }) => {
      try {
        // An earlier delivery that was stored is found by the id of the job, and its transcript is the result.
        const { id: transcript } = await client.transcripts.upload(project, data, { once: `${queue}/${id}` })
        return transcript
      } catch (error) {
        // No further delivery can help: the input is invalid, or the id was used for another conversation.
        if (error instanceof InputError) throw new UnrecoverableError(error.message)
        throw error
      }
    },
    { connection, concurrency: 4 },
  )
