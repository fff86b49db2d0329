import { createPreparer, type PrepareOptions, type Shard, shardOf, type Target, withBodies } from '@svc/bulk'
import { ledgerFileOf, ledgersOf, normalTarget } from '@svc/bulk/parts'
import { count, firstNames } from '@svc/text'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import {
  addCounts,
  asViolations,
  type BodyViolation,
  bodyOf,
  type Conversation,
  conversationsIn,
  type FollowFlags,
  type GuardFlags,
  guard,
  guardWrites,
  type IdentityFlags,
  type Input,
  inputOf,
  labelOf,
  locateViolation,
  lossReporter,
  ownKeys,
  type ReadFlags,
  type ReadReport,
  readAgain,
  redactionLine,
  type Source,
  secretsHint,
  sha256,
  streamBufferBytes,
  withSentLosses,
} from '../../input/index.js'
import { requireProject } from '../../project.js'
import { ledgerFolderOf } from '../ledger-folder.js'
import type { Invalid, Item, Plan, Prepared, Ready, Tag } from './item.js'
import { earlierRejects, retriedInput } from './rejects.js'

/** Kinds of transcripts that an upload may skip: stored ones by default, those that repeat an earlier one of the run, changed ones. */
export const skipKinds = ['stored', 'repeated', 'changed'] as const

type SkipKind = (typeof skipKinds)[number]

export const skips = ({ skip = [] }: UploadFlags, kind: SkipKind): boolean => skip.includes(kind)

export interface UploadFlags extends ReadFlags, IdentityFlags, FollowFlags, GuardFlags {
  project?: string
  concurrency: number
  dryRun?: boolean
  continueOnInvalid?: boolean
  rejects?: string
  retryRejects?: boolean
  ledger?: string
  skip?: readonly SkipKind[]
  /** Upload also what the ledger has as stored, and what may be stored. */
  again?: boolean
  stamp: boolean
  /** For how long the list of the service may lag behind an upload, in milliseconds. */
  listLag?: number
  /** For how long a run without a sign of life keeps its ledger, in milliseconds. */
  lease?: number
  showAll?: boolean
  shard?: Shard
  follow?: boolean
}

export interface UploadInput {
  context: Context
  flags: UploadFlags
  target: Target
  shard: Shard | undefined
  folder: string | undefined
  /** True if nothing was uploaded to the project from this folder yet, or if its ledger is lost. */
  hasNoLedger: boolean
  /** Standard input alone is sent as it comes; with files beside it, everything is checked first. */
  isStream: boolean
  /** Read as they come, and reported once all are read. */
  uploads: AsyncGenerator<Prepared, void, undefined>
  readReport: ReadReport
  /** Add the bodies to the items of a plan; those that it does not hold are read again. */
  bodies(items: Plan['items']): AsyncGenerator<Ready>
  /** Report the skipped inputs, and those that are equal. Call it when everything is read. */
  reportNotes(): void
}

/** `given`: the input, if it is found already. */
export async function readInput(
  context: Context,
  paths: readonly string[],
  flags: UploadFlags,
  given?: Input,
): Promise<UploadInput> {
  if (flags.rejects !== undefined && !flags.continueOnInvalid) {
    throw new CliError(exit.usage, '--rejects requires --continue-on-invalid.', {
      hint: 'add --continue-on-invalid',
    })
  }
  if (flags.rejects !== undefined && flags.dryRun) {
    throw new CliError(exit.usage, '--rejects and --dry-run cannot be used together: a dry run writes no file.', {
      hint: 'remove --rejects; the dry run prints the problems',
    })
  }
  if (flags.again && skips(flags, 'stored')) {
    throw new CliError(exit.usage, '--again and --skip stored cannot be used together.', {
      hint: 'remove one of the two; --again uploads what the ledger has as stored',
    })
  }
  const isStream = paths.length === 1 && paths[0] === '-'
  // A stream or a dry run is read again only to report the line of a problem.
  const keep = isStream || flags.dryRun ? { keepBytes: streamBufferBytes } : {}
  const wholeInput = given ?? (await inputOf(context.io, paths, flags, { ...keep, now: context.now() }))
  const target = await targetOf(context, flags).catch((error: unknown) => {
    // A mistyped path is the nearer problem than a setting that is missing.
    throw (flags.project === undefined && wholeInput.failure) || error
  })
  const shard = shardOf(flags.shard, context.io.env)
  const folder = ledgerFolderOf(context.io, flags.ledger)
  for (const note of wholeInput.notes) context.say(`note: ${note}`)
  const input = flags.retryRejects ? retriedInput(wholeInput) : wholeInput
  const known = folder === undefined ? undefined : ledgersOf(folder, target.project, context.io.environment?.disk)
  const own = known?.filter(({ baseUrl }) => baseUrl === normalTarget(target).baseUrl) ?? []
  const hasNoLedger = known !== undefined && own.length === 0
  if (flags.retryRejects && !shard) refuseOtherShards(own, folder)
  // Plain http is a mock, which has another port each time.
  const others = known?.map(({ baseUrl }) => baseUrl).filter((url) => url.startsWith('https:')) ?? []
  if (hasNoLedger && others.length > 0 && target.baseUrl.startsWith('https:'))
    context.say(
      `note: the ledger has uploads to this project at ${firstNames([...new Set(others)])}, and none at ${target.baseUrl}: everything is new there`,
    )
  const places = [
    ...(flags.rejects === undefined
      ? []
      : [
          { what: '--rejects', path: flags.rejects },
          { what: 'the earlier rejects', path: earlierRejects(flags.rejects) },
        ]),
    ...(folder === undefined ? [] : [{ what: 'the ledger', path: ledgerFileOf(folder, target, shard) }]),
  ]
  await guardWrites(context.io, places, input.candidates)
  if (input.failure) throw input.failure
  const readReport: ReadReport = { problems: [], notes: [], skipped: input.skipped }
  // The service has no delete.
  const reading = { ...flags, refusesUntrusted: true, hash: sha256, stopAtFirst: isStream && !flags.continueOnInvalid }
  const keys = ownKeys(await context.settings())
  const losses = lossReporter(context.say, context.flags.verbose)
  const redacted: Record<string, number> = {}
  const repeated: string[] = []
  const prepare = preparer(context, flags, keys, { target, shard })
  async function* uploads() {
    for await (const read of conversationsIn(input.sources, reading, context.now(), readReport)) {
      const conversation = withSentLosses(read)
      losses.see(conversation)
      const { upload, redacted: hidden } = prepare(conversation)
      if (upload.decision !== 'other_shard') addCounts(redacted, hidden)
      const { label, duplicateOf } = upload.item
      if (duplicateOf && upload.decision !== 'invalid') repeated.push(`${label} (as ${duplicateOf.label})`)
      yield upload
    }
  }
  return {
    context,
    flags,
    target,
    shard,
    folder,
    hasNoLedger,
    isStream,
    uploads: uploads(),
    readReport,
    bodies: (items) => bodiesOf(items, context, flags, keys),
    reportNotes() {
      for (const note of readReport.notes) context.say(`note: ${note}`)
      losses.end()
      if (repeated.length > 0) context.say(repeatedLine(repeated, flags))
      const hidden = redactionLine(redacted)
      if (hidden) context.say(hidden)
    },
  }
}

/** Corrected transcripts of other shards would be recorded in the ledger of this one, and those shards would send them again. */
function refuseOtherShards(ledgers: readonly { shard: Shard | undefined }[], folder: string | undefined): void {
  const shards = ledgers.flatMap((each) => each.shard ?? [])
  const [first] = shards
  if (!first || new Set(shards.map(({ index }) => index)).size === first.of) return
  const own = `--shard ${first.index + 1}/${first.of}`
  throw new CliError(exit.usage, `${folder} has the ledgers of some of ${first.of} shards only; nothing was sent.`, {
    hint: `retry the file once for each shard, with its ledger: here with ${own}`,
  })
}

function repeatedLine(repeated: readonly string[], flags: UploadFlags): string {
  const what = `${count(repeated.length, 'transcript')} with the content of an earlier one of this run`
  const named = firstNames(repeated)
  return skips(flags, 'repeated') ? `${what} skipped: ${named}` : `note: ${what}: ${named}; --skip repeated skips them`
}

async function targetOf(context: Context, flags: UploadFlags): Promise<Target> {
  const project = await requireProject(context, flags.project)
  const baseUrl = (await context.settings()).publicBaseUrl?.value
  if (baseUrl !== undefined) return { baseUrl, project }
  throw new CliError(exit.input, 'The base URL of the service is not set.', {
    hint: 'set SVC_PUBLIC_BASE_URL, or try `svc mock -- sh` to work offline',
  })
}

/** Prepare uploads of conversations; those of a source follow each other. `keys` must not be in what is sent. */
function preparer(
  { io, flags: { timeout } }: Context,
  flags: UploadFlags,
  keys: readonly string[],
  given: Pick<PrepareOptions, 'target' | 'shard'>,
) {
  const { randomId = () => crypto.randomUUID() } = io.environment ?? {}
  const { stamp } = flags
  const dedupe = skips(flags, 'repeated')
  const prepare = createPreparer({ ...given, dedupe, stamp, timeoutMs: timeout, randomId })
  let latest: Source | undefined
  let place = 0
  return (conversation: Conversation): { upload: Prepared; redacted: Record<string, number> } => {
    const { source, transcript, part } = conversation
    place = source === latest ? place + 1 : 0
    latest = source
    const { body, hits, redacted } = guard(bodyOf(conversation, flags), flags, keys)
    const { format, losses, digest, place: origin } = transcript
    const upload = {
      upload: body,
      source: digest,
      part,
      path: source.path,
      record: origin.record,
      label: labelOf(conversation),
      tag: { source, place, format, losses, isRedacted: Object.keys(redacted).length > 0, hint: undefined },
    }
    const { item, violations, warnings, ...prepared } = prepare<Tag, BodyViolation>(upload, asViolations(hits))
    // `--split` keeps the limits of turns, of the bytes of a turn, and of the whole body.
    const isTooLarge = violations.some(({ code }) => code === 'too_many' || code === 'too_large')
    const hint =
      hits.length > 0 ? secretsHint : isTooLarge && !flags.split ? '--split splits what is too large' : undefined
    const located = (each: BodyViolation) => locateViolation(conversation, each)
    return {
      upload: {
        ...prepared,
        item: { ...item, tag: { ...item.tag, hint } },
        violations: violations.map(located),
        warnings: warnings.map(located),
      },
      redacted,
    }
  }
}

/** The flags that would let invalid transcripts be sent, credentials first, and those that would read the other files. */
export const hintFor = ({ readReport }: UploadInput, invalid: readonly Invalid[]): string | undefined => {
  const hints = invalid.map(({ item }) => item.tag.hint)
  const ofContent = hints.includes(secretsHint) ? secretsHint : hints.find((hint) => hint !== undefined)
  const all = [ofContent, readReport.hint].filter((hint) => hint !== undefined)
  return all.length === 0 ? undefined : all.join('; ')
}

/** The bodies of planned items: those held as they are, the others from their sources, which are read in order. */
async function* bodiesOf(items: Plan['items'], context: Context, flags: UploadFlags, keys: readonly string[]) {
  const again = readAgain({ ...flags, hash: sha256 }, context.now())
  const bodyAgain = async (item: Item) => {
    const conversation = await again.at(item.tag)
    return conversation && guard(bodyOf(conversation, flags), { ...flags, allowSecrets: true }, keys).body
  }
  try {
    yield* withBodies(items, bodyAgain, context.io.stop)
  } finally {
    await again.end()
  }
}
