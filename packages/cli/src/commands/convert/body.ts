import { checkUpload } from '@svc/client'
import type { SourceFlags, Tool } from '@svc/input'
import {
  bodyOf,
  type Conversation,
  type IdentityFlags,
  type LocatedViolation,
  locateViolation,
  type ReadFlags,
} from '@svc/input'
import { toAnnotationMessages } from '@svc/transcripts'
import { CliError, exit } from '../../exit.js'

export interface ConvertFlags extends ReadFlags, IdentityFlags, SourceFlags {
  to: Target
  out?: string
  force?: boolean
  detect?: boolean
  list?: Tool
}

export interface Converted {
  conversation: Conversation
  name: string
  body: object
  violations: LocatedViolation[]
  warnings: LocatedViolation[]
}

export function converted(conversation: Conversation, flags: ConvertFlags): Converted {
  const none = { violations: [], warnings: [] }
  if (flags.to === 'annotation') {
    // The interface shows no bounds for these, so that there is nothing to check.
    const body = { transcript: toAnnotationMessages(conversation.transcript) }
    return { conversation, name: conversation.name, body, ...none }
  }
  const body = bodyOf(conversation, flags)
  const { violations, warnings } = checkUpload(body)
  return {
    conversation,
    name: body.name,
    body,
    violations: violations.map((each) => locateViolation(conversation, each)),
    warnings: warnings.map((each) => locateViolation(conversation, each)),
  }
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
  throw new CliError(exit.usage, `${found[0]} works with --to upload only.`, {
    hint: `omit ${found[0]}, or use --to upload`,
  })
}

export const targets = ['upload', 'annotation'] as const
export type Target = (typeof targets)[number]
