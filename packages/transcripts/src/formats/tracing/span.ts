import type { MessageContext, ToolResultInput } from '../../conversation/index.js'
import { addMessages, type Placed } from '../../messages/index.js'
import { type Loss, type Place, reasons } from '../../model/index.js'
import { type Entry, Recorder } from './recorder.js'
import { relation, type Thread, threadOf } from './trace-merge.js'

/** One step of a logged run, as the exports of tracing tools have it. */
export interface Span {
  /** The run that it is a step of. */
  trace: string
  id?: string | undefined
  parent?: string | undefined
  /** The conversation that it says it belongs to, which may span several runs. */
  conversation?: string | undefined
  /** A call of a model, of a tool, a run of an agent, or something else, of which only that without a parent matters. */
  kind: 'model' | 'tool' | 'agent' | 'other'
  /** It stands above all other spans of its run. Default: false. */
  isWhole?: boolean | undefined
  /** It was given or gave something, whatever its kind. Default: false. */
  isFilled?: boolean | undefined
  start?: bigint | undefined
  /** Its times as the file has them. */
  startAt?: unknown
  endAt?: unknown
  model?: unknown
  /** Why it failed. */
  error?: string | undefined
  place: Place
  input?(): Placed[]
  output?(): Placed[]
  /** Of a tool: its name, and what it was called with and answered. */
  tool?: (ToolResultInput & { args: unknown }) | undefined
}

/** The content of a span. */
export interface Step {
  id: string | undefined
  isWhole: boolean
  start: bigint | undefined
  place: Place
  input: Thread
  output: readonly Entry[]
  /** All that it was given and gave, without the system's words at its start. */
  body: readonly Entry[]
  /** Of what it was given, which other steps may repeat. */
  losses: readonly Loss[]
  /** Of what it gave. */
  outputLosses: readonly Loss[]
}

/** A call of a tool that a span tells of. */
export interface ToolStep {
  id: string | undefined
  start: bigint | undefined
  tool: ToolResultInput & { args: unknown }
  context: { place: Place; at: unknown }
}

/** Reads what a span was given and gave. */
export function stepOf(span: Span): Step {
  const recorder = new Recorder()
  const answers = new Recorder()
  const input = record(span.input?.() ?? [], recorder)
  const before = threadOf(input)
  const output = record(span.output?.() ?? [], answers)
  // Some answers repeat the instructions, which stand at the start of a conversation.
  const after = threadOf(output)
  for (const entry of after.body) entry.context = timed(entry.context, span.endAt, span.model)
  const last = before.body.at(-1)
  if (last?.role === 'user') last.context = timed(last.context, span.startAt, undefined)
  return {
    id: span.id,
    isWhole: span.isWhole === true,
    start: span.start,
    place: span.place,
    input: { head: before.head.length > 0 ? before.head : after.head, body: before.body },
    output: after.body,
    body: before.body.length === 0 ? after.body : [...before.body, ...after.body],
    losses: recorder.losses.list(),
    outputLosses: answers.losses.list(),
  }
}

function timed(
  { place, model, visible, message, metadata }: MessageContext,
  at: unknown,
  spanModel: unknown,
): MessageContext {
  return { place, at, model: model ?? spanModel, visible, message, metadata }
}

/** A message that no shape can read is lost; the rest of the log is not. */
function record(messages: readonly Placed[], recorder: Recorder): readonly Entry[] {
  const { losses } = recorder
  const main = messages.filter(({ isAlternative }) => !isAlternative)
  const others = messages.length - main.length
  if (others > 0) losses.drop('other answer of a model', reasons.firstKept, others)
  addMessages(main, recorder, (message) => losses.drop('message that cannot be read', message))
  return recorder.entries
}

/** True if a step was given a conversation so far, not only what is new: the user's words and an answer to them. */
export function hasHistory({ input }: Step): boolean {
  let isAsked = false
  for (const { role } of input.body) {
    if (role === 'user') isAsked = true
    else if (isAsked && role === 'assistant') return true
  }
  return false
}

/** With so many that start with the same words a call is compared, at most. */
const compared = 20

/** The calls of models of a run. One whose words another has as a whole is not kept, so that histories do not pile up. */
export class Models {
  readonly #steps = new Set<Step>()
  /** Those with a history, by its first words. */
  readonly #byStart = new Map<string, Step[]>()

  add(step: Step): void {
    const start = hasHistory(step) ? step.body.find(({ key }) => key !== '')?.key : undefined
    if (start !== undefined && !this.#isNew(step, start)) return
    if (step.body.length > 0) this.#steps.add(step)
  }

  [Symbol.iterator](): Iterator<Step> {
    return this.#steps[Symbol.iterator]()
  }

  #isNew(step: Step, start: string): boolean {
    const same = this.#byStart.get(start) ?? []
    this.#byStart.set(start, same)
    for (let at = same.length - 1; at >= Math.max(0, same.length - compared); at--) {
      const known = same[at]
      if (known === undefined) continue
      const { kind } = relation(known.body, step.body)
      if (kind !== 'held' && kind !== 'holds') continue
      const losses = [...known.outputLosses, ...step.outputLosses]
      if (kind === 'held') {
        known.outputLosses = losses
        return false
      }
      step.outputLosses = losses
      this.#steps.delete(known)
      same.splice(at, 1)
    }
    same.push(step)
    return true
  }
}
