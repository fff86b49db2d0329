import { byTime } from './nanos.js'
import { relation, type Thread } from './overlap.js'
import type { Entry } from './recorder.js'
import { hasHistory, type Step, type ToolStep } from './span.js'
import { linesOf } from './trace-history.js'
import { joinedSteps } from './trace-line.js'
import { continued, isUntold, merged, wordsOfUsers } from './trace-merge.js'
import { lastOfAll, withTools } from './trace-tools.js'
import type { Loss } from './turn.js'

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
  /** Calls and answers of tools that the talk tells otherwise. */
  answers: number
}

/** The conversation according to calls of models and tools. */
interface Account extends Thread {
  losses: readonly Loss[]
}

/**
 * The talk of a run. What the run as a whole was given are the user's words, what it gave is the last answer; calls of
 * models that were asked something else stand beside the talk, but not the tools that they called. Where calls of a
 * model are given the talk so far, those that tell most of it are the talk; where each is given only what is new, they
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
  const told = keysOf(head)
  for (const { key } of body) told.add(key)
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
  let count = 0
  for (const { body } of steps) if (isUntold(body, told)) count++
  return count
}

function keysOf(entries: readonly Entry[]): Set<string> {
  const keys = new Set<string>()
  for (const { key } of entries) keys.add(key)
  return keys
}

/** The calls that were asked what the run was asked, and those that a program asked something of its own. */
function parted(calls: readonly Step[], asked: ReadonlySet<string>): { own: Step[]; internal: Step[] } {
  const own: Step[] = []
  const internal: Step[] = []
  for (const step of calls) {
    const users = wordsOfUsers(step.body)
    if (areApart(users, asked)) internal.push(step)
    else own.push(step)
  }
  return { own, internal }
}

/** True if both have something, and nothing that the other has. */
function areApart(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  if (some.size === 0 || others.size === 0) return false
  for (const each of some) if (others.has(each)) return false
  return true
}

interface Said extends Account {
  times: ReadonlyMap<string, bigint>
}

function longest(calls: readonly Step[]): Said {
  const main = linesOf(calls).reduce((best, line) => (line.body.length >= best.body.length ? line : best))
  const { head, body, times } = main
  return { head, body, times, losses: [...main.losses, ...main.lossesOfAnswer] }
}

/** Of calls that a program asked something only the tools that they called are of the talk. */
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
