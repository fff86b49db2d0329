import { type Shard, shardOf } from '@svc/bulk'
import {
  type Answer,
  annotateWith,
  contentHash,
  isInShard,
  numberText,
  placeOfTurn,
  stopsRun,
  usageOf,
} from '@svc/checks'
import { mapConcurrent } from '@svc/client'
import { count, cut, escapeLine, inOrder, tsv } from '@svc/text'
import type { Command } from 'commander'
import {
  type AnnotateFlags,
  type PlannedAnnotation,
  planRequests,
  readInput,
  reportInput,
  reportPlan,
} from '../annotation-requests.js'
import type { Context } from '../context.js'
import { errorJson, exitCodeFor, exitCodeOf, reportFailures } from '../errors.js'
import { exit, exitCodeForMany } from '../exit.js'
import { findInput, labelOf, locateTurns, originOf, titleOf } from '../input/index.js'
import { printJson, printJsonLine, startProgress } from '../output/index.js'
import type { Style } from '../terminal.js'
import { type Action, examples, type SetAction } from './action.js'
import { withAnnotator } from './flags.js'

type Annotated = PlannedAnnotation & Answer

export const annotate: Action<[string[]], AnnotateFlags> = async (context, [paths], flags) => {
  const { io } = context
  const input = await findInput(io, paths, flags)
  if (input.failure) throw input.failure
  const reading = await readInput(context, input, flags)
  const all = await planRequests(context, reading, flags)
  const shard = shardOf(flags.shard, io.env)
  const requests = shard ? all.filter((each) => isOf(shard, each)).map((each, index) => ({ ...each, index })) : all
  reportInput(context, requests, reading.notes)
  if (shard)
    context.say(`${requests.length} of ${count(all.length, 'transcript')} for shard ${shard.index + 1}/${shard.of}`)
  if (flags.dryRun) {
    reportPlan(context, requests, `${count(requests.length, 'transcript')} would be annotated with ${flags.annotator}`)
    return undefined
  }
  const done = await annotateAll(context, requests, flags.concurrency, all.length === 1 && !shard)
  const failures = done.flatMap((each) =>
    'error' in each ? { of: labelOf(each.conversation), error: each.error } : [],
  )
  reportFailures(io, failures)
  const left = requests.length - done.length
  if (left > 0 || failures.length > 0) {
    const rest = `${failures.length} failed${left > 0 ? `, ${left} not sent` : ''}`
    context.say(`${count(done.length - failures.length, 'transcript')} annotated, ${rest}`)
  }
  if (io.signal.aborted) return exitCodeFor(io.signal.reason)
  return exitCodeForMany(done.map((each) => ('error' in each ? exitCodeOf(each) : exit.ok)))
}

/** Transcripts are in the same shards as those of `svc check`. */
const isOf = ({ index, of: count }: Shard, { conversation, body }: PlannedAnnotation): boolean =>
  isInShard({ path: conversation.source.path, sha256: contentHash(body.transcript) }, { index, count })

/** Annotate and print each transcript in order. Throws the failure if it is `alone` in the input. */
async function annotateAll(
  context: Context,
  requests: readonly PlannedAnnotation[],
  concurrency: number,
  isSingle: boolean,
): Promise<Annotated[]> {
  const { io } = context
  const progress = await startProgress(context, 'annotating')
  const client = await context.client({ calls: requests.length, atOnce: concurrency })
  const done: Annotated[] = []
  const pace = () => ({ done: done.length, total: requests.length, window: client.rateLimits().annotation })
  progress.update(pace)
  try {
    // An annotation is paid for, so it is written as soon as those before it are.
    for await (const each of inOrder(answersTo(context, annotateWith(client), requests, concurrency))) {
      if ('error' in each && isSingle) throw each.error
      done.push(each)
      // Once for all of them: each file is looked through a second time.
      if ('annotation' in each && Object.keys(each.annotation.signals).length > 0) {
        await locateTurns(
          io,
          requests.map(({ conversation }) => conversation),
        )
      }
      progress.update(pace)
      show(context, each, isSingle)
    }
  } finally {
    progress.stop()
  }
  return done
}

/** The answers in the order of completion. Stops after a failure that all requests would share. */
async function* answersTo(
  { io, call }: Context,
  ask: ReturnType<typeof annotateWith>,
  requests: readonly PlannedAnnotation[],
  concurrency: number,
): AsyncGenerator<Annotated, void, undefined> {
  let isStopped = false
  const annotateOne = async (request: PlannedAnnotation): Promise<Annotated> => {
    const answer = await ask(request.body, call)
    isStopped ||= stopsRun(answer)
    return { ...request, ...answer }
  }
  const until = () => isStopped || io.signal.aborted
  for await (const settled of mapConcurrent(requests, annotateOne, { concurrency, until })) {
    if (settled.status === 'rejected') throw settled.reason
    yield settled.value
  }
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
  const usage = usageOf(annotation)
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
    `  ${style('dim', escapeLine(`${versions}; ${numberText(usage.tokens_in)} tokens in, ${numberText(usage.tokens_out)} out, ${numberText(usage.latency_ms, (ms) => `${ms} ms`)}`))}`,
  )
  return `${lines.join('\n')}\n\n`
}

export function annotateCommand(command: Command, setAction: SetAction): void {
  withAnnotator(command).addHelpText(
    'after',
    examples(
      'svc annotate transcript.json --annotator structural',
      'svc annotate conversations.jsonl --annotator patterns --json',
    ),
  )
  setAction(command, annotate)
}
