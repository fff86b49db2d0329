import type { Clock } from '../clock.js'
import type { Transcript, Turn } from '../types.js'
import { isObject } from '../validation/index.js'
import type { Annotations, StoredTranscript, World } from '../world/index.js'
import {
  domainOf,
  keywordsOf,
  qualityConcernsOf,
  readConversation,
  type Signals,
  signalHits,
  titleOf,
  userIntentOf,
  worseOutcome,
} from './conversation.js'
import { findPatternSignals, patternOutcome } from './patterns.js'
import { findStructuralSignals, structuralOutcome } from './structural.js'

/** Annotates one transcript with a model of your own. What it gives is merged into the transcript's annotations. */
export type ModelAnnotator = (
  transcript: { readonly record: Transcript; readonly turns: readonly Turn[] },
  context: { signal: AbortSignal },
) => Annotations | Promise<Annotations>

/** What happens to an upload with `process: true`: structural annotation, model-based annotation, pattern detection. */
export interface PipelineOptions {
  /** How long each of the three takes, in milliseconds of the server's clock. Default 0: all shows with the next read. */
  afterMs?: number
  /** The model-based annotation. Default: a stand-in by rule, the same for the same turns. Its errors go to `onError`. */
  model?: ModelAnnotator
}

/** The pipeline of one server. */
export interface Pipeline {
  /** Takes a transcript whose job was submitted. */
  start(transcript: StoredTranscript): void
  /** What is annotated of a transcript by now. */
  annotationsOf(transcript: StoredTranscript): Annotations
  /** The annotation of one key by now, undefined where there is none; no more is judged than it needs. */
  annotationOf(transcript: StoredTranscript, key: string): unknown
  /** Ends what is under way. */
  stop(): void
}

/**
 * The rules are functions of the turns: the first read or search runs them. A model of the caller runs after the upload, and
 * its answer is kept in the world.
 */
export function createPipeline(
  world: World,
  clock: Clock,
  { afterMs = 0, model }: PipelineOptions,
  onError: (error: unknown) => void,
): Pipeline {
  const found = new WeakMap<StoredTranscript, readonly Annotations[]>()
  const failed = new WeakSet<StoredTranscript>()
  const stopped = new AbortController()

  /** How many of the steps show by now. */
  const shownOf = (transcript: StoredTranscript): number => {
    const { analysed, record } = transcript
    if (!analysed) return 0
    const now = clock.now()
    const createdAt = Date.parse(record.created_at)
    if (now < createdAt + afterMs) return 0
    const modelAt = transcript.model?.at ?? (model && !failed.has(transcript) ? undefined : createdAt + 2 * afterMs)
    if (modelAt === undefined || now < modelAt) return 1
    return now < modelAt + afterMs ? 2 : 3
  }

  /** The annotations that show by now, one object for each step; the latter go over the former. */
  const partsOf = (transcript: StoredTranscript): readonly Annotations[] => {
    const shown = shownOf(transcript)
    if (shown === 0) return [transcript.annotations]
    const steps = found.get(transcript) ?? stepsOf(transcript.turns)
    found.set(transcript, steps)
    const [structure = {}, standIn = {}, words = {}] = steps
    // The answer of a model, also where it gave none; the rules stand in where there is no model.
    const ofModel = transcript.model?.annotations ?? (model ? {} : standIn)
    return [...[structure, ofModel, words].slice(0, shown), transcript.annotations]
  }

  const annotationsOf = (transcript: StoredTranscript): Annotations => {
    const parts = partsOf(transcript)
    return parts.length === 1 ? transcript.annotations : merged(parts)
  }

  const annotationOf = (transcript: StoredTranscript, key: string): unknown => {
    // The one annotation that is joined of several.
    if (key === 'signals') return annotationsOf(transcript).signals
    return partsOf(transcript).findLast((part) => Object.hasOwn(part, key))?.[key]
  }

  async function runModel(annotate: ModelAnnotator, transcript: StoredTranscript): Promise<void> {
    try {
      const { record, turns } = transcript
      const annotations = asKept(await annotate({ record, turns }, { signal: stopped.signal }))
      const due = Date.parse(record.created_at) + 2 * afterMs
      // The world may have been emptied meanwhile.
      if (stopped.signal.aborted || world.transcript(record.id) !== transcript) return
      world.setModel(transcript, { at: Math.max(due, clock.now()), annotations })
    } catch (error) {
      failed.add(transcript)
      if (!stopped.signal.aborted) onError(error)
    }
  }

  return {
    start(transcript) {
      if (model && !transcript.model) void runModel(model, transcript)
    },
    annotationsOf,
    annotationOf,
    stop: () => stopped.abort(),
  }
}

/** What a model gives, as JSON holds it: with a store and without one it is the same. */
function asKept(given: unknown): Annotations {
  const kept: unknown = JSON.parse(JSON.stringify(given) ?? 'null')
  if (isObject(kept)) return kept
  throw new TypeError('A model must give an object of annotations.')
}

/** Later parts over earlier ones; their `signals` are joined. */
function merged(parts: readonly Annotations[]): Annotations {
  const signals = Object.assign({}, ...parts.map((part) => part.signals).filter(isObject))
  return Object.assign({}, ...parts, { signals })
}

/** What the rules find in the turns of a transcript: structural annotation, the stand-in for a model, pattern detection. */
function stepsOf(turns: readonly Turn[]): readonly Annotations[] {
  const conversation = readConversation(turns)
  const shape = findStructuralSignals(conversation)
  const phrases = findPatternSignals(conversation)
  const structure = structuralOutcome(conversation, shape)
  const patterns = patternOutcome(conversation, phrases)
  const standIn = {
    outcome: worseOutcome(structure, patterns),
    quality_concerns: qualityConcernsOf(shape),
    title: titleOf(conversation),
    user_intent: userIntentOf(conversation),
    // Computed where they are read: a search by another key needs neither.
    get keywords() {
      return keywordsOf(readConversation(turns))
    },
    get domain() {
      return domainOf(readConversation(turns))
    },
  }
  return [
    { structure, ...flags(shape), signals: signalHits(shape) },
    standIn,
    { patterns, ...flags(phrases), signals: signalHits(phrases) },
  ]
}

/** A fired signal can be searched for: `annotation=tool_error:true`. */
const flags = (signals: Signals): Annotations => Object.fromEntries(Object.keys(signals).map((name) => [name, true]))
