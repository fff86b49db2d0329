import type { ToolCallInput, ToolResultInput } from '../../conversation/index.js'
import { getOrInsert } from '../../json/index.js'
import type { Loss, Role } from '../../model/index.js'
import type { Entry } from './recorder.js'
import { byTime, hasHistory, mostOf, type Step, type ToolStep } from './span.js'
import { continueThread, hasNew, keysOf, merged, relation, rewrittenIn, type Thread, userKeys } from './trace-merge.js'
import { callAndResult, lastOfAll, resultFor, withTools } from './trace-tools.js'

export interface RunSteps {
  models: Step[]
  tools: ToolStep[]
  /** Inputs and outputs of the run, or of parallel runs. */
  roots: Step[]
  /** Agent runs inside those. */
  inner: Step[]
}

interface Account extends Thread {
  losses: readonly Loss[]
}

export interface TraceThread extends Account {
  /** The model that was called, whether or not it gave an answer. */
  model: unknown
  /** The numbers of steps that are not part of the conversation. */
  skipped: Skipped
}

export interface Skipped {
  /** Model calls, such as one that generates a title. */
  calls: number
  runs: number
  /** Entries of versions that were rewritten. */
  rewritten: number
  /** Tool calls and results that differ from the conversation. */
  answers: number
  /** System prompts of later steps that differ from the first. */
  prompts: number
  /** Inputs and outputs that may be no messages. */
  guesses: number
}

/**
 * The conversation of a run. The input of the run has the user messages, its output the last answer. Model calls with
 * other user messages are not part of the conversation, but the tools that they called are. If model calls receive the
 * conversation so far, the longest line of calls is the conversation; if each receives only new messages, the calls are
 * joined by time.
 */
export function threadOfSteps({ tools, ...steps }: RunSteps): TraceThread {
  const { models, roots, inner, guesses } = withoutGuesses(steps)
  const calls = [...models].sort(byTime)
  const root = rootOf(roots)
  const userMessages = userKeys(root.body)
  const isInternal = (step: Step) => areDisjoint(userKeys(step.body), userMessages)
  const own = calls.filter((step) => !isInternal(step))
  const main = own.some(hasHistory) ? longestLine(own) : joined(own, calls.filter(isInternal), tools)
  const { body, rewritten } = withTools(merged(main.body, root.body), timesOf(main.times, root.body), tools)
  const head = main.head.length > 0 ? main.head : root.head
  const included = new Set([...head, ...body].map(({ key }) => key))
  const newCalls = countNew(calls, included)
  // Messages of skipped model calls are counted once, not again with the runs that have them.
  for (const { body: entries } of calls) for (const { key } of entries) included.add(key)
  const runs = countNew(inner, included) + countNew(root.others, included)
  const others = new Set([...calls, ...roots].flatMap((step) => [...step.rewritten, ...rewrittenIn(step.body, body)]))
  const heads = [...own, ...roots].flatMap(({ input, otherPrompts }) => [...keysOf(input.head), ...otherPrompts])
  const prompts = countPrompts(heads, included)
  return {
    head,
    body,
    losses: main.losses.length > 0 ? main.losses : root.losses,
    model: own.find((step) => step.model !== undefined)?.model,
    skipped: { calls: newCalls, runs, rewritten: root.rewritten, answers: rewritten + others.size, prompts, guesses },
  }
}

/** The steps without the guesses at messages of a role whose messages are known. */
function withoutGuesses({ models, roots, inner }: Omit<RunSteps, 'tools'>) {
  const known = new Set<Role>()
  for (const { body } of [...models, ...roots, ...inner])
    for (const { role, key, isGuess } of body) if (key !== '' && !isGuess) known.add(role)
  let guesses = 0
  const isKept = ({ role, isGuess }: Entry) => !isGuess || !known.has(role)
  const withKept = (step: Step): Step => {
    const body = step.body.filter(isKept)
    if (body.length === step.body.length) return step
    guesses += step.body.length - body.length
    const input = { head: step.input.head, body: step.input.body.filter(isKept) }
    return { ...step, input, output: step.output.filter(isKept), body }
  }
  return { models: models.map(withKept), roots: roots.map(withKept), inner: inner.map(withKept), guesses }
}

function countNew(steps: readonly Step[], included: ReadonlySet<string>): number {
  return steps.filter(({ body }) => hasNew(body, included)).length
}

/** The number of keys of system prompts that are not included. */
const countPrompts = (keys: readonly string[], included: ReadonlySet<string>): number =>
  new Set(keys.filter((key) => !included.has(key))).size

function areDisjoint(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size > 0 && others.size > 0 && [...some].every((each) => !others.has(each))
}

interface CallThread extends Account {
  times: ReadonlyMap<string, bigint>
}

function longestLine(calls: readonly Step[]): CallThread {
  const main = linesOf(calls).reduce((best, line) => (line.body.length >= best.body.length ? line : best))
  const { head, body, times } = main
  return { head, body, times, losses: [...main.losses, ...main.outputLosses] }
}

/** Of internal calls only the tool calls and results are kept, with the losses of the answers that have them. */
function joined(own: readonly Step[], internal: readonly Step[], tools: readonly ToolStep[]): CallThread {
  const called = internal.map((step) => {
    const isOfTool = ({ action }: Entry) => action.kind === 'call' || action.kind === 'result'
    return { ...step, input: { head: [], body: [] }, body: step.body.filter(isOfTool) }
  })
  const line = joinedSteps([...own, ...called].sort(byTime), tools)
  const losses = [...own.flatMap(lossesOf), ...internal.flatMap(({ outputLosses }) => outputLosses)]
  return { head: line.head, body: line.body, losses, times: new Map() }
}

/** The output of the run comes after all tools. */
function timesOf(times: ReadonlyMap<string, bigint>, root: readonly Entry[]): ReadonlyMap<string, bigint> {
  const last = root.findLast(({ role, key }) => role === 'assistant' && key !== '')
  return last === undefined || times.has(last.key) ? times : new Map([...times, [last.key, lastOfAll]])
}

/** Parallel runs follow each other; the whole run repeats their input and output. `others` have other user messages. */
function rootOf(roots: readonly Step[]): Account & { rewritten: number; others: readonly Step[] } {
  let head: readonly Entry[] = []
  let body: Entry[] = []
  let rewritten = 0
  const parts = roots.filter(({ isWhole }) => !isWhole).sort(byTime)
  for (const step of parts) {
    if (head.length === 0) head = step.input.head
    const next = continueThread(body, bodyOf(step))
    body = next.body
    rewritten += next.lost
  }
  const losses = parts.flatMap(lossesOf)
  const whole = roots.find(({ isWhole }) => isWhole)
  if (whole === undefined) return { head, body, losses, rewritten, others: [] }
  const all = bodyOf(whole)
  if (areDisjoint(userKeys(all), userKeys(body)))
    return { head: whole.input.head, body: all, losses: lossesOf(whole), rewritten: 0, others: parts }
  const both = body.length > all.length ? merged(body, all) : merged(all, body)
  return {
    head: whole.input.head.length > 0 ? whole.input.head : head,
    body: both,
    losses: lossesOf(whole),
    rewritten,
    others: [],
  }
}

function lossesOf({ losses, outputLosses }: Step): readonly Loss[] {
  return [...losses, ...outputLosses]
}

/** The final state of a run usually repeats its input. */
function bodyOf({ input, output }: Step): readonly Entry[] {
  return relation(input.body, output).kind === 'holds' ? output : [...input.body, ...output]
}

/** A conversation in model calls, each with the messages before it. */
interface Line {
  head: readonly Entry[]
  body: Entry[]
  losses: readonly Loss[]
  outputLosses: Loss[]
  /** The start time of the call that produced a key. */
  times: Map<string, bigint>
}

/** The most lines that a call is compared with. */
const underWay = 20

/** The conversations in model calls, ordered by time. A call continues the line that it overlaps. */
function linesOf(calls: readonly Step[]): Line[] {
  const lines: Line[] = []
  for (const step of calls) {
    const line = lines.slice(-underWay).findLast((each) => join(each, step)) ?? newLine(step, lines)
    line.outputLosses.push(...step.outputLosses)
    for (const { key } of step.output) {
      if (step.start !== undefined && key !== '' && !line.times.has(key)) line.times.set(key, step.start)
    }
  }
  return lines
}

function newLine({ input, body, losses }: Step, lines: Line[]): Line {
  const line = { head: input.head, body: [...body], losses, outputLosses: [], times: new Map() }
  lines.push(line)
  return line
}

function join(line: Line, step: Step): boolean {
  const next = relation(line.body, step.body)
  if (next.kind === 'apart') return false
  if (line.head.length === 0) line.head = step.input.head
  if (next.kind === 'holds') line.body = [...step.body]
  else if (next.kind === 'goes on') for (const entry of step.body.slice(next.from)) line.body.push(entry)
  line.losses = next.kind === 'goes on' ? [...line.losses, ...step.losses] : mostOf(line.losses, step.losses)
  return true
}

function joinedSteps(calls: readonly Step[], tools: readonly ToolStep[]): StepThread {
  const line = new StepThread()
  const steps: (Step | ToolStep)[] = [...calls, ...tools].sort(byTime)
  for (const step of steps) {
    if ('tool' in step) line.answerOrCall(step)
    else line.join(step)
  }
  return line
}

/** A growing conversation with its open calls. */
class StepThread {
  head: readonly Entry[] = []
  readonly body: Entry[] = []
  #calls = new OpenCalls()

  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.body.push(entry)
      if (entry.action.kind === 'call') this.#calls.addCall(entry.action.call)
      if (entry.action.kind === 'result') this.#calls.addResult(entry.action.result)
    }
  }

  join(step: Step): void {
    if (this.head.length === 0) this.head = step.input.head
    // The next model call repeats a result that the span of the tool already has.
    const fresh = step.body.filter(
      ({ action }) => action.kind !== 'result' || !this.#calls.isAnswered(action.result.id),
    )
    const next = relation(this.body, fresh)
    if (next.kind === 'held') return
    if (next.kind === 'holds') {
      this.body.length = 0
      this.#calls = new OpenCalls()
    }
    this.add(next.kind === 'goes on' ? fresh.slice(next.from) : fresh)
  }

  answerOrCall(step: ToolStep): void {
    if (this.#calls.isAnswered(step.tool.id)) return
    const waiting = this.#calls.addResult(step.tool)
    if (waiting === undefined) this.add(callAndResult(step))
    else this.body.push(resultFor(waiting.id, step))
  }
}

interface Open {
  id: unknown
  name: unknown
  closed: boolean
}

/** The calls without a result, by id, or by name if one of the two has no id. */
class OpenCalls {
  readonly #byId = new Map<unknown, Open>()
  readonly #byName = new Map<unknown, Open[]>()
  readonly #answered = new Set<unknown>()

  addCall({ id, name }: ToolCallInput): void {
    const open = { id, name, closed: false }
    if (id !== undefined) this.#byId.set(id, open)
    getOrInsert(this.#byName, name, () => []).push(open)
  }

  /** Close the call that this result belongs to; undefined if there is none. */
  addResult({ id, name }: Pick<ToolResultInput, 'id' | 'name'>): { id: unknown } | undefined {
    const open = this.#waiting(id, name)
    if (id !== undefined) this.#answered.add(id)
    if (open === undefined) return undefined
    open.closed = true
    this.#byId.delete(open.id)
    if (open.id !== undefined) this.#answered.add(open.id)
    return open
  }

  /** True if the call has a result and no open call has the same id. */
  isAnswered(id: unknown): boolean {
    return id !== undefined && this.#answered.has(id) && !this.#byId.has(id)
  }

  #waiting(id: unknown, name: unknown): Open | undefined {
    const known = id === undefined ? undefined : this.#byId.get(id)
    if (known) return known
    const same = this.#byName.get(name) ?? []
    while (same[0]?.closed) same.shift()
    const [first] = same
    return id === undefined || first?.id === undefined ? first : undefined
  }
}

/** Join consecutive runs, each of which has the conversation so far or only its new part. */
export function joinedRuns(threads: readonly TraceThread[]): TraceThread {
  if (threads.length === 1) return threads[0] as TraceThread
  let head: readonly Entry[] = []
  let body: Entry[] = []
  const skipped = { calls: 0, runs: 0, rewritten: 0, answers: 0, prompts: 0, guesses: 0 }
  for (const thread of threads) {
    if (head.length === 0) head = thread.head
    const next = continueThread(body, thread.body)
    body = next.body
    skipped.calls += thread.skipped.calls
    skipped.runs += thread.skipped.runs
    skipped.answers += thread.skipped.answers
    skipped.prompts += thread.skipped.prompts + countPrompts(keysOf(thread.head), new Set(keysOf(head)))
    skipped.guesses += thread.skipped.guesses
    skipped.rewritten += thread.skipped.rewritten + next.lost
  }
  const model = threads.find((thread) => thread.model !== undefined)?.model
  return { head, body, losses: threads.flatMap((thread) => thread.losses), model, skipped }
}
