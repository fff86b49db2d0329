import type { ToolCallInput, ToolResultInput } from '../../conversation/index.js'
import type { Loss } from '../../model/index.js'
import { byTime } from './nanos.js'
import type { Entry } from './recorder.js'
import { hasHistory, type Step, type ToolStep } from './span.js'
import { continueThread, hasNew, merged, relation, type Thread, userKeys } from './trace-merge.js'
import { callAndResult, lastOfAll, resultFor, withTools } from './trace-tools.js'

interface Lists {
  models: readonly Step[]
  tools: readonly ToolStep[]
  /** Inputs and outputs of the run as a whole, or of runs beside each other. */
  roots: readonly Step[]
  /** Runs of agents inside those. */
  inner: readonly Step[]
}

/** The part of a conversation that one run holds. */
export interface TraceThread extends Thread {
  losses: readonly Loss[]
  /** Counts of steps beside the conversation that are not part of it. */
  skipped: Skipped
}

export interface Skipped {
  /** Calls of a model, such as one that makes up a title. */
  calls: number
  /** Runs of agents. */
  runs: number
  /** Entries of accounts that tell the same otherwise. */
  rewritten: number
  /** Calls and answers of tools that the conversation tells otherwise. */
  answers: number
}

/** The conversation according to calls of models and tools. */
interface Account extends Thread {
  losses: readonly Loss[]
}

/**
 * The conversation of a run. What the run as a whole was given are the user's words, what it gave is the last answer; calls of
 * models that were asked something else stand beside the conversation, but not the tools that they called. Where calls of a
 * model are given the conversation so far, those that tell most of it are the conversation; where each is given only what is new, they
 * are joined in the order of time.
 */
export function threadOfSteps({ models, tools, roots, inner }: Lists): TraceThread {
  const calls = [...models].sort(byTime)
  const root = rootOf(roots)
  const userMessages = userKeys(root.body)
  const { own, internal } = splitCalls(calls, userMessages)
  const main = own.some(hasHistory) ? longestLine(own) : joined(own, internal, tools)
  const { body, rewritten } = withTools(merged(main.body, root.body), timesOf(main.times, root.body), tools)
  const head = main.head.length > 0 ? main.head : root.head
  const included = new Set([...head, ...body].map(({ key }) => key))
  const newCalls = countNew(calls, included)
  // Inputs and outputs of calls beside the conversation are known as well.
  for (const { body: entries } of calls) for (const { key } of entries) included.add(key)
  const runs = countNew(inner, included) + countNew(root.others, included)
  return {
    head,
    body,
    losses: main.losses.length > 0 ? main.losses : root.losses,
    skipped: { calls: newCalls, runs, rewritten: root.rewritten, answers: rewritten },
  }
}

function countNew(steps: readonly Step[], included: ReadonlySet<string>): number {
  return steps.filter(({ body }) => hasNew(body, included)).length
}

/** The calls that were asked what the run was asked, and those that a program asked something of its own. */
function splitCalls(calls: readonly Step[], userMessages: ReadonlySet<string>): { own: Step[]; internal: Step[] } {
  const isInternal = (step: Step) => areDisjoint(userKeys(step.body), userMessages)
  return { own: calls.filter((step) => !isInternal(step)), internal: calls.filter(isInternal) }
}

/** True if both have something, and nothing that the other has. */
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

/** Of calls that a program asked something only the tools that they called are of the conversation. */
function joined(own: readonly Step[], internal: readonly Step[], tools: readonly ToolStep[]): CallThread {
  const called = internal.map((step) => {
    const isOfTool = ({ action }: Entry) => action.kind === 'call' || action.kind === 'result'
    return { ...step, input: { head: [], body: [] }, body: step.body.filter(isOfTool) }
  })
  const line = joinedSteps([...own, ...called].sort(byTime), tools)
  return { head: line.head, body: line.body, losses: own.flatMap(lossesOf), times: new Map() }
}

/** The output of the whole run comes after all that its tools did. */
function timesOf(times: ReadonlyMap<string, bigint>, root: readonly Entry[]): ReadonlyMap<string, bigint> {
  const last = root.findLast(({ role, key }) => role === 'assistant' && key !== '')
  return last === undefined || times.has(last.key) ? times : new Map([...times, [last.key, lastOfAll]])
}

interface Root extends Account {
  rewritten: number
  /** Runs that were asked something else than the whole. */
  others: readonly Step[]
}

/** Runs beside each other follow each other; what the whole run was given and gave is told by them once more. */
function rootOf(roots: readonly Step[]): Root {
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

/** The final state of a run mostly repeats what the run was given. */
function bodyOf({ input, output }: Step): readonly Entry[] {
  return relation(input.body, output).kind === 'holds' ? output : [...input.body, ...output]
}

/** A conversation that calls of a model tell of, each with what was said before. */
interface Line {
  head: readonly Entry[]
  body: Entry[]
  losses: readonly Loss[]
  outputLosses: Loss[]
  /** When what a model said was asked for, by the keys of what it said. */
  times: Map<string, bigint>
}

/** How many conversations are under way at once in one run, at most; an older one is not gone on with. */
const underWay = 20

/** The conversations that calls tell of, in the order of time: a call goes on with that of which it has a part. */
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
  if (next.kind === 'holds') {
    line.body = [...step.body]
    line.losses = step.losses
  } else if (next.kind === 'goes on') {
    for (const entry of step.body.slice(next.from)) line.body.push(entry)
    line.losses = [...line.losses, ...step.losses]
  }
  return true
}

/** What calls of models were given and gave, and what tools did, one after the other. */
function joinedSteps(calls: readonly Step[], tools: readonly ToolStep[]): StepThread {
  const line = new StepThread()
  const steps: (Step | ToolStep)[] = [...calls, ...tools].sort(byTime)
  for (const step of steps) {
    if ('tool' in step) line.answerOrCall(step)
    else line.join(step)
  }
  return line
}

/** A conversation that grows, with the calls that wait for an answer. */
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
    // An answer that a span of the tool has told of comes again with the next call of the model.
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

/** The calls of a conversation that wait for an answer, found by id, or by name where one of the two has no id. */
class OpenCalls {
  readonly #byId = new Map<unknown, Open>()
  readonly #byName = new Map<unknown, Open[]>()
  readonly #answered = new Set<unknown>()

  addCall({ id, name }: ToolCallInput): void {
    const open = { id, name, closed: false }
    if (id !== undefined) this.#byId.set(id, open)
    const same = this.#byName.get(name)
    if (same) same.push(open)
    else this.#byName.set(name, [open])
  }

  /** Takes the call that this answers out of those that wait; undefined when none does. */
  addResult({ id, name }: Pick<ToolResultInput, 'id' | 'name'>): { id: unknown } | undefined {
    const open = this.#waiting(id, name)
    if (id !== undefined) this.#answered.add(id)
    if (open === undefined) return undefined
    open.closed = true
    this.#byId.delete(open.id)
    if (open.id !== undefined) this.#answered.add(open.id)
    return open
  }

  /** True if the call with that id has been answered, and none with the same id waits. */
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
