import type { Notes } from './format.js'
import type { JsonObject } from './json.js'
import { type Entry, play } from './recorder.js'
import type { Step, ToolStep } from './span.js'
import { Talk } from './talk.js'
import type { Steps, TalkPart, Trace, TraceFacts } from './trace.js'
import { continued } from './trace-merge.js'
import { type Beside, type TraceThread, threadOfSteps } from './trace-thread.js'
import type { Draft } from './turn.js'

/** A talk of a log: the runs that belong to it, in the order of time. */
export interface LoggedTalk {
  id: string
  parts: readonly TalkPart[]
  sourceSystem: string
}

/** The transcript of a talk and, if they are asked for, those of the agents that its tools ran. */
export function draftsOfTalk({ id, parts, sourceSystem }: LoggedTalk, notes: Notes): Draft[] {
  const mains: TraceThread[] = []
  const subs: { name: string; thread: TraceThread; part: TalkPart }[] = []
  for (const part of parts) {
    const split = bySubAgent(part.trace, part.steps)
    mains.push(threadOfSteps(split.main))
    for (const [name, sub] of split.subs) {
      const thread = threadOfSteps(sub)
      if (thread.body.length > 0) subs.push({ name, thread, part })
    }
  }
  const main = joined(mains)
  const losses = [...main.losses, ...parts.flatMap(({ trace }) => trace.unread.list())]
  const draft = draftOf({ ...main, losses }, { id, parts, sourceSystem, metadata: {} }, notes, subs.length)
  if (!notes.options.subagents) return [draft]
  const children = subs.map(({ name, thread, part }) => {
    const about = { id: `${id}/${name}`, parts: [part], sourceSystem, metadata: { parent_session: id } }
    return draftOf(thread, about, notes, 0)
  })
  return [draft, ...children]
}

const besides: readonly (readonly [keyof Beside, string, string])[] = [
  ['calls', 'call of a model beside the talk', 'it has other messages than the talk'],
  ['runs', 'run of an agent beside the talk', 'it has other messages than the talk'],
  ['otherwise', 'message of a talk that was told again otherwise', 'the longer account of the talk counts'],
  ['answers', 'call or answer of a tool that the talk tells otherwise', 'what the model was given counts'],
]

function draftOf(
  thread: TraceThread,
  { id, parts, sourceSystem, metadata }: LoggedTalk & { metadata: JsonObject },
  { options }: Notes,
  subAgents: number,
): Draft {
  const talk = new Talk(options)
  for (const entry of thread.head) play(entry, talk)
  for (const entry of thread.body) play(entry, talk)
  talk.losses.addAll(thread.losses)
  for (const [kind, what, why] of besides) {
    if (thread.beside[kind] > 0) talk.losses.add('dropped', what, why, thread.beside[kind])
  }
  if (subAgents > 0 && !options.subagents) {
    talk.losses.add('dropped', 'talk of a sub-agent', 'it is left out unless asked for', subAgents)
  }
  const first = parts[0]
  const facts = parts.map(({ trace }) => trace.facts)
  const errors = new Set<string>()
  for (const { steps } of parts) for (const error of steps.errors) errors.add(error)
  const traceId = parts.length === 1 && first?.trace.id !== id ? { trace_id: first?.trace.id } : {}
  const all: JsonObject = { ...traceId, ...mergedFacts(facts) }
  if (errors.size > 0) all.errors = [...errors]
  Object.assign(all, metadata)
  return talk.draft({
    name: firstOf(facts, 'name'),
    sourceSystem,
    externalId: id,
    externalUserId: firstOf(facts, 'user'),
    metadata: all,
    sourceTimestamp: talk.time(first?.trace.facts.at ?? first?.trace.startAt),
    place: first?.trace.place ?? { record: 1, offset: 0, pointer: '' },
  })
}

function firstOf(facts: readonly TraceFacts[], field: 'name' | 'user'): string | undefined {
  for (const each of facts) if (each[field] !== undefined) return each[field]
  return undefined
}

const mostFacts = 100

/** The facts of the runs of a conversation: lists such as scores are joined, of other values the first counts. */
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

/** Runs that follow each other in one talk: each has the talk so far, or only what is new. */
function joined(threads: readonly TraceThread[]): TraceThread {
  if (threads.length === 1) return threads[0] as TraceThread
  let head: readonly Entry[] = []
  let body: Entry[] = []
  const beside = { calls: 0, runs: 0, otherwise: 0, answers: 0 }
  for (const thread of threads) {
    if (head.length === 0) head = thread.head
    const next = continued(body, thread.body)
    body = next.body
    beside.calls += thread.beside.calls
    beside.runs += thread.beside.runs
    beside.answers += thread.beside.answers
    beside.otherwise += thread.beside.otherwise + next.lost
  }
  return { head, body, losses: threads.flatMap((thread) => thread.losses), beside }
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

/** Parts what happened inside the call of a tool from the rest. */
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

/** True if a root stands in another of the same talk, which tells as much; one in a tool is of its own. */
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
