import { HashSet, type ReaderContext, tooLate } from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { defined, getOrInsert, type JsonObject, textOf } from '../../json/index.js'
import { type Account, type ConversationDraft, Losses, type Place, reasons, startOfFile } from '../../model/index.js'
import { replay } from './recorder.js'
import { byTime, Models, type Span, type Step, stepOf, type ToolStep } from './span.js'
import { linked } from './trace-merge.js'
import { joinedRuns, type RunSteps, type Skipped, type TraceThread, threadOfSteps } from './trace-thread.js'

/** The bytes of records whose traces may wait for more spans. */
const maxWaiting = 2 ** 24

/**
 * The spans of a file by trace, in any order. If the records of more than `maxWaiting` bytes wait, the conversations without
 * a span for the longest time are complete, so that memory does not grow with the file.
 */
export class TraceLog {
  /** The number of model calls, with or without content. */
  models = 0
  /** The traces that wait, the one with the last span at the end. */
  readonly #traces = new Map<string, Trace>()
  /** The ids of traces and the names of conversations that are complete. */
  readonly #complete = new HashSet()
  readonly #context: ReaderContext
  #count = 0
  #waiting = 0
  /** Below it nothing new is overdue: all that waits is one conversation with the last span. */
  #checked = 0
  #offset = 0
  /** Spans and traces of other programs; the next transcript reports them. */
  #foreign = new Losses()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  /** Returns false for a span that comes after its conversation is complete: a problem, unless it is of another program. */
  add(span: Span): boolean {
    if (span.isForeign && this.#complete.has(traceKey(span.trace))) {
      this.#foreign.drop(otherWork, reasons.notConversation)
      return false
    }
    if (this.#isLate(span.trace, span.conversation, span.place)) {
      for (const { value } of [...span.input(), ...span.output()]) this.#context.account.note(value)
      return false
    }
    const trace = this.#trace(span.trace, span.place)
    const { id, parent, kind } = span
    if (!span.isForeign) trace.isForeign = false
    // Spans without a parent matter only if they are tools.
    if (id !== undefined && !trace.lineage.has(id) && (parent !== undefined || kind === 'tool')) {
      trace.lineage.set(id, { parent, kind })
    }
    if (trace.start === undefined || (span.start !== undefined && span.start < trace.start)) {
      trace.start = span.start
      trace.startAt = span.startAt
    }
    if (kind === 'model' || kind === 'tool') trace[span.start === undefined ? 'timeless' : 'timed']++
    const steps = () => getOrInsert(trace.conversations, span.conversation, noSteps)
    if (span.error !== undefined) addError(steps(), span.error, trace.losses)
    if (span.kind === 'model') {
      this.models++
      steps().models.add(stepOf(span, this.#context.account))
    } else if (span.kind === 'tool' && span.tool) {
      const { start, tool, place, endAt } = span
      steps().tools.push({ id, start, tool, context: { place, at: endAt } })
    } else {
      const step = span.kind === 'agent' || span.parent === undefined ? stepOf(span, this.#context.account) : undefined
      if (step && step.body.length > 0) steps().roots.push(step)
      else if (span.isFilled) {
        trace.others++
        if (trace.first === undefined || byTime(span, trace.first) < 0) trace.first = span
      }
    }
    return true
  }

  lossesOf(id: string, place: Place): Losses {
    return this.#complete.has(traceKey(id)) ? new Losses(this.#context.account) : this.#trace(id, place).losses
  }

  /** Add facts about a run; earlier values stay. */
  addFacts(id: string, facts: TraceFacts, place: Place): void {
    if (this.#isLate(id, facts.conversation, place)) return
    const trace = this.#trace(id, place)
    const metadata = { ...facts.metadata, ...trace.facts.metadata }
    trace.facts = { ...facts, ...defined<TraceFacts>(trace.facts), metadata }
  }

  /** The transcripts of all conversations, also of empty ones. Traces of other programs are a loss of the first. Empties the log. */
  *drafts(): Generator<ConversationDraft> {
    const all = [...this.#traces.values()]
    this.#traces.clear()
    yield* this.#draftsOf(all)
  }

  /** The records of the traces that are not complete. */
  waiting(): ReadonlySet<number> {
    return new Set([...this.#traces.values()].flatMap(({ records }) => [...records]))
  }

  /** Those of the conversations that are complete because too much waits. `whenDue` may add the last spans of a trace. */
  *overdue(whenDue: (trace: string) => void = () => {}): Generator<ConversationDraft> {
    const most = this.#context.maxWaiting ?? maxWaiting
    if (this.#waiting <= Math.max(most, this.#checked)) return
    const due: Trace[] = []
    const all = [...this.#traces.values()]
    // One that becomes a transcript stays until the end, for the losses of what comes after it.
    const kept = [all.at(-1), all.findLast(({ isForeign }) => !isForeign)]
    for (const together of linked(all, namesIn)) {
      if (this.#waiting <= most / 2) break
      if (together.some((trace) => kept.includes(trace))) continue
      for (const trace of together) this.#waiting -= trace.bytes
      due.push(...together)
    }
    this.#checked = this.#waiting + most / 2
    for (const { id } of due) whenDue(id)
    for (const trace of due) {
      this.#traces.delete(trace.id)
      this.#complete.add(traceKey(trace.id))
      for (const name of namesIn(trace)) this.#complete.add(conversationKey(name))
    }
    yield* this.#draftsOf(due)
  }

  *#draftsOf(all: readonly Trace[]): Generator<ConversationDraft> {
    const conversations = new Map<string, { id: string; parts: Part[] }>()
    const traces = all.filter(({ isForeign }) => !isForeign).sort((a, b) => a.index - b.index)
    const foreign = all.length - traces.length
    if (foreign > 0) this.#foreign.drop('trace of another program', reasons.notConversation, foreign)
    if (traces[0]) {
      traces[0].losses.addAll(this.#foreign.list())
      this.#foreign = new Losses()
    }
    for (const trace of traces) {
      if (addRun(trace, this.#context.account)) trace.others--
      if (trace.timed > 0 && trace.timeless > 0)
        trace.losses.add('changed', 'order of a step', 'the time that sorts the others is missing', trace.timeless)
      if (trace.others > 0) trace.losses.drop(otherWork, reasons.notConversation, trace.others)
      if (trace.conversations.size === 0) trace.conversations.set(undefined, noSteps())
      const own = trace.facts.conversation ?? [...trace.conversations.keys()].find((name) => name !== undefined)
      mergeUnnamed(trace, own)
      for (const [name = own, steps] of trace.conversations) {
        const key = name === undefined ? `trace ${trace.id}` : `conversation ${name}`
        getOrInsert(conversations, key, () => ({ id: name ?? trace.id, parts: [] })).parts.push({ trace, steps })
      }
    }
    for (const { id, parts } of conversations.values())
      yield* draftsOf({ id, parts: parts.sort((a, b) => byTime(a.trace, b.trace)) }, this.#context)
  }

  /** Reports a span or facts of a trace or conversation that is complete already. */
  #isLate(trace: string, name: string | undefined, place: Place): boolean {
    const isComplete = (key: string) => this.#complete.has(key)
    const isLate = isComplete(traceKey(trace)) || (name !== undefined && isComplete(conversationKey(name)))
    if (isLate) this.#context.reportLate(tooLate('spans of', name ?? trace, 'trace, or split it'), place, name ?? trace)
    return isLate
  }

  #trace(id: string, place: Place): Trace {
    const trace = getOrInsert(this.#traces, id, () => ({
      id,
      index: this.#count++,
      bytes: 0,
      records: new Set<number>(),
      facts: {},
      place,
      start: undefined,
      startAt: undefined,
      conversations: new Map(),
      losses: new Losses(this.#context.account),
      lineage: new Map(),
      isForeign: true,
      timed: 0,
      timeless: 0,
      others: 0,
      first: undefined,
    }))
    const bytes = Math.max(0, place.offset - this.#offset)
    this.#offset += bytes
    this.#waiting += bytes
    trace.bytes += bytes
    trace.records.add(place.record)
    this.#traces.delete(id)
    this.#traces.set(id, trace)
    return trace
  }
}

const traceKey = (id: string) => `trace ${id}`
const conversationKey = (name: string) => `conversation ${name}`

const otherWork = 'span of other work'

const namesIn = ({ conversations, facts }: Trace): string[] =>
  [...conversations.keys(), facts.conversation].filter((name) => name !== undefined)

/**
 * Add the first span with content as the run, if there is none: it may be below a span of another program, such as a
 * request of HTTP. Returns false if there is a run, or if the span is a part of a model call or a tool.
 */
function addRun(trace: Trace, account: Account): boolean {
  const { first, conversations } = trace
  const all = [...conversations.values()]
  if (first === undefined || all.some(({ roots }) => roots.length > 0)) return false
  if (all.some(({ models }) => [...models].some((step) => byTime(step, first) < 0))) return false
  if (spansAbove(first.id, trace).some((above) => isTool(above, trace))) return false
  const step = stepOf(first, account)
  if (step.body.length > 0) getOrInsert(conversations, first.conversation, noSteps).roots.push(step)
  return step.body.length > 0
}

/** Steps that name no conversation belong to that of their run. */
function mergeUnnamed(trace: Trace, conversation: string | undefined): void {
  const nameless = trace.conversations.get(undefined)
  const named = conversation === undefined ? undefined : trace.conversations.get(conversation)
  if (nameless === undefined || named === undefined) return
  for (const step of nameless.models) named.models.add(step)
  for (const tool of nameless.tools) named.tools.push(tool)
  for (const root of nameless.roots) named.roots.push(root)
  for (const error of nameless.errors) named.errors.add(error)
  trace.conversations.delete(undefined)
}

const mostErrors = 20
const longestError = 500

function addError({ errors }: Steps, error: string, losses: Losses): void {
  const short = error.length > longestError ? `${error.slice(0, longestError)}…` : error
  if (errors.has(short)) return
  if (errors.size === mostErrors) losses.drop('error of a span', `metadata keeps at most ${mostErrors}`)
  else errors.add(short)
  if (short !== error) losses.add('cut', `error over ${longestError} characters`, reasons.shortMetadata)
}

export interface TraceFacts {
  name?: string | undefined
  user?: string | undefined
  conversation?: string | undefined
  at?: unknown
  metadata?: JsonObject | undefined
}

interface Steps {
  models: Models
  tools: ToolStep[]
  /** Inputs and outputs of the run, and of agents in it. */
  roots: Step[]
  errors: Set<string>
}

interface Trace {
  id: string
  /** Its place among the traces of the file. */
  index: number
  /** The bytes of its records. */
  bytes: number
  records: Set<number>
  facts: TraceFacts
  place: Place
  start: bigint | undefined
  startAt: unknown
  /** By the conversation that the spans name, which may be undefined. */
  conversations: Map<string | undefined, Steps>
  losses: Losses
  lineage: Map<string, { parent: string | undefined; kind: Span['kind'] }>
  /** All its spans are foreign. */
  isForeign: boolean
  /** The numbers of calls of models and tools with and without a time. */
  timed: number
  timeless: number
  /** The number of spans with content that are not part of a conversation, and the first of them. */
  others: number
  first: Span | undefined
}

interface Part {
  trace: Trace
  steps: Steps
}

function noSteps(): Steps {
  return { models: new Models(), tools: [], roots: [], errors: new Set() }
}

interface LoggedConversation {
  id: string
  parts: readonly Part[]
}

/** The transcript of a conversation and, on request, those of agents that its tools ran. */
function draftsOf({ id, parts }: LoggedConversation, context: ReaderContext): ConversationDraft[] {
  const mains: TraceThread[] = []
  const subs: { name: string; thread: TraceThread; part: Part }[] = []
  for (const part of parts) {
    const split = bySubAgent(part.trace, part.steps)
    mains.push(threadOfSteps(split.main))
    for (const [name, sub] of split.subs) {
      const thread = threadOfSteps(sub)
      if (thread.body.length > 0) subs.push({ name, thread, part })
    }
  }
  const main = joinedRuns(mains)
  const losses = [...main.losses, ...parts.flatMap(({ trace }) => trace.losses.list())]
  const draft = draftOf({ ...main, losses }, { id, parts, metadata: {} }, context, subs.length)
  if (!context.options.subagents) return [draft]
  const children = subs.map(({ name, thread, part }) => {
    const facts = { id: `${id}/${name}`, parts: [part], metadata: { parent_session: id } }
    return draftOf(thread, facts, context, 0)
  })
  return [draft, ...children]
}

const skippedLosses: readonly (readonly [keyof Skipped, what: string, why: string])[] = [
  ['calls', 'model call with other messages', reasons.notConversation],
  ['runs', 'agent run with other messages', reasons.notConversation],
  ['rewritten', 'rewritten message', 'a longer version of the conversation is kept'],
  ['answers', 'tool call or result that differs from the conversation', 'the version that the model received is kept'],
  ['prompts', 'system prompt of another step', 'that of the conversation is kept'],
  ['guesses', 'input or output without messages', reasons.othersRead],
]

function draftOf(
  thread: TraceThread,
  { id, parts, metadata }: LoggedConversation & { metadata: JsonObject },
  context: ReaderContext,
  subAgents: number,
): ConversationDraft {
  const conversation = new ConversationBuilder(context)
  for (const entry of thread.head) replay(entry, conversation)
  for (const entry of thread.body) replay(entry, conversation)
  conversation.losses.addAll(thread.losses)
  for (const [kind, what, why] of skippedLosses) {
    if (thread.skipped[kind] > 0) conversation.losses.drop(what, why, thread.skipped[kind])
  }
  if (subAgents > 0 && !context.options.subagents) {
    conversation.losses.drop('conversation of a sub-agent', reasons.subagents, subAgents)
  }
  const first = parts[0]
  const facts = parts.map(({ trace }) => trace.facts)
  const hasModel = thread.body.some(({ context }) => context.model !== undefined)
  const errors = new Set(parts.flatMap(({ steps }) => [...steps.errors]))
  return conversation.build({
    name: facts.find(({ name }) => name !== undefined)?.name,
    modelName: hasModel ? undefined : textOf(thread.model),
    externalId: id,
    externalUserId: facts.find(({ user }) => user !== undefined)?.user,
    metadata: {
      ...(parts.length === 1 && first?.trace.id !== id && { trace_id: first?.trace.id }),
      ...mergedFacts(facts),
      ...(errors.size > 0 && { errors: [...errors] }),
      ...metadata,
    },
    sourceTimestamp: conversation.time(first?.trace.facts.at ?? first?.trace.startAt),
    place: first?.trace.place ?? startOfFile,
  })
}

const mostFacts = 100

/** The facts of all runs: lists such as scores are joined, of other values the first counts. */
function mergedFacts(facts: readonly TraceFacts[]): JsonObject {
  if (facts.length === 1) return facts[0]?.metadata ?? {}
  const merged = new Map<string, unknown>()
  for (const { metadata = {} } of facts) {
    for (const [key, value] of Object.entries(metadata)) {
      const known = merged.get(key)
      const both = Array.isArray(known) && Array.isArray(value) && known.length < mostFacts
      merged.set(key, both ? [...new Set([...known, ...value])] : (known ?? value))
    }
  }
  return Object.fromEntries(merged)
}

function noSplit(): RunSteps {
  return { models: [], tools: [], roots: [], inner: [] }
}

/** Separate the steps inside tool calls from the others. */
function bySubAgent(trace: Trace, steps: Steps): { main: RunSteps; subs: Map<string, RunSteps> } {
  const main = noSplit()
  const subs = new Map<string, RunSteps>()
  const roots = new Set(steps.roots.map(({ id }) => id))
  const home = (id: string | undefined) => {
    const owner = spansAbove(id, trace).findLast((above) => isTool(above, trace))
    return owner === undefined ? main : getOrInsert(subs, owner, noSplit)
  }
  for (const step of steps.models) home(step.id).models.push(step)
  for (const tool of steps.tools) home(tool.id).tools.push(tool)
  for (const root of steps.roots) {
    // Inside a tool, a root is that of a sub-agent.
    const outer = spansAbove(root.id, trace).find((above) => roots.has(above) || isTool(above, trace))
    const isInner = outer !== undefined && !isTool(outer, trace)
    home(root.id)[isInner ? 'inner' : 'roots'].push(root)
  }
  return { main, subs }
}

const highest = 200

function spansAbove(id: string | undefined, { lineage }: Trace): string[] {
  const above: string[] = []
  let at = lineage.get(id ?? '')?.parent
  for (; at !== undefined && above.length < highest; at = lineage.get(at)?.parent) above.push(at)
  return above
}

function isTool(id: string, { lineage }: Trace): boolean {
  return lineage.get(id)?.kind === 'tool'
}
