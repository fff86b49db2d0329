import type { Clock } from '../clock.js'
import type { Message, Transcript, Turn } from '../types.js'
import { isObject } from '../validation/index.js'
import type { Annotations, StoredTranscript, World } from '../world/index.js'
import {
  domainOf,
  isBlank,
  keywordsOf,
  qualityConcernsOf,
  readConversation,
  type Signals,
  signalHits,
  titleOf,
  userIntentOf,
  worseOutcome,
} from './conversation.js'
import { findPatterns } from './patterns.js'
import { findStructure } from './structural.js'

/** Annotate a transcript with a model. Its result is merged into the annotations of the transcript. */
export type ModelAnnotator = (
  transcript: { readonly record: Transcript; readonly turns: readonly Turn[] },
  context: { signal: AbortSignal },
) => Annotations | Promise<Annotations>

/** The processing of an upload with `process: true`: structural annotation, model-based annotation, pattern detection. */
export interface PipelineOptions {
  /** The duration of each step, in milliseconds of the server's clock. Default 0: the next read shows all annotations. */
  afterMs?: number
  /** The model-based annotation. Default: a rule-based one, deterministic by the turns. Its errors go to `onError`. */
  model?: ModelAnnotator
}

export interface Pipeline {
  /** Annotate a transcript whose job was submitted. */
  start(transcript: StoredTranscript): void
  annotationsOf(transcript: StoredTranscript): Annotations
  /** One annotation that shows at a time, in milliseconds since the epoch. It computes no more than it needs. */
  annotationOf(transcript: StoredTranscript, key: string, at: number): unknown
  stop(): void
}

/** Create the pipeline: rules run on the first read of a transcript, a model after the upload. */
export function createPipeline(
  world: World,
  clock: Clock,
  { afterMs = 0, model }: PipelineOptions,
  onError: (error: unknown) => void,
): Pipeline {
  const ruleSteps = new WeakMap<StoredTranscript, readonly Annotations[]>()
  const failed = new WeakSet<StoredTranscript>()
  const stopped = new AbortController()

  const stepsDone = (transcript: StoredTranscript, now: number): number => {
    if (!transcript.analysed) return 0
    const storedAt = world.storedAt(transcript)
    if (now < storedAt + afterMs) return 0
    const modelAt = transcript.model?.at ?? (model && !failed.has(transcript) ? undefined : storedAt + 2 * afterMs)
    if (modelAt === undefined || now < modelAt) return 1
    return now < modelAt + afterMs ? 2 : 3
  }

  /** The annotations of each step that is done, then those of the transcript; later ones override earlier ones. */
  const partsOf = (transcript: StoredTranscript, now: number): readonly Annotations[] => {
    const done = stepsDone(transcript, now)
    if (done === 0) return [transcript.annotations]
    const steps = ruleSteps.get(transcript) ?? annotateByRules(transcript.turns)
    ruleSteps.set(transcript, steps)
    const [structure = {}, modelRules = {}, patterns = {}] = steps
    const fromModel = transcript.model?.annotations ?? (model ? {} : modelRules)
    return [...[structure, fromModel, patterns].slice(0, done), transcript.annotations]
  }

  const annotationsAt = (transcript: StoredTranscript, now: number): Annotations => {
    const parts = partsOf(transcript, now)
    if (parts.length === 1) return transcript.annotations
    const signals = Object.assign({}, ...parts.map((part) => part.signals).filter(isObject))
    return Object.assign({}, ...parts, { signals })
  }

  async function runModel(annotate: ModelAnnotator, transcript: StoredTranscript): Promise<void> {
    try {
      const { record, turns } = transcript
      const annotations = toJson(await annotate({ record, turns }, { signal: stopped.signal }))
      const dueAt = world.storedAt(transcript) + 2 * afterMs
      // The server may have been reset meanwhile.
      if (stopped.signal.aborted || world.transcript(record.id) !== transcript) return
      world.setModel(transcript, { at: Math.max(dueAt, clock.now()), annotations })
    } catch (error) {
      failed.add(transcript)
      if (!stopped.signal.aborted) onError(error)
    }
  }

  return {
    start(transcript) {
      if (model && !transcript.model) void runModel(model, transcript)
    },
    annotationsOf: (transcript) => annotationsAt(transcript, clock.now()),
    annotationOf(transcript, key, at) {
      if (key === 'signals') return annotationsAt(transcript, at).signals
      return partsOf(transcript, at).findLast((part) => Object.hasOwn(part, key))?.[key]
    },
    stop: () => stopped.abort(),
  }
}

/** A model's result as JSON, the same with a store and without one. */
function toJson(result: unknown): Annotations {
  const json: unknown = JSON.parse(JSON.stringify(result) ?? 'null')
  if (isObject(json)) return json
  throw new TypeError('A model must return an object of annotations.')
}

/**
 * A turn as a message to annotate: its calls are part of its text, and its results are that where it has none. Nobody sees a
 * turn without a text of its own, which is a marker in an upload of svc, or one that its metadata says is hidden.
 */
function messageOf({ role, content, toolCalls, toolResults, metadata }: Turn): Message {
  const line = (label: string, value: unknown) =>
    `${label} ${typeof value === 'string' ? value : JSON.stringify(value)}`
  const calls = (toolCalls ?? []).map(({ name, args }) => line(`[tool_call ${name}]`, args))
  const results = (toolResults ?? []).map(({ name, result }) => line(`[tool_result ${name}]`, result))
  const isMarker = metadata?.synthetic_content === true
  const hasOnlyTools = calls.length + results.length > 0 && (isMarker || isBlank(content))
  const text = hasOnlyTools ? results : [content]
  const isShown = !isMarker && !hasOnlyTools && metadata?.is_user_visible !== false
  return { role, content: [...text, ...calls].join('\n'), is_user_visible: isShown }
}

function annotateByRules(turns: readonly Turn[]): readonly Annotations[] {
  const messages = turns.map(messageOf)
  const conversation = readConversation(messages)
  const structure = findStructure(conversation)
  const patterns = findPatterns(conversation)
  return [
    { structure: structure.outcome, ...flags(structure.signals), signals: signalHits(structure.signals) },
    {
      outcome: worseOutcome(structure.outcome, patterns.outcome),
      quality_concerns: qualityConcernsOf(structure.signals),
      title: titleOf(conversation),
      user_intent: userIntentOf(conversation),
      // Getters: a search by another key needs neither.
      get keywords() {
        return keywordsOf(readConversation(messages))
      },
      get domain() {
        return domainOf(readConversation(messages))
      },
    },
    { patterns: patterns.outcome, ...flags(patterns.signals), signals: signalHits(patterns.signals) },
  ]
}

/** Lets a search find a signal: `annotation=tool_error:true`. */
const flags = (signals: Signals): Annotations => Object.fromEntries(Object.keys(signals).map((name) => [name, true]))
