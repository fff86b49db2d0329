import { checkUpload } from '@svc/client'
import { toAnnotationMessages } from '@svc/transcripts'
import type { Conversation } from '../../conversations.js'
import { CliError, exit } from '../../exit.js'
import { type Violated, violated } from '../../positions.js'
import type { ReadFlags, Reading } from '../../reading.js'
import type { Tool } from '../../sessions/homes.js'
import type { SourceFlags } from '../../sessions/input.js'
import { bodyOf, type IdentityFlags, refuseSharedIdentity } from '../../upload-body.js'
import type { Target } from './targets.js'

export interface ConvertFlags extends ReadFlags, IdentityFlags, SourceFlags {
  to: Target
  out?: string
  force?: boolean
  detect?: boolean
  list?: Tool
}

/** One transcript as it will be written. */
export interface Converted {
  conversation: Conversation
  name: string
  body: object
}

/** What will be written, and everything that forbids it. */
export interface Conversion {
  items: Converted[]
  violations: Violated[]
  warnings: Violated[]
}

export function planConversion({ conversations }: Reading, flags: ConvertFlags): Conversion {
  const plan: Conversion = { items: [], violations: [], warnings: [] }
  if (flags.to === 'annotation') {
    // The interface shows no bounds for these, so that there is nothing to check.
    plan.items = conversations.map((conversation) => ({
      conversation,
      name: conversation.name,
      body: { transcript: toAnnotationMessages(conversation.transcript) },
    }))
    return plan
  }
  refuseSharedIdentity(conversations.length, flags)
  for (const conversation of conversations) {
    const body = bodyOf(conversation, flags)
    const { violations, warnings } = checkUpload(body)
    plan.items.push({ conversation, name: body.name, body })
    plan.violations.push(...violations.map((each) => violated(conversation, each)))
    plan.warnings.push(...warnings.map((each) => violated(conversation, each)))
  }
  return plan
}

/** Only an upload body has a place for what these flags say. */
export function refuseIdentity(flags: ConvertFlags): void {
  const given: [flag: string, value: unknown][] = [
    ['--no-process', flags.process ? undefined : true],
    ['--name', flags.name],
    ['--model-name', flags.modelName],
    ['--language', flags.language],
    ['--source-system', flags.sourceSystem],
    ['--external-id', flags.externalId],
    ['--external-user-id', flags.externalUserId],
    ['--metadata', flags.metadata],
    ['--source-timestamp', flags.sourceTimestamp],
  ]
  const [found] = given.filter(([, value]) => value !== undefined)
  if (!found) return
  throw new CliError(exit.usage, `${found[0]} is for upload bodies, and none are made here.`, {
    hint: `leave ${found[0]} out, or convert --to upload`,
  })
}
