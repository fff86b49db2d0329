import type { Transcript } from '@svc/client'
import { originOf } from '../../conversations.js'
import { describe } from '../../report-error.js'
import { count } from '../../text.js'
import { mayBeStored, type Outcome } from './apply.js'
import type { PlannedUpload } from './plan.js'

/** An outcome as a JSON object. */
export function outcomeJson(outcome: Outcome): object {
  const { conversation, body } = outcome
  const origin = { ...originOf(conversation, body.name), losses: conversation.transcript.losses }
  if ('transcript' in outcome) {
    return { schema: 'svc/upload@1', result: 'uploaded', ...origin, transcript: outcome.transcript }
  }
  const { kind, message } = describe(outcome.error)
  const result = mayBeStored(outcome.code) ? 'unknown' : 'failed'
  return { schema: 'svc/upload@1', result, ...origin, error: { kind, message, exit: outcome.code } }
}

/** A planned upload as a JSON object, for a dry run. */
export const plannedJson = ({ conversation, body }: PlannedUpload): object => ({
  schema: 'svc/upload@1',
  result: 'planned',
  ...originOf(conversation, body.name),
  losses: conversation.transcript.losses,
  format: conversation.transcript.format,
  turn_count: body.turns.length,
})

/** A stored transcript as a row: id, name, turns, status, and where it came from. */
export function outcomeRow({ transcript, conversation, body }: PlannedUpload & { transcript: Transcript }): string[] {
  const { path, record } = originOf(conversation, body.name)
  const { id, name, turn_count, processing_status } = transcript
  return [id, name, String(turn_count), processing_status, path, String(record)]
}

/** How a bulk upload went, in numbers. */
export interface Summary {
  schema: 'svc/upload-summary@1'
  project: string
  uploaded: number
  failed: number
  /** It is not known whether these are stored: their answers were lost, or they were stopped under way. */
  unknown: number
  /** Not tried, because what failed before would have befallen it too. */
  not_sent: number
  /** Uploaded, but its annotation job could not be submitted. */
  stored_not_analysed: number
}

export function summarize(project: string, planned: number, outcomes: readonly Outcome[]): Summary {
  const uploaded = outcomes.filter((each) => 'transcript' in each)
  const unknown = outcomes.filter((each) => 'error' in each && mayBeStored(each.code))
  return {
    schema: 'svc/upload-summary@1',
    project,
    uploaded: uploaded.length,
    failed: outcomes.length - uploaded.length - unknown.length,
    unknown: unknown.length,
    not_sent: planned - outcomes.length,
    stored_not_analysed: uploaded.filter(({ transcript }) => transcript.processing_status === 'error').length,
  }
}

export function summaryLine({ project, uploaded, failed, unknown, not_sent, stored_not_analysed }: Summary): string {
  const parts = [`${count(uploaded, 'transcript')} uploaded to ${project}`]
  if (stored_not_analysed > 0) parts.push(`${stored_not_analysed} of them stored, not analysed`)
  if (failed > 0) parts.push(`${failed} failed`)
  if (unknown > 0) parts.push(`${unknown} perhaps stored: look for them before sending them again`)
  if (not_sent > 0) parts.push(`${not_sent} not sent`)
  return parts.join(', ')
}
