import type { Notes } from './format.js'
import { Losses } from './losses.js'
import { byTime } from './nanos.js'
import { type Span, stepOf } from './span.js'
import { noSteps, type Steps, type TalkPart, type Trace, type TraceFacts } from './trace.js'
import { draftsOfTalk } from './trace-talk.js'
import type { Draft, Place } from './turn.js'

/** Collects the spans of a log, in any order, and makes a transcript of each talk. */
export class TraceLog {
  /** The number of calls of models, with or without content. */
  models = 0
  readonly #traces = new Map<string, Trace>()

  add(span: Span): void {
    const trace = this.#trace(span.trace, span.place)
    descend(trace, span)
    if (trace.start === undefined || (span.start !== undefined && span.start < trace.start)) {
      trace.start = span.start
      trace.startAt = span.startAt
    }
    if (span.error !== undefined) noteError(stepsOf(trace, span.conversation), span.error, trace.unread)
    if (span.kind === 'model') {
      this.models++
      stepsOf(trace, span.conversation).models.add(stepOf(span))
    } else if (span.kind === 'tool' && span.tool) {
      const about = { place: span.place, at: span.endAt }
      const { id, start, tool } = span
      stepsOf(trace, span.conversation).tools.push({ id, start, tool, about })
    } else {
      const step = span.kind === 'agent' || span.parent === undefined ? stepOf(span) : undefined
      if (step && step.body.length > 0) stepsOf(trace, span.conversation).roots.push(step)
      else if (span.isFilled) trace.unread.add('dropped', 'span of other work', 'calls of models and tools are read')
    }
  }

  /** The losses of a run that are reported with its conversation. A reader counts unread fields of spans here. */
  unread(id: string, place: Place): Losses {
    return this.#trace(id, place).unread
  }

  /** Notes what is known of a run; what was known before stays. */
  tell(id: string, facts: TraceFacts, place: Place): void {
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

  /** The transcripts of all talks, those without a word among them; the log is empty afterwards. */
  drafts(sourceSystem: string, notes: Notes): Draft[] {
    const talks = new Map<string, { id: string; parts: TalkPart[] }>()
    for (const trace of this.#traces.values()) {
      const own = trace.facts.conversation ?? conversationIn(trace)
      adopt(trace, own)
      for (const [name, steps] of trace.talks) {
        const talk = talkOf(talks, name ?? own, trace.id)
        talk.parts.push({ trace, steps, start: trace.start })
      }
    }
    this.#traces.clear()
    return [...talks.values()].flatMap(({ id, parts }) =>
      draftsOfTalk({ id, parts: parts.sort(byTime), sourceSystem }, notes),
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
      talks: new Map(),
      unread: new Losses(),
      lineage: new Map(),
    }
    this.#traces.set(id, trace)
    return trace
  }
}

function talkOf(
  talks: Map<string, { id: string; parts: TalkPart[] }>,
  conversation: string | undefined,
  trace: string,
) {
  const key = conversation === undefined ? `trace ${trace}` : `talk ${conversation}`
  const talk = talks.get(key) ?? { id: conversation ?? trace, parts: [] }
  talks.set(key, talk)
  return talk
}

/** The first talk that spans name. */
function conversationIn({ talks }: Trace): string | undefined {
  for (const name of talks.keys()) if (name !== undefined) return name
  return undefined
}

/** Steps whose spans name no talk belong to that of their run. */
function adopt(trace: Trace, conversation: string | undefined): void {
  const nameless = trace.talks.get(undefined)
  const named = conversation === undefined ? undefined : trace.talks.get(conversation)
  if (nameless === undefined || named === undefined) return
  for (const step of nameless.models) named.models.add(step)
  for (const tool of nameless.tools) named.tools.push(tool)
  for (const root of nameless.roots) named.roots.push(root)
  for (const error of nameless.errors) named.errors.add(error)
  trace.talks.delete(undefined)
}

/** A span without a parent is only remembered if it is a tool. */
function descend({ lineage }: Trace, { id, parent, kind }: Span): void {
  if (id === undefined || lineage.has(id) || (parent === undefined && kind !== 'tool')) return
  lineage.set(id, { parent, kind })
}

const mostErrors = 20
const longestError = 500

function noteError({ errors }: Steps, error: string, losses: Losses): void {
  const short = error.length > longestError ? `${error.slice(0, longestError)}…` : error
  if (errors.has(short)) return
  if (errors.size === mostErrors) losses.add('dropped', 'error of a span', `metadata holds ${mostErrors} of them`)
  else errors.add(short)
  if (short !== error) losses.add('cut', `error over ${longestError} characters`, 'metadata holds short facts')
}

function stepsOf({ talks }: Trace, conversation: string | undefined): Steps {
  const known = talks.get(conversation)
  if (known) return known
  const steps = noSteps()
  talks.set(conversation, steps)
  return steps
}
