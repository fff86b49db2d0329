import type { Conversation } from '../../conversations.js'
import { tell } from '../../report-error.js'
import { count } from '../../text.js'
import type { Outcome } from './apply.js'
import type { PlannedUpload } from './plan.js'

/** Where an upload came from, the same in each of its JSON lines. */
const originOf = ({ source, transcript }: Conversation, name: string) => ({
  path: source.path,
  record: transcript.place.record,
  name,
  losses: transcript.losses,
})

/** An outcome as a JSON object. */
export function outcomeJson(outcome: Outcome): object {
  const { item } = outcome
  const origin = { schema: 'svc/upload@1', result: outcome.result, ...originOf(item.conversation, item.body.name) }
  if (outcome.result === 'uploaded') return { ...origin, transcript: outcome.transcript }
  const { kind, message } = tell(outcome.error)
  return { ...origin, error: { kind, message, exit: outcome.code } }
}

/** A planned upload as a JSON object, for a dry run. */
export const plannedJson = ({ conversation, body }: PlannedUpload): object => ({
  schema: 'svc/upload@1',
  result: 'planned',
  ...originOf(conversation, body.name),
  format: conversation.transcript.format,
  turn_count: body.turns.length,
})

/** A stored transcript as a row: id, name, turns, status, and where it came from. */
export function outcomeRow(outcome: Extract<Outcome, { result: 'uploaded' }>): string[] {
  const { transcript, item } = outcome
  const { path, record } = originOf(item.conversation, item.body.name)
  return [
    transcript.id,
    transcript.name,
    String(transcript.turn_count),
    transcript.processing_status,
    path,
    String(record),
  ]
}

/** How a bulk upload went, in numbers. */
export interface Summary {
  schema: 'svc/upload-summary@1'
  project: string
  uploaded: number
  failed: number
  /** Not tried, because what failed before would have befallen it too. */
  not_sent: number
  /** Uploaded, but its annotation job could not be submitted. */
  stored_not_analysed: number
}

export function summarize(project: string, planned: number, outcomes: readonly Outcome[]): Summary {
  const uploaded = outcomes.filter((each) => each.result === 'uploaded')
  return {
    schema: 'svc/upload-summary@1',
    project,
    uploaded: uploaded.length,
    failed: outcomes.length - uploaded.length,
    not_sent: planned - outcomes.length,
    stored_not_analysed: uploaded.filter(({ transcript }) => transcript.processing_status === 'error').length,
  }
}

export function summaryLine({ project, uploaded, failed, not_sent, stored_not_analysed }: Summary): string {
  const parts = [`${count(uploaded, 'transcript')} uploaded to ${project}`]
  if (stored_not_analysed > 0) parts.push(`${stored_not_analysed} of them stored, not analysed`)
  if (failed > 0) parts.push(`${failed} failed`)
  if (not_sent > 0) parts.push(`${not_sent} not sent`)
  return parts.join(', ')
}
