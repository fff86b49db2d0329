import type { Transcript } from '@svc/client'
import type { Context } from '../../context.js'
import { condemning, type ExitCode, exit } from '../../exit.js'
import { type Failed, untilCondemned } from '../../until-condemned.js'
import type { PlannedUpload } from './plan.js'

/** What became of one planned upload. */
export type Outcome = PlannedUpload & ({ transcript: Transcript } | Failed)

/** Uploads what is planned, so many at a time, in the order of completion; stops at what would befall the rest too. */
export async function* applyUpload(
  items: readonly PlannedUpload[],
  context: Context,
  project: string,
  concurrency: number,
): AsyncGenerator<Outcome, void, undefined> {
  const { transcripts } = await context.client()
  const send = async (item: PlannedUpload) => ({
    ...item,
    transcript: await transcripts.upload(project, item.body, context.call()),
  })
  yield* untilCondemned(items, { width: concurrency, stopOn: condemning, signal: context.io.signal }, send)
}

/** Whether a failed upload may be stored all the same: its answer was lost, or it was stopped under way. */
export const mayBeStored = (code: ExitCode): boolean =>
  code === exit.unknownWrite || code === exit.interrupted || code === exit.terminated
