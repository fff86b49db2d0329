import type { ToolCallInput, ToolResultInput } from '../../conversation/index.js'
import type { Loss } from '../../model/index.js'
import { byTime } from './nanos.js'
import type { Entry } from './recorder.js'
import { hasHistory, type Step, type ToolStep } from './span.js'
import { continued, isUntold, merged, relation, type Thread, wordsOfUsers } from './trace-merge.js'
import { answerTo, callAndAnswer, lastOfAll, withTools } from './trace-tools.js'

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
  beside: Beside
}

export interface Beside {
  /** Calls of a model, such as one that makes up a title. */
  calls: number
  /** Runs of agents. */
  runs: number
  /** Entries of accounts that tell the same otherwise. */
  otherwise: number
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
  const asked = wordsOfUsers(root.body)
  const { own, internal } = parted(calls, asked)
  const said = own.some(hasHistory) ? longest(own) : joined(own, internal, tools)
  const { body, otherwise } = withTools(merged(said.body, root.body), timesOf(said.times, root.body), tools)
  const head = said.head.length > 0 ? said.head : root.head
  const told = new Set([...head, ...body].map(({ key }) => key))
  const untoldCalls = countUntold(calls, told)
  // Inputs and outputs of calls beside the conversation are known as well.
  for (const { body: words } of calls) for (const { key } of words) told.add(key)
  const runs = countUntold(inner, told) + countUntold(root.beside, told)
  return {
    head,
    body,
    losses: said.losses.length > 0 ? said.losses : root.losses,
    beside: { calls: untoldCalls, runs, otherwise: root.otherwise, answers: otherwise },
  }
}

function countUntold(steps: readonly Step[], told: ReadonlySet<string>): number {
  return steps.filter(({ body }) => isUntold(body, told)).length
}

/** The calls that were asked what the run was asked, and those that a program asked something of its own. */
function parted(calls: readonly Step[], asked: ReadonlySet<string>): { own: Step[]; internal: Step[] } {
  const isInternal = (step: Step) => areApart(wordsOfUsers(step.body), asked)
  return { own: calls.filter((step) => !isInternal(step)), internal: calls.filter(isInternal) }
}

/** True if both have something, and nothing that the other has. */
function areApart(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size > 0 && others.size > 0 && [...some].every((each) => !others.has(each))
}

interface Said extends Account {
  times: ReadonlyMap<string, bigint>
}

function longest(calls: readonly Step[]): Said {
  const main = linesOf(calls).reduce((best, line) => (line.body.length >= best.body.length ? line : best))
  const { head, body, times } = main
  return { head, body, times, losses: [...main.losses, ...main.lossesOfAnswer] }
}

/** Of calls that a program asked something only the tools that they called are of the conversation. */
function joined(own: readonly Step[], internal: readonly Step[], tools: readonly ToolStep[]): Said {
  const called = internal.map((step) => {
    const isOfTool = ({ act }: Entry) => act.kind === 'call' || act.kind === 'result'
    return { ...step, given: { head: [], body: [] }, body: step.body.filter(isOfTool) }
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
  otherwise: number
  /** Runs that were asked something else than the whole. */
  beside: readonly Step[]
}

/** Runs beside each other follow each other; what the whole run was given and gave is told by them once more. */
function rootOf(roots: readonly Step[]): Root {
  let head: readonly Entry[] = []
  let body: Entry[] = []
  let otherwise = 0
  const parts = roots.filter(({ isWhole }) => !isWhole).sort(byTime)
  for (const step of parts) {
    if (head.length === 0) head = step.given.head
    const next = continued(body, bodyOf(step))
    body = next.body
    otherwise += next.lost
  }
  const losses = parts.flatMap(lossesOf)
  const whole = roots.find(({ isWhole }) => isWhole)
  if (whole === undefined) return { head, body, losses, otherwise, beside: [] }
  const all = bodyOf(whole)
  if (areApart(wordsOfUsers(all), wordsOfUsers(body)))
    return { head: whole.given.head, body: all, losses: lossesOf(whole), otherwise: 0, beside: parts }
  const both = body.length > all.length ? merged(body, all) : merged(all, body)
  return {
    head: whole.given.head.length > 0 ? whole.given.head : head,
    body: both,
    losses: lossesOf(whole),
    otherwise,
    beside: [],
  }
}

function lossesOf({ losses, lossesOfAnswer }: Step): readonly Loss[] {
  return [...losses, ...lossesOfAnswer]
}

/** The final state of a run mostly repeats what the run was given. */
function bodyOf({ given, gave }: Step): readonly Entry[] {
  return relation(given.body, gave).kind === 'holds' ? gave : [...given.body, ...gave]
}

/** A conversation that calls of a model tell of, each with what was said before. */
interface Line {
  head: readonly Entry[]
  body: Entry[]
  losses: readonly Loss[]
  lossesOfAnswer: Loss[]
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
    line.lossesOfAnswer.push(...step.lossesOfAnswer)
    for (const { key } of step.gave) {
      if (step.start !== undefined && key !== '' && !line.times.has(key)) line.times.set(key, step.start)
    }
  }
  return lines
}

function newLine({ given, body, losses }: Step, lines: Line[]): Line {
  const line = { head: given.head, body: [...body], losses, lossesOfAnswer: [], times: new Map() }
  lines.push(line)
  return line
}

function join(line: Line, step: Step): boolean {
  const told = relation(line.body, step.body)
  if (told.kind === 'apart') return false
  if (line.head.length === 0) line.head = step.given.head
  if (told.kind === 'holds') {
    line.body = [...step.body]
    line.losses = step.losses
  } else if (told.kind === 'goes on') {
    for (const entry of step.body.slice(told.from)) line.body.push(entry)
    line.losses = [...line.losses, ...step.losses]
  }
  return true
}

/** What calls of models were given and gave, and what tools did, one after the other. */
function joinedSteps(calls: readonly Step[], tools: readonly ToolStep[]): StepLine {
  const line = new StepLine()
  const steps: (Step | ToolStep)[] = [...calls, ...tools].sort(byTime)
  for (const step of steps) {
    if ('tool' in step) line.answerOrCall(step)
    else line.join(step)
  }
  return line
}

/** A conversation that grows, with the calls that wait for an answer. */
class StepLine {
  head: readonly Entry[] = []
  readonly body: Entry[] = []
  #calls = new OpenCalls()

  add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.body.push(entry)
      if (entry.act.kind === 'call') this.#calls.called(entry.act.call)
      if (entry.act.kind === 'result') this.#calls.answered(entry.act.result)
    }
  }

  join(step: Step): void {
    if (this.head.length === 0) this.head = step.given.head
    // An answer that a span of the tool has told of comes again with the next call of the model.
    const fresh = step.body.filter(({ act }) => act.kind !== 'result' || !this.#calls.isAnswered(act.result.id))
    const told = relation(this.body, fresh)
    if (told.kind === 'held') return
    if (told.kind === 'holds') {
      this.body.length = 0
      this.#calls = new OpenCalls()
    }
    this.add(told.kind === 'goes on' ? fresh.slice(told.from) : fresh)
  }

  answerOrCall(step: ToolStep): void {
    if (this.#calls.isAnswered(step.tool.id)) return
    const waiting = this.#calls.answered(step.tool)
    if (waiting === undefined) this.add(callAndAnswer(step))
    else this.body.push(answerTo(waiting.id, step))
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

  called({ id, name }: ToolCallInput): void {
    const open = { id, name, closed: false }
    if (id !== undefined) this.#byId.set(id, open)
    const same = this.#byName.get(name)
    if (same) same.push(open)
    else this.#byName.set(name, [open])
  }

  /** Takes the call that this answers out of those that wait; undefined when none does. */
  answered({ id, name }: Pick<ToolResultInput, 'id' | 'name'>): { id: unknown } | undefined {
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
