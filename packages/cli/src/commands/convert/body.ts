import { checkUpload } from '@svc/client'
import { type Redactable, toAnnotationMessages, toFormat, uploadLosses, writtenFormats } from '@svc/transcripts'
import { CliError, exit } from '../../exit.js'
import type { SourceFlags, Tool } from '../../input/index.js'
import {
  addCounts,
  bodyOf,
  type Conversation,
  type GuardFlags,
  type IdentityFlags,
  type LocatedViolation,
  locateViolation,
  type ReadFlags,
  redacted,
  withSentLosses,
} from '../../input/index.js'

export interface ConvertFlags extends ReadFlags, IdentityFlags, SourceFlags, Omit<GuardFlags, 'allowSecrets'> {
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
  /** Counts of redacted texts, by the name of their placeholder. */
  redacted: Record<string, number>
}

/** `keys`: the keys in use, which are credentials in any form. */
export function converted(conversation: Conversation, flags: ConvertFlags, keys: readonly string[] = []): Converted {
  const { to } = flags
  const { name, transcript } = conversation
  const counts: Record<string, number> = {}
  const hidden = <T extends Redactable>(given: T): T => {
    const { value, counts: redactions } = redacted(given, flags, keys)
    addCounts(counts, redactions)
    return value
  }
  if (to !== 'upload') {
    // The heading of Markdown is the title that all other output has.
    const { name: title = name, ...shown } = hidden({ ...transcript, name })
    const titled =
      to === 'markdown-chat' ? { ...shown, name: title } : { ...shown, ...(transcript.name && { name: title }) }
    const { body, losses } =
      to === 'annotation'
        ? { body: { transcript: toAnnotationMessages(titled) }, losses: uploadLosses(titled) }
        : toFormat(titled, to)
    const all = { ...titled, losses: [...transcript.losses, ...losses] }
    // The interface shows no bounds for these, so that there is nothing to check.
    const none = { violations: [], warnings: [] }
    return { conversation: { ...conversation, transcript: all }, name: title, body, ...none, redacted: counts }
  }
  const body = hidden(bodyOf(conversation, flags))
  const { violations, warnings } = checkUpload(body)
  return {
    conversation: withSentLosses(conversation),
    name: body.name,
    body,
    violations: violations.map((each) => locateViolation(conversation, each)),
    warnings: warnings.map((each) => locateViolation(conversation, each)),
    redacted: counts,
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
  const [flag] = given.filter(([, value]) => value !== undefined)
  if (!flag) return
  throw new CliError(exit.usage, `${flag[0]} works with --to upload only.`, {
    hint: `omit ${flag[0]}, or use --to upload`,
  })
}

export const targets = ['upload', 'annotation', ...writtenFormats] as const
export type Target = (typeof targets)[number]
