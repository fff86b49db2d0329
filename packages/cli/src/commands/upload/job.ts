import { hash } from 'node:crypto'
import { join } from 'node:path'
import { ledgerFolder, nameOf, type Shard, shardOf, stemOf, type Target } from '@svc/bulk'
import {
  addCounts,
  type Conversation,
  conversationsIn,
  type GuardFlags,
  guardWrites,
  type IdentityFlags,
  inputOf,
  lossReporter,
  ownKeys,
  type ReadFlags,
  type ReadReport,
  redactionLine,
  type Source,
  type SourceFlags,
  secretsHint,
  streamBufferBytes,
  type WritePlace,
} from '@svc/input'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { requireProject } from '../../project.js'
import { type Again, jsonAgain, type Shaped, shaper } from './plan.js'
import { retriedInput } from './rejects.js'

/** The upload's own flags. */
export interface UploadFlags extends ReadFlags, IdentityFlags, SourceFlags, GuardFlags {
  project?: string
  concurrency: number
  /** Bytes of bodies under way at a time. */
  maxInFlight: number
  dryRun?: boolean
  continueOnInvalid?: boolean
  /** File for the skipped invalid transcripts. */
  rejects?: string
  /** The input is a file of `rejects` with its problems corrected. */
  retryRejects?: boolean
  /** Folder of the ledger. */
  ledger?: string
  /** Sends what the ledger has as stored, too. */
  again?: boolean
  /** Skips transcripts with the content and external id of an earlier one of this run. */
  dedupe?: boolean
  /** Leaves out what an earlier run stored under the same external id with other content. */
  skipChanged?: boolean
  stamp: boolean
  /** For how long the list of the service may lag behind an upload, in milliseconds. */
  settle?: number
  /** On a terminal, print a row for every transcript, however many there are. */
  showAll?: boolean
  shard?: { index: number; of: number }
}

/** One run of the command: where its transcripts come from, what is made of them, and where they go. */
export interface Job {
  context: Context
  flags: UploadFlags
  target: Target
  shard: Shard | undefined
  /** Read as they come, and reported once all are read. */
  conversations: AsyncGenerator<Conversation, void, undefined>
  readReport: ReadReport
  shape(conversation: Conversation): Shaped
  again: Again
  /** Reports the skipped inputs. Call it when everything is read. */
  reportNotes(): void
}

export async function createJob(context: Context, paths: readonly string[], flags: UploadFlags): Promise<Job> {
  if (flags.rejects !== undefined && !flags.continueOnInvalid) {
    throw new CliError(exit.usage, '--rejects requires --continue-on-invalid.', {
      hint: 'add --continue-on-invalid',
    })
  }
  const project = await requireProject(context, flags.project)
  const target = { baseUrl: await publicBaseUrl(context), project }
  const shard = shardOf(flags.shard, context.io.env)
  // A stream or a dry run is read again only to report the line of a problem.
  const keep = isStream(paths) || flags.dryRun ? { keepBytes: streamBufferBytes } : {}
  const found = await inputOf(context.io, paths, flags, { ...keep, now: context.now() })
  for (const note of found.notes) context.say(`note: ${note}`)
  const input = flags.retryRejects ? retriedInput(found) : found
  await guardWrites(context.io, placesOf(context, flags, target, shard), input.candidates)
  if (input.failure) throw input.failure
  const readReport: ReadReport = { problems: [], notes: [], skipped: input.skipped }
  const reading = { ...flags, hash: sha256, stopAtFirst: isStream(paths) && !flags.continueOnInvalid }
  const shaping = { flags, target, keys: ownKeys(await context.settings()), timeoutMs: context.flags.timeout }
  const shape = shaper(shaping)
  const redacted: Record<string, number> = {}
  const losses = lossReporter(context.say, context.flags.verbose)
  return {
    context,
    flags,
    target,
    shard,
    conversations: conversationsIn(input.sources, reading, context.now(), readReport),
    readReport,
    shape(conversation) {
      losses.see(conversation)
      const shaped = shape(conversation)
      addCounts(redacted, shaped.redacted)
      if (shaped.holdsSecrets) readReport.hint = secretsHint
      else if (!flags.split && shaped.violations.some(({ code }) => code === 'too_many' || code === 'too_large'))
        readReport.hint ??= '--split splits what is too large'
      return shaped
    },
    again: {
      read: (source: Source) =>
        conversationsIn([source], { ...flags, hash: sha256 }, context.now(), { problems: [], notes: [] }),
      json: (conversation, item) => jsonAgain(conversation, shaping, item),
      isStopped: () => context.io.stop.aborted,
    },
    reportNotes() {
      for (const note of readReport.notes) context.say(`note: ${note}`)
      losses.end()
      const hidden = redactionLine(redacted)
      if (hidden) context.say(hidden)
    },
  }
}

/** The files that an upload writes beside what it sends. */
function placesOf(
  { io }: Context,
  { rejects, ledger }: UploadFlags,
  target: Target,
  shard: Shard | undefined,
): WritePlace[] {
  const folder = ledgerFolder(io.env, ledger)
  return [
    ...(rejects === undefined ? [] : [{ what: '--rejects', path: rejects }]),
    ...(folder === undefined
      ? []
      : [{ what: 'the ledger', path: join(folder, `${nameOf(stemOf(target), shard)}.jsonl`) }]),
  ]
}

const sha256 = (text: string): string => hash('sha256', text)

/** Standard input alone is sent as it comes; with files beside it, everything is looked at first. */
export const isStream = (paths: readonly string[]): boolean => paths.length === 1 && paths[0] === '-'

async function publicBaseUrl(context: Context): Promise<string> {
  const url = (await context.settings()).publicBaseUrl?.value
  if (url !== undefined) return url
  throw new CliError(exit.input, 'The base URL of the service is not set.', {
    hint: 'set SVC_PUBLIC_BASE_URL, or try `svc mock -- sh` to work offline',
  })
}
