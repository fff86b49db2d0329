import { shardOf } from '@svc/bulk'
import { type AskedCase, askPlan, type CheckPlan, type Failure, planCheck } from '@svc/checks'
import type { Annotation } from '@svc/client'
import { count, cut, escapeLine } from '@svc/text'
import type { Command } from 'commander'
import {
  type AnnotateFlags,
  inputsOf,
  leftOfRun,
  type PlannedAnnotation,
  planRequests,
  readInput,
  reportInput,
  reportPlan,
} from '../annotation-requests.js'
import { withReadingSettings } from '../config/index.js'
import type { Context } from '../context.js'
import { errorJson, exitCodeFor, exitCodeOf, reportFailures } from '../errors.js'
import { CliError, exit, exitCodeForMany } from '../exit.js'
import { findInput, labelOf, locateTurns, originOf, titleOf, type Unread } from '../input/index.js'
import { printJson, printJsonLine, startProgress, tsv } from '../output/index.js'
import { readStored, type StoredFlags, storedProject } from '../stored.js'
import { type Style, writeWarning } from '../terminal.js'
import { type Action, examples, type SetAction } from './action.js'
import { withAnnotator, withStored } from './flags.js'

/** A transcript with its annotation, or with the reason why it has none. */
type Annotated = PlannedAnnotation & ({ annotation: Annotation } | Failure)

export const annotate: Action<[string[]], AnnotateFlags & StoredFlags> = async (context, [paths], given) => {
  const { io } = context
  const flags = withReadingSettings(io, given, await context.settings())
  const project = await storedProject(context, paths, flags)
  const isStored = project !== undefined
  const { reading, list } = isStored
    ? await readStored(context, project, flags)
    : await readFiles(context, paths, flags)
  const all = await planRequests(context, reading, flags)
  const shard = shardOf(flags.shard, io.env)
  const plan = await planCheck({
    transcripts: Object.assign(inputsOf(all), list && { list }),
    ...{ annotator: flags.annotator, options: all[0]?.body.options },
    ...{ shard, files: io, clock: io.clock, pause: io.checkpoint },
  })
  const requests = plan.cases.flatMap(({ index }) => all[index] ?? [])
  reportInput(context, requests, reading.notes)
  if (shard)
    context.say(`${requests.length} of ${count(all.length, 'transcript')} for shard ${shard.index + 1}/${shard.of}`)
  if (flags.dryRun) {
    const what = `${count(requests.length, 'transcript')} would be annotated with ${flags.annotator}`
    reportPlan(context, requests, what, plan.stored && { list: plan.stored.requests, single: plan.stored.ids.length })
  }
  const unread = (reading.unread ?? []).map(unreadable)
  if (context.flags.json) for (const each of unread) printJsonLine(context, unreadJson(each))
  const done = flags.dryRun
    ? []
    : await annotateAll(context, plan, all, flags.concurrency, all.length === 1 && !shard && !isStored)
  const failures = [
    ...unread,
    ...done.flatMap((each) => ('error' in each ? { of: labelOf(each.conversation), error: each.error } : [])),
  ]
  reportFailures(io, failures)
  if (flags.dryRun) return exitCodeForMany(unread.map(({ error }) => error.exit))
  const left = requests.length - done.length
  if (left > 0 || failures.length > 0) {
    const rest = `${failures.length} failed${left > 0 ? `, ${left} not sent` : ''}`
    context.say(`${count(done.length - failures.length, 'transcript')} annotated, ${rest}`)
  }
  if (io.signal.aborted) return exitCodeFor(io.signal.reason)
  return exitCodeForMany([
    ...unread.map(({ error }) => error.exit),
    ...done.map((each) => ('error' in each ? exitCodeOf(each) : exit.ok)),
  ])
}

async function readFiles(context: Context, paths: readonly string[], flags: AnnotateFlags) {
  if (paths.length === 0)
    throw new CliError(exit.usage, 'Missing transcripts.', {
      hint: 'add files, directories, or - for standard input; or --stored',
    })
  const input = await findInput(context.io, paths, flags)
  if (input.failure) throw input.failure
  return { reading: await readInput(context, input, flags), list: undefined }
}

/** The failure of a stored transcript that cannot be read. */
const unreadable = ({ path, detail, temporary }: Unread) => ({
  of: path,
  error: new CliError(temporary ? exit.temporary : exit.refused, detail),
})

const unreadJson = ({ of, error }: ReturnType<typeof unreadable>): object => ({
  ...{ schema: 'svc/annotation@1', path: of, record: 1, name: of },
  error: errorJson(error, error.exit),
})

/** Annotate and print each transcript in order. Throws the failure if it is `alone` in the input. */
async function annotateAll(
  context: Context,
  plan: CheckPlan,
  all: readonly PlannedAnnotation[],
  concurrency: number,
  isSingle: boolean,
): Promise<Annotated[]> {
  const { io } = context
  const total = plan.cases.length
  const progress = await startProgress(context, 'annotating')
  const client = await context.client({ calls: total, atOnce: concurrency })
  const done: Annotated[] = []
  const waiting = new Map<number, Annotated>()
  const pace = () => ({ done: done.length + waiting.size, total, window: client.rateLimits().annotation })
  progress.update(pace)
  const print = async (each: Annotated) => {
    if ('error' in each && isSingle) {
      io.signal.throwIfAborted()
      throw each.error
    }
    done.push(each)
    // Once for all conversations, because each file is read a second time.
    if ('annotation' in each && Object.keys(each.annotation.signals).length > 0)
      await locateTurns(
        io,
        all.map(({ conversation }) => conversation),
      )
    show(context, each, isSingle)
  }
  try {
    await askPlan(plan, {
      ...{
        client,
        concurrency,
        signal: io.signal,
        clock: io.clock,
        deadlineMs: leftOfRun(context),
        skipRegistry: true,
      },
      onNote: (text) => writeWarning(io, text),
      async onAnswered(cases) {
        for (const each of cases) for (const made of annotatedOf(each, all)) waiting.set(each.index, made)
        progress.update(pace)
        // An annotation is paid for, so it is printed as soon as those before it are.
        for (const { index } of plan.cases.slice(done.length)) {
          const next = waiting.get(index)
          if (!next) return
          waiting.delete(index)
          await print(next)
        }
      },
    })
    for (const [, each] of [...waiting].sort(([a], [b]) => a - b)) await print(each)
  } finally {
    progress.stop()
  }
  return done
}

/** Nothing for a transcript that was not asked about. */
function annotatedOf({ index, decisive, ended }: AskedCase, all: readonly PlannedAnnotation[]): Annotated[] {
  const request = all[index]
  if (!request) return []
  if (decisive) return [{ ...request, annotation: decisive.annotation }]
  return typeof ended === 'object' ? [{ ...request, ...ended }] : []
}

function show(context: Context, each: Annotated, alone: boolean): void {
  const { io, flags, style } = context
  if (flags.json) return (alone ? printJson : printJsonLine)(context, annotatedJson(each))
  if ('annotation' in each)
    io.stdout.write(io.stdout.isTTY ? annotatedText(each, style.out) : tsv([annotatedRow(each)]))
}

/** An annotation as it came, and for each signal the line and column of its turn in the file. */
function annotatedJson(each: Annotated): object {
  const { conversation } = each
  const origin = { schema: 'svc/annotation@1', ...originOf(conversation, conversation.name) }
  if ('error' in each) {
    return { ...origin, error: errorJson(each.error, exitCodeOf(each)) }
  }
  const { losses } = conversation.transcript
  return { ...origin, losses, annotation: each.annotation, places: placesOf(each) }
}

type Done = Extract<Annotated, { annotation: unknown }>

function placesOf({ annotation, conversation }: Done) {
  const places: Record<string, { line: number; column: number }> = {}
  for (const [key, hit] of Object.entries(annotation.signals)) {
    const place = placeOfTurn(conversation, hit?.turn)
    if (place) places[key] = place
  }
  return places
}

/** The position of a turn (from 1) in its file. */
const placeOfTurn = ({ positions }: PlannedAnnotation['conversation'], turn: number | null | undefined) =>
  typeof turn === 'number' ? positions?.[turn - 1] : undefined

const annotatedRow = ({ annotation, conversation }: Done): string[] => [
  annotation.outcome,
  titleOf(conversation),
  Object.keys(annotation.signals).join(','),
  conversation.source.path,
  String(conversation.transcript.place.record),
]

const outcomeFormat: Partial<Record<string, Parameters<Style>[0]>> = {
  strong: 'green',
  mixed: 'yellow',
  poor: 'red',
  critical: 'red',
  indeterminate: 'dim',
}

function annotatedText({ annotation, conversation }: Done, style: Style): string {
  const { summary, outcome, outcome_notes, signals } = annotation
  const { tokens_in, tokens_out, latency_ms } = annotation.usage ?? {}
  const shown = (n: number | null | undefined, unit = '') => (typeof n === 'number' ? `${n}${unit}` : 'unknown')
  const format = outcomeFormat[outcome] ?? 'bold'
  const lines = [
    `${style(format, escapeLine(outcome))}  ${style('bold', cut(escapeLine(titleOf(conversation)), 80))}  ${style('dim', escapeLine(labelOf(conversation)))}`,
  ]
  lines.push(`  ${cut(escapeLine(summary.title), 80)}`, `  ${escapeLine(outcome_notes)}`)
  const width = Math.max(0, ...Object.keys(signals).map((key) => key.length))
  for (const [key, { turn, evidence = '' } = {}] of Object.entries(signals)) {
    const place = placeOfTurn(conversation, turn)
    const where = place ? `${conversation.source.path}:${place.line}:${place.column}` : ''
    const at = typeof turn === 'number' ? `turn ${turn}` : 'whole conversation'
    lines.push(`  ${style('yellow', escapeLine(key).padEnd(width))}  ${at}  ${style('dim', escapeLine(where))}`)
    lines.push(`    “${cut(escapeLine(evidence), 160)}”`)
  }
  const versions = `${annotation.annotator} ${annotation.annotator_version}, taxonomy ${annotation.taxonomy_version}`
  lines.push(
    `  ${style('dim', escapeLine(`${versions}; ${shown(tokens_in)} tokens in, ${shown(tokens_out)} out, ${shown(latency_ms, ' ms')}`))}`,
  )
  return `${lines.join('\n')}\n\n`
}

export function annotateCommand(command: Command, setAction: SetAction): void {
  withStored(withAnnotator(command)).addHelpText(
    'after',
    examples(
      'svc annotate transcript.json --annotator structural',
      'svc annotate conversations.jsonl --annotator patterns --json',
      'svc annotate --stored --annotator structural --q refund --json',
    ),
  )
  setAction(command, annotate)
}
