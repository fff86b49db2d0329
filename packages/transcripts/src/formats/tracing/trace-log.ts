import type { ReaderContext } from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import type { JsonObject } from '../../json/index.js'
import { type ConversationDraft, Losses, type Place, reasons, startOfFile } from '../../model/index.js'
import { byTime } from './nanos.js'
import { type Entry, replay } from './recorder.js'
import { Models, type Span, type Step, stepOf, type ToolStep } from './span.js'
import { continueThread } from './trace-merge.js'
import { type Skipped, type TraceThread, threadOfSteps } from './trace-thread.js'

/** Collects spans in any order, and makes a transcript of each conversation. */
export class TraceLog {
  /** The number of model calls, with or without content. */
  models = 0
  readonly #traces = new Map<string, Trace>()

  add(span: Span): void {
    const trace = this.#trace(span.trace, span.place)
    addLineage(trace, span)
    if (trace.start === undefined || (span.start !== undefined && span.start < trace.start)) {
      trace.start = span.start
      trace.startAt = span.startAt
    }
    if (span.error !== undefined) addError(stepsOf(trace, span.conversation), span.error, trace.losses)
    if (span.kind === 'model') {
      this.models++
      stepsOf(trace, span.conversation).models.add(stepOf(span))
    } else if (span.kind === 'tool' && span.tool) {
      const context = { place: span.place, at: span.endAt }
      const { id, start, tool } = span
      stepsOf(trace, span.conversation).tools.push({ id, start, tool, context })
    } else {
      const step = span.kind === 'agent' || span.parent === undefined ? stepOf(span) : undefined
      if (step && step.body.length > 0) stepsOf(trace, span.conversation).roots.push(step)
      else if (span.isFilled) trace.losses.add('dropped', 'span of other work', reasons.notConversation)
    }
  }

  /** The losses of a run, for unread fields of its spans. */
  lossesOf(id: string, place: Place): Losses {
    return this.#trace(id, place).losses
  }

  /** Add facts about a run; earlier values stay. */
  addFacts(id: string, facts: TraceFacts, place: Place): void {
    const trace = this.#trace(id, place)
    const known = trace.facts
    trace.facts = {
      name: known.name ?? facts.name,
      user: known.user ?? facts.user,
      conversation: known.conversation ?? facts.conversation,
      at: known.at === undefined ? facts.at : known.at,
      metadata: facts.metadata === undefined ? known.metadata : { ...facts.metadata, ...known.metadata },
    }
  }

  /** The transcripts of all conversations, also of empty ones. Empties the log. */
  drafts(sourceSystem: string, notes: ReaderContext): ConversationDraft[] {
    const conversations = new Map<string, { id: string; parts: Part[] }>()
    for (const trace of this.#traces.values()) {
      const own = trace.facts.conversation ?? conversationIn(trace)
      mergeUnnamed(trace, own)
      for (const [name, steps] of trace.conversations) {
        const conversation = conversationOf(conversations, name ?? own, trace.id)
        conversation.parts.push({ trace, steps, start: trace.start })
      }
    }
    this.#traces.clear()
    return [...conversations.values()].flatMap(({ id, parts }) =>
      draftsOf({ id, parts: parts.sort(byTime), sourceSystem }, notes),
    )
  }

  #trace(id: string, place: Place): Trace {
    const known = this.#traces.get(id)
    if (known) return known
    const trace: Trace = {
      id,
      facts: {},
      place,
      start: undefined,
      startAt: undefined,
      conversations: new Map(),
      losses: new Losses(),
      lineage: new Map(),
    }
    this.#traces.set(id, trace)
    return trace
  }
}

function conversationOf(
  conversations: Map<string, { id: string; parts: Part[] }>,
  id: string | undefined,
  trace: string,
) {
  const key = id === undefined ? `trace ${trace}` : `conversation ${id}`
  const conversation = conversations.get(key) ?? { id: id ?? trace, parts: [] }
  conversations.set(key, conversation)
  return conversation
}

function conversationIn({ conversations }: Trace): string | undefined {
  for (const name of conversations.keys()) if (name !== undefined) return name
  return undefined
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

/** Spans without a parent matter only if they are tools. */
function addLineage({ lineage }: Trace, { id, parent, kind }: Span): void {
  if (id === undefined || lineage.has(id) || (parent === undefined && kind !== 'tool')) return
  lineage.set(id, { parent, kind })
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

function stepsOf({ conversations }: Trace, conversation: string | undefined): Steps {
  const known = conversations.get(conversation)
  if (known) return known
  const steps = noSteps()
  conversations.set(conversation, steps)
  return steps
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
  /** The distinct errors, at most `mostErrors`. */
  errors: Set<string>
}

interface Trace {
  id: string
  facts: TraceFacts
  place: Place
  start: bigint | undefined
  startAt: unknown
  /** By the conversation that the spans name, which may be undefined. */
  conversations: Map<string | undefined, Steps>
  losses: Losses
  /** The parent and kind of each span. */
  lineage: Map<string, { parent: string | undefined; kind: Span['kind'] }>
}

/** The steps of one conversation in one run. */
interface Part {
  trace: Trace
  steps: Steps
  start: bigint | undefined
}

function noSteps(): Steps {
  return { models: new Models(), tools: [], roots: [], errors: new Set() }
}

/** A conversation with its runs, ordered by time. */
interface LoggedConversation {
  id: string
  parts: readonly Part[]
  sourceSystem: string
}

/** The transcript of a conversation and, on request, those of agents that its tools ran. */
function draftsOf({ id, parts, sourceSystem }: LoggedConversation, notes: ReaderContext): ConversationDraft[] {
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
  const main = joined(mains)
  const losses = [...main.losses, ...parts.flatMap(({ trace }) => trace.losses.list())]
  const draft = draftOf({ ...main, losses }, { id, parts, sourceSystem, metadata: {} }, notes, subs.length)
  if (!notes.options.subagents) return [draft]
  const children = subs.map(({ name, thread, part }) => {
    const context = { id: `${id}/${name}`, parts: [part], sourceSystem, metadata: { parent_session: id } }
    return draftOf(thread, context, notes, 0)
  })
  return [draft, ...children]
}

const skippedLosses: readonly (readonly [keyof Skipped, what: string, why: string])[] = [
  ['calls', 'model call with other messages', reasons.notConversation],
  ['runs', 'agent run with other messages', reasons.notConversation],
  ['rewritten', 'rewritten message', 'a longer version of the conversation is kept'],
  ['answers', 'tool call or result that differs from the conversation', 'the version that the model received is kept'],
]

function draftOf(
  thread: TraceThread,
  { id, parts, sourceSystem, metadata }: LoggedConversation & { metadata: JsonObject },
  { options }: ReaderContext,
  subAgents: number,
): ConversationDraft {
  const conversation = new ConversationBuilder(options)
  for (const entry of thread.head) replay(entry, conversation)
  for (const entry of thread.body) replay(entry, conversation)
  conversation.losses.addAll(thread.losses)
  for (const [kind, what, why] of skippedLosses) {
    if (thread.skipped[kind] > 0) conversation.losses.drop(what, why, thread.skipped[kind])
  }
  if (subAgents > 0 && !options.subagents) {
    conversation.losses.drop('conversation of a sub-agent', reasons.subagents, subAgents)
  }
  const first = parts[0]
  const facts = parts.map(({ trace }) => trace.facts)
  const errors = new Set<string>()
  for (const { steps } of parts) for (const error of steps.errors) errors.add(error)
  const traceId = parts.length === 1 && first?.trace.id !== id ? { trace_id: first?.trace.id } : {}
  const all: JsonObject = { ...traceId, ...mergedFacts(facts) }
  if (errors.size > 0) all.errors = [...errors]
  Object.assign(all, metadata)
  return conversation.build({
    name: firstOf(facts, 'name'),
    sourceSystem,
    externalId: id,
    externalUserId: firstOf(facts, 'user'),
    metadata: all,
    sourceTimestamp: conversation.time(first?.trace.facts.at ?? first?.trace.startAt),
    place: first?.trace.place ?? startOfFile,
  })
}

function firstOf(facts: readonly TraceFacts[], field: 'name' | 'user'): string | undefined {
  for (const each of facts) if (each[field] !== undefined) return each[field]
  return undefined
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

/** Join consecutive runs, each of which has the conversation so far or only its new part. */
function joined(threads: readonly TraceThread[]): TraceThread {
  if (threads.length === 1) return threads[0] as TraceThread
  let head: readonly Entry[] = []
  let body: Entry[] = []
  const skipped = { calls: 0, runs: 0, rewritten: 0, answers: 0 }
  for (const thread of threads) {
    if (head.length === 0) head = thread.head
    const next = continueThread(body, thread.body)
    body = next.body
    skipped.calls += thread.skipped.calls
    skipped.runs += thread.skipped.runs
    skipped.answers += thread.skipped.answers
    skipped.rewritten += thread.skipped.rewritten + next.lost
  }
  return { head, body, losses: threads.flatMap((thread) => thread.losses), skipped }
}

const highest = 200

interface Split {
  models: Step[]
  tools: ToolStep[]
  roots: Step[]
  /** Inputs and outputs of agents inside the roots. */
  inner: Step[]
}

function noSplit(): Split {
  return { models: [], tools: [], roots: [], inner: [] }
}

/** Separate the steps inside tool calls from the others. */
function bySubAgent(trace: Trace, steps: Steps): { main: Split; subs: Map<string, Split> } {
  const main = noSplit()
  const subs = new Map<string, Split>()
  const home = (id: string | undefined) => {
    const owner = ownerOf(id, trace)
    if (owner === undefined) return main
    const sub = subs.get(owner) ?? noSplit()
    subs.set(owner, sub)
    return sub
  }
  for (const step of steps.models) home(step.id).models.push(step)
  for (const tool of steps.tools) home(tool.id).tools.push(tool)
  const roots = new Set<string | undefined>()
  for (const { id } of steps.roots) roots.add(id)
  for (const root of steps.roots) {
    const split = home(root.id)
    if (isInside(root.id, roots, trace)) split.inner.push(root)
    else split.roots.push(root)
  }
  return { main, subs }
}

/** The outermost tool above a span. */
function ownerOf(id: string | undefined, { lineage }: Trace): string | undefined {
  let owner: string | undefined
  let above = parentOf(id, lineage)
  for (let step = 0; above !== undefined && step < highest; step++) {
    if (lineage.get(above)?.kind === 'tool') owner = above
    above = parentOf(above, lineage)
  }
  return owner
}

/** True if a root is inside another one of the conversation, but not inside a tool. */
function isInside(id: string | undefined, roots: ReadonlySet<string | undefined>, { lineage }: Trace): boolean {
  let above = parentOf(id, lineage)
  for (let step = 0; above !== undefined && step < highest; step++) {
    if (lineage.get(above)?.kind === 'tool') return false
    if (roots.has(above)) return true
    above = parentOf(above, lineage)
  }
  return false
}

function parentOf(id: string | undefined, lineage: Trace['lineage']): string | undefined {
  return id === undefined ? undefined : lineage.get(id)?.parent
}
