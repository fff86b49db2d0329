import type { JsonObject } from './json.js'
import type { Losses } from './losses.js'
import type { Span, Step, ToolStep } from './span.js'
import { Models } from './trace-models.js'
import type { Place } from './turn.js'

/** Facts of a run beside its steps. */
export interface TraceFacts {
  name?: string | undefined
  user?: string | undefined
  conversation?: string | undefined
  at?: unknown
  metadata?: JsonObject | undefined
}

/** The steps of one talk in a run. */
export interface Steps {
  models: Models
  tools: ToolStep[]
  /** Inputs and outputs of the run as a whole, and of agents in it. */
  roots: Step[]
  /** Why steps failed, each once, and no more of them than metadata has room for. */
  errors: Set<string>
}

/** One run of a logged program. */
export interface Trace {
  id: string
  facts: TraceFacts
  place: Place
  start: bigint | undefined
  startAt: unknown
  /** By the talk that the spans name; those that name none under undefined. */
  talks: Map<string | undefined, Steps>
  /** Unread fields of its spans. */
  unread: Losses
  /** Each span's parent and kind. */
  lineage: Map<string, { parent: string | undefined; kind: Span['kind'] }>
}

/** The steps of one run that belong to one talk. */
export interface TalkPart {
  trace: Trace
  steps: Steps
  start: bigint | undefined
}

export function noSteps(): Steps {
  return { models: new Models(), tools: [], roots: [], errors: new Set() }
}
