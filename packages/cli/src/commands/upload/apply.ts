import type { SvcClient, Transcript } from '@svc/client'
import { type ExitCode, exit, exitCodeFor } from '../../exit.js'
import { mapPool } from '../../pool.js'
import type { PlannedUpload } from './plan.js'

/** What became of one planned upload. */
export type Outcome = { item: PlannedUpload } & (
  | { result: 'uploaded'; transcript: Transcript }
  | { result: 'failed'; error: unknown; code: ExitCode }
)

/** Failures that every further upload would share. */
const condemning: readonly ExitCode[] = [
  exit.auth,
  exit.notFound,
  exit.input,
  exit.temporary,
  exit.interrupted,
  exit.terminated,
]

/** Uploads what is planned, so many at a time, in the order of completion; stops at what would befall the rest too. */
export async function* applyUpload(
  items: readonly PlannedUpload[],
  client: SvcClient,
  project: string,
  { concurrency, signal }: { concurrency: number; signal: AbortSignal },
): AsyncGenerator<Outcome, void, undefined> {
  let condemned = false
  const send = async (item: PlannedUpload): Promise<Outcome> => {
    try {
      return { item, result: 'uploaded', transcript: await client.transcripts.upload(project, item.body, { signal }) }
    } catch (error) {
      const code = exitCodeFor(error)
      condemned ||= condemning.includes(code)
      return { item, result: 'failed', error, code }
    }
  }
  yield* mapPool(items, concurrency, send, () => condemned || signal.aborted)
}
