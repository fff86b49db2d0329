import { type StoredList, type StoredTranscripts, storedTranscripts } from '@svc/checks'
import type { TranscriptFilters } from '@svc/client'
import { nameFor, type Transcript } from '@svc/transcripts'
import { type AnnotateFlags, leftOfRun } from './annotation-requests.js'
import type { Context } from './context.js'
import { CliError, exit } from './exit.js'
import {
  type Conversation,
  type Diagnostic,
  type Input,
  lossesAsFlaw,
  type Moment,
  type Reading,
  type Unread,
} from './input/index.js'
import { startProgress } from './output/index.js'
import { explainMissingProject, requireProject } from './project.js'

/** Flags that choose stored transcripts of a project. */
export interface FilterFlags {
  project?: string
  q?: string
  modelName?: string
  language?: string
  sourceSystem?: string
  annotation?: string
  fromDate?: Moment
  toDate?: Moment
}

/** Flags of a command that takes stored transcripts in place of files. */
export interface StoredFlags extends FilterFlags {
  stored?: boolean
}

/** The filters of the list of transcripts that the flags give. */
export const filtersOf = (flags: FilterFlags, now: number): TranscriptFilters => ({
  q: flags.q,
  model_name: flags.modelName,
  language: flags.language,
  source_system: flags.sourceSystem,
  annotation: flags.annotation,
  date_from: flags.fromDate && momentText(flags.fromDate, now),
  date_to: flags.toDate && momentText(flags.toDate, now),
})

const momentText = (moment: Moment, now: number): string =>
  'at' in moment ? moment.at : new Date(now - moment.agoMs).toISOString()

const filterFlags = [
  'project',
  'q',
  'modelName',
  'language',
  'sourceSystem',
  'annotation',
  'fromDate',
  'toDate',
] as const

/** Flags about files; `filesFrom` is one of `svc check`. */
const fileFlags = [
  ...(['format', 'importer', 'split', 'thinking', 'subagents', 'branches', 'map', 'csvEscape'] as const),
  ...(['exclude', 'followLinks', 'filesFrom'] as const),
]

type FileFlag = (typeof fileFlags)[number]

const flagText = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/**
 * The project whose stored transcripts are taken; undefined for files.
 *
 * @throws {CliError} for flags of the one with the other, and without a project
 */
export async function storedProject(
  context: Pick<Context, 'settings'>,
  paths: readonly string[],
  flags: StoredFlags & Partial<Record<FileFlag, unknown>>,
): Promise<string | undefined> {
  if (!flags.stored) {
    const stray = filterFlags.find((name) => flags[name] !== undefined)
    if (stray === undefined) return undefined
    throw new CliError(exit.usage, `${flagText(stray)} requires --stored.`, { hint: 'add --stored, or omit it' })
  }
  const stray =
    paths[0] ?? fileFlags.map((name) => (flags[name] === undefined ? undefined : flagText(name))).find(Boolean)
  if (stray === undefined) return requireProject(context, flags.project)
  throw new CliError(exit.usage, `--stored reads no files, so that ${stray} cannot be used.`, {
    hint: `omit ${stray}, or omit --stored`,
  })
}

/** The input of a command that reads no files. */
export const noFiles: Input = {
  ...{ candidates: [], skipped: new Map(), notes: [], isExcluded: () => false },
  sources: (async function* () {})(),
}

/** The stored transcripts, read. */
export interface StoredReading {
  reading: Reading & { unread: Unread[] }
  list: StoredTranscripts['list']
}

/** @throws {CliError} if the filters match nothing, unless `allowEmpty` */
export async function readStored(
  context: Context,
  project: string,
  flags: FilterFlags & Pick<AnnotateFlags, 'concurrency' | 'strict'>,
  {
    allowEmpty = false,
    ...sample
  }: { allowEmpty?: boolean | undefined; sample?: number | undefined; seed?: string | undefined } = {},
): Promise<StoredReading> {
  const { io } = context
  const { concurrency } = flags
  const client = await context.client({ calls: undefined, atOnce: concurrency })
  const progress = await startProgress(context, 'reading', { afterMs: 500 })
  let total: number | undefined
  const stored = storedTranscripts(client, project, filtersOf(flags, context.now()), {
    ...sample,
    ...{ concurrency, signal: io.signal, clock: io.clock, deadlineMs: leftOfRun(context) },
    onRead: (done) => progress.update(() => ({ done, total })),
  })
  try {
    const { ids, gap, filters } = await stored.list().catch(async (error: unknown) => {
      throw await explainMissingProject(context, error, project)
    })
    total = ids.length
    if (total === 0 && !gap && !allowEmpty) throw nothingStored(project, filters)
    const conversations: Conversation[] = []
    const problems: Diagnostic[] = []
    const unread: Unread[] = []
    for await (const { path, ...each } of stored) {
      await io.checkpoint()
      if ('error' in each) {
        const { why = 'unreadable', error, temporary } = each
        const place = { path, record: 1, at: undefined, sha256: null, after: conversations.length }
        unread.push({ ...place, why, detail: String(error), temporary })
        continue
      }
      const conversation = conversationOf(context, path, each.transcript)
      if (flags.strict && each.transcript.losses.length > 0) problems.push(lossesAsFlaw(conversation))
      else conversations.push(conversation)
    }
    return { reading: { conversations, problems, notes: [], unread }, list: stored.list }
  } finally {
    progress.stop()
  }
}

/** It has no file, and so no positions of turns. */
const conversationOf = ({ io }: Context, path: string, transcript: Transcript): Conversation => ({
  source: {
    ...{ path, file: path, root: path, isFound: false, isOneOfSeveral: true, notRead: [], chunks: () => [] },
    hash: async () => undefined,
    checkpoint: io.checkpoint,
    resolve: io.resolve,
  },
  transcript,
  name: nameFor(transcript, path),
  part: 1,
  positions: [],
})

/** The error of a list that may lack transcripts. */
export const incompleteList = (project: string, { detail, temporary }: NonNullable<StoredList['gap']>): CliError =>
  new CliError(temporary ? exit.temporary : exit.refused, `${project}: ${detail}.`, {
    hint: 'run the command again later, for a list may lag',
  })

export function nothingStored(project: string, filters: Readonly<Record<string, string>>): CliError {
  const names = Object.entries(filters).map(([name, value]) => `${name}=${value}`)
  if (names.length === 0)
    return new CliError(exit.usage, `The project ${project} has no transcripts.`, {
      hint: 'name another project; `svc projects list` shows the ids',
    })
  return new CliError(exit.usage, `No transcript of ${project} matches ${names.join(' and ')}.`, {
    hint: 'see which there are with `svc transcripts list`; dates match source timestamps',
  })
}
