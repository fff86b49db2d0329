import { checkUpload } from '@svc/client'
import { toAnnotationMessages, toFormat, writtenFormats } from '@svc/transcripts'
import { CliError, exit } from '../../exit.js'
import type { SourceFlags, Tool } from '../../input/index.js'
import {
  bodyOf,
  type Conversation,
  type IdentityFlags,
  type LocatedViolation,
  locateViolation,
  type ReadFlags,
} from '../../input/index.js'

export interface ConvertFlags extends ReadFlags, IdentityFlags, SourceFlags {
  to: Target
  out?: string
  force?: boolean
  detect?: boolean
  listSessions?: Tool
}

export interface Converted {
  conversation: Conversation
  name: string
  body: object | string
  violations: LocatedViolation[]
  warnings: LocatedViolation[]
}

export function converted(conversation: Conversation, flags: ConvertFlags): Converted {
  const { to } = flags
  const { name, transcript } = conversation
  // The interface shows no bounds for these, so that there is nothing to check.
  const none = { name, violations: [], warnings: [] }
  if (to === 'annotation') return { conversation, body: { transcript: toAnnotationMessages(transcript) }, ...none }
  if (to !== 'upload') {
    // The heading of Markdown is the title that all other output has.
    const titled = to === 'markdown-chat' ? { ...transcript, name } : transcript
    const { body, losses } = toFormat(titled, to)
    const all = { ...transcript, losses: [...transcript.losses, ...losses] }
    return { conversation: { ...conversation, transcript: all }, body, ...none }
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

export const targets = ['upload', 'annotation', ...writtenFormats] as const
export type Target = (typeof targets)[number]
