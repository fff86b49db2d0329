import { checkUpload } from '@svc/client'
import type { Upload } from '@svc/transcripts'
import type { Conversation } from '../../conversations.js'
import { type Violated, violated } from '../../positions.js'
import type { ReadFlags, Reading } from '../../reading.js'
import type { SourceFlags } from '../../sessions/input.js'
import { bodyOf, type IdentityFlags, refuseSharedIdentity } from '../../upload-body.js'

/** The upload's own flags. */
export interface UploadFlags extends ReadFlags, IdentityFlags, SourceFlags {
  project?: string
  concurrency: number
  dryRun?: boolean
}

/** One transcript as it will be sent. */
export interface PlannedUpload {
  conversation: Conversation
  body: Upload
}

/** What will be uploaded, and everything that forbids it, before anything is sent. */
export interface UploadPlan {
  items: PlannedUpload[]
  violations: Violated[]
  warnings: Violated[]
}

export function planUpload({ conversations }: Reading, flags: UploadFlags): UploadPlan {
  refuseSharedIdentity(conversations.length, flags)
  const plan: UploadPlan = { items: [], violations: [], warnings: [] }
  for (const conversation of conversations) {
    const body = bodyOf(conversation, flags)
    const { violations, warnings } = checkUpload(body)
    plan.items.push({ conversation, body })
    plan.violations.push(...violations.map((each) => violated(conversation, each)))
    plan.warnings.push(...warnings.map((each) => violated(conversation, each)))
  }
  return plan
}
