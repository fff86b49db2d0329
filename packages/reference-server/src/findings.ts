import { findPhrases, wordedOutcome } from './annotator-patterns.js'
import { findStructure, structuralOutcome } from './annotator-structural.js'
import { type Conversation, conversationOf } from './conversation.js'
import type { Annotations } from './records.js'
import { hitsOf, type Signals, worseOf } from './signals.js'
import { domainOf, keywordsOf, qualityConcernsOf, titleOf, userIntentOf } from './summary.js'
import type { Outcome, Turn } from './types.js'

/** The steps of the pipeline, in their order. Where no model is plugged in, rules stand in for it. */
export const steps = ['structure', 'model', 'words'] as const

export type Step = (typeof steps)[number]

/** The annotations that the rules find in the turns of a transcript. The signals are computed once. */
export class Findings {
  readonly #turns: readonly Turn[]
  #shape: Signals | undefined
  #phrases: Signals | undefined

  constructor(turns: readonly Turn[]) {
    this.#turns = turns
  }

  get conversation(): Conversation {
    return conversationOf(this.#turns)
  }

  get shape(): Signals {
    this.#shape ??= findStructure(this.conversation)
    return this.#shape
  }

  get structure(): Outcome {
    return structuralOutcome(this.conversation, this.shape)
  }

  get phrases(): Signals {
    this.#phrases ??= findPhrases(this.conversation)
    return this.#phrases
  }

  get patterns(): Outcome {
    return wordedOutcome(this.conversation, this.phrases)
  }

  /** All annotations of a step. */
  all(step: Step): Annotations {
    if (step === 'structure') return { structure: this.structure, ...flags(this.shape), signals: hitsOf(this.shape) }
    if (step === 'words') return { patterns: this.patterns, ...flags(this.phrases), signals: hitsOf(this.phrases) }
    return Object.fromEntries(Object.entries(standIn).map(([key, find]) => [key, find(this)]))
  }

  /** One annotation of a step; undefined if the step has none under this key. A search does not wait for the other keys. */
  one(step: Step, key: string): unknown {
    if (step === 'model') return Object.hasOwn(standIn, key) ? standIn[key]?.(this) : undefined
    const all = this.all(step)
    return Object.hasOwn(all, key) ? all[key] : undefined
  }
}

/** The rules in place of a model. */
const standIn: Readonly<Record<string, (findings: Findings) => unknown>> = {
  outcome: ({ structure, patterns }) => worseOf(structure, patterns),
  title: ({ conversation }) => titleOf(conversation),
  keywords: ({ conversation }) => keywordsOf(conversation),
  user_intent: ({ conversation }) => userIntentOf(conversation),
  domain: ({ conversation }) => domainOf(conversation),
  quality_concerns: ({ shape }) => qualityConcernsOf(shape),
}

/** A fired signal can be searched for: `annotation=tool_error:true`. */
const flags = (signals: Signals): Annotations => Object.fromEntries(Object.keys(signals).map((name) => [name, true]))
