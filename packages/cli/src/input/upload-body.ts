import { toUpload, type Upload } from '@svc/transcripts'
import { CliError, exit } from '../exit.js'
import { count } from '../terminal/index.js'
import type { Conversation } from './conversations.js'

/** What flags say of a transcript; it goes before what its file says. */
export interface IdentityFlags {
  process: boolean
  name?: string
  modelName?: string
  language?: string
  sourceSystem?: string
  externalId?: string
  externalUserId?: string
  metadata?: Record<string, string>
  sourceTimestamp?: string
}

/** The upload body of a conversation. */
export function bodyOf({ transcript, name }: Conversation, flags: IdentityFlags): Upload {
  const { modelName, language, sourceSystem, externalId, externalUserId, sourceTimestamp } = flags
  return toUpload(transcript, {
    name: flags.name ?? name,
    modelName,
    language,
    sourceSystem,
    externalId,
    externalUserId,
    sourceTimestamp,
    metadata: flags.metadata && { ...transcript.metadata, ...flags.metadata },
    process: flags.process ? undefined : false,
  })
}

/** A name or id that is meant for one conversation would make many of them look like one. */
export function refuseSharedIdentity(total: number, flags: IdentityFlags): void {
  if (total <= 1) return
  const [flag] = [flags.name !== undefined && '--name', flags.externalId !== undefined && '--external-id'].filter(
    Boolean,
  )
  if (!flag) return
  throw new CliError(exit.usage, `${flag} names one transcript, but the input holds ${count(total, 'transcript')}.`, {
    hint: `leave ${flag} out, or take that transcript alone`,
  })
}
