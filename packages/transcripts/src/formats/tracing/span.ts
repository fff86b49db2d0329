import { addMessages } from '../../contract/index.js'
import type { ToolResultInput } from '../../conversation/index.js'
import { asObject, getOrInsert, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type Account, type Loss, type Place, type Placed, reasons } from '../../model/index.js'
import { type Entry, Recorder } from './recorder.js'
import { keysOf, relation, rewrittenIn, type Thread, threadOf } from './trace-merge.js'

/** One step of a logged run, in any tracing tool. */
export interface Span {
  trace: string
  id?: string | undefined
  parent?: string | undefined
  /** The conversation named by the span; it may cover several runs. */
  conversation?: string | undefined
  /** Of other spans only those without a parent matter. */
  kind: 'model' | 'tool' | 'agent' | 'other'
  /** It is above all other spans of its run. Default: false. */
  isWhole?: boolean | undefined
  /** It has an input or output, of any kind. Default: false. */
  isFilled?: boolean | undefined
  /** It is no step of a program with models, such as a request of HTTP. Default: false. */
  isForeign?: boolean | undefined
  start?: bigint | undefined
  /** The times as in the file. */
  startAt?: unknown
  endAt?: unknown
  model?: unknown
  error?: string | undefined
  place: Place
  input(): Placed[]
  output(): Placed[]
  tool?: (ToolResultInput & { args: unknown }) | undefined
}

export interface Step {
  id: string | undefined
  isWhole: boolean
  start: bigint | undefined
  model: unknown
  input: Thread
  output: readonly Entry[]
  /** Input and output without the system prompt. */
  body: readonly Entry[]
  /** Losses of the input, which other steps may repeat. */
  losses: readonly Loss[]
  outputLosses: readonly Loss[]
  /** Calls and results of the calls that it contains, with other words (see `rewrittenIn`). */
  rewritten: readonly string[]
  /** The keys of system prompts of these calls that it does not have. */
  otherPrompts: readonly string[]
}

export interface ToolStep {
  id: string | undefined
  start: bigint | undefined
  tool: ToolResultInput & { args: unknown }
  context: { place: Place; at: unknown }
}

export function stepOf(span: Span, account: Account): Step {
  const recorder = new Recorder(account)
  const answers = new Recorder(account)
  const before = threadOf(record(span.input(), recorder))
  // Some outputs repeat the system prompt, which belongs to the start of the conversation.
  const output = span.output()
  const after = threadOf(record(span.kind === 'model' ? answerOf(output) : output, answers))
  for (const entry of after.body) {
    entry.context = { ...entry.context, at: span.endAt, model: entry.context.model ?? span.model }
  }
  const head = before.head.length > 0 ? before.head : after.head
  const last = before.body.at(-1)
  if (last?.role === 'user') last.context = { ...last.context, at: span.startAt }
  return {
    id: span.id,
    isWhole: span.isWhole === true,
    start: span.start,
    model: span.model,
    input: { head, body: before.body },
    output: after.body,
    body: before.body.length === 0 ? after.body : [...before.body, ...after.body],
    losses: recorder.losses.list(),
    outputLosses: answers.losses.list(),
    rewritten: [],
    otherPrompts: otherKeys(after.head, head),
  }
}

/** The losses of several accounts of the same messages: the most of each kind. */
export function mostOf(losses: readonly Loss[], others: readonly Loss[]): readonly Loss[] {
  const kindOf = ({ code, what }: Loss) => `${code} ${what}`
  const most = new Map(losses.map((loss) => [kindOf(loss), loss]))
  for (const loss of others) if (loss.count > (most.get(kindOf(loss))?.count ?? 0)) most.set(kindOf(loss), loss)
  return [...most.values()]
}

/** The keys that other entries do not have. */
function otherKeys(entries: readonly Entry[], others: readonly Entry[]): string[] {
  const known = new Set(keysOf(others))
  return keysOf(entries).filter((key) => !known.has(key))
}

function record(messages: readonly Placed[], recorder: Recorder): readonly Entry[] {
  const { losses } = recorder
  const main = messages.filter(({ isAlternative }) => !isAlternative)
  const others = messages.length - main.length
  if (others > 0) losses.drop('other answer of a model', reasons.firstKept, others)
  losses.noteAll(messages.flatMap(({ isAlternative, value }) => (isAlternative ? [value] : [])))
  addMessages(main, recorder)
  const guesses = new Set(main.filter(({ isGuess }) => isGuess).map(({ place }) => place))
  for (const entry of recorder.entries) if (guesses.has(entry.context.place)) entry.isGuess = true
  return recorder.entries
}

/**
 * The one answer of a model. Messages that each say why they ended are choices, and so are texts after the first; items
 * of a response and calls without a text are parts of the answer.
 */
function answerOf(messages: readonly Placed[]): readonly Placed[] {
  const values = messages.map(({ value }) => asObject(value))
  const isOfAssistant = values.every(({ role, type }) => role === 'assistant' && type === undefined)
  const isEnded = values.every((value) => value.finish_reason !== undefined)
  const first = isEnded ? 0 : values.findIndex(saysText)
  return messages.map(({ isAlternative, ...message }, at) => {
    const isOther = isOfAssistant && first !== -1 && at > first && (isEnded || saysText(values[at] ?? {}))
    return { ...message, isAlternative: isAlternative === true || isOther, isGuess: false }
  })
}

function saysText({ content, parts }: JsonObject): boolean {
  const listed = objectsOf(parts ?? content).filter(({ type }) => type === 'text' || type === 'output_text')
  return textOf(content) !== undefined || listed.length > 0
}

/** True if the input has an earlier answer, not only new messages. */
export function hasHistory({ input }: Step): boolean {
  let isAsked = false
  for (const { role } of input.body) {
    if (role === 'user') isAsked = true
    else if (isAsked && role === 'assistant') return true
  }
  return false
}

/** The most calls with the same start that a call is compared with. */
const compared = 20

/** The model calls of a run. A call that another one contains is not kept, so that histories do not pile up. */
export class Models {
  readonly #steps = new Set<Step>()
  /** The calls with a history, by the first key. */
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
    const same = getOrInsert(this.#byStart, start, () => [])
    for (let at = same.length - 1; at >= Math.max(0, same.length - compared); at--) {
      const known = same[at]
      if (known === undefined) continue
      const { kind } = relation(known.body, step.body)
      if (kind !== 'held' && kind !== 'holds') continue
      const [whole, part] = kind === 'held' ? [known, step] : [step, known]
      whole.outputLosses = [...known.outputLosses, ...step.outputLosses]
      whole.rewritten = [...whole.rewritten, ...part.rewritten, ...rewrittenIn(part.body, whole.body)]
      const others = otherKeys(part.input.head, whole.input.head)
      whole.otherPrompts = [...new Set([...whole.otherPrompts, ...part.otherPrompts, ...others])]
      whole.losses = mostOf(whole.losses, part.losses)
      if (whole === known) return false
      this.#steps.delete(known)
      same.splice(at, 1)
    }
    same.push(step)
    return true
  }
}

/** Nanoseconds since 1970, to order spans: from nanoseconds as a number or text, or from ISO 8601. */
export function nanosOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  if (typeof value !== 'string') return undefined
  if (/^\d{1,25}$/.test(value)) return BigInt(value)
  const found = iso.exec(value.trim())
  if (!found) return undefined
  const zone = found[3] ?? 'Z'
  const ms = Date.parse(`${found[1]?.replace(' ', 'T')}${zone === 'UTC' ? 'Z' : zone}`)
  const fraction = (found[2] ?? '').slice(0, 9).padEnd(9, '0')
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction)
}

const iso = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/

/** Compare by start time; spans without one keep their place. */
export function byTime(a: { start?: bigint | undefined }, b: { start?: bigint | undefined }): number {
  if (a.start === undefined || b.start === undefined || a.start === b.start) return 0
  return a.start < b.start ? -1 : 1
}

/** Seconds for a time in nanoseconds; any other value stays. */
export function secondsOf(nanos: unknown): unknown {
  const read = nanosOf(nanos)
  return read === undefined ? nanos : Number(read / 1_000_000n) / 1000
}
