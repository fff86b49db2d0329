import type { Clock } from './clock.js'
import { Findings, type Step, steps } from './findings.js'
import type { Annotations, StoredTranscript } from './records.js'
import { isObject } from './shape.js'
import type { Transcript, Turn } from './types.js'
import type { World } from './world.js'

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
  take(transcript: StoredTranscript): void
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
  const found = new WeakMap<StoredTranscript, Findings>()
  const failed = new WeakSet<StoredTranscript>()
  const stopped = new AbortController()

  const findingsOf = (transcript: StoredTranscript): Findings => {
    const known = found.get(transcript)
    if (known) return known
    const findings = new Findings(transcript.turns)
    found.set(transcript, findings)
    return findings
  }

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

  /** The answer of a model, also where it gave none; undefined where the rules stand in for it. */
  const ofModel = (transcript: StoredTranscript): Annotations | undefined =>
    transcript.model?.annotations ?? (model ? {} : undefined)

  const insteadOf = (step: Step, transcript: StoredTranscript) => (step === 'model' ? ofModel(transcript) : undefined)

  const annotationsOf = (transcript: StoredTranscript): Annotations => {
    const shown = steps.slice(0, shownOf(transcript))
    if (shown.length === 0) return transcript.annotations
    const parts = shown.map((step) => insteadOf(step, transcript) ?? findingsOf(transcript).all(step))
    return merged(...parts, transcript.annotations)
  }

  const annotationOf = (transcript: StoredTranscript, key: string): unknown => {
    const { annotations } = transcript
    const shown = shownOf(transcript)
    // The one annotation that is joined of several.
    if (key === 'signals' && shown > 0) return annotationsOf(transcript).signals
    if (Object.hasOwn(annotations, key)) return annotations[key]
    // From the last, as it goes over those before.
    for (const step of steps.slice(0, shown).toReversed()) {
      const instead = insteadOf(step, transcript)
      if (instead && Object.hasOwn(instead, key)) return instead[key]
      const found = instead ? undefined : findingsOf(transcript).one(step, key)
      if (found !== undefined) return found
    }
    return undefined
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
    take(transcript) {
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
function merged(...parts: readonly Annotations[]): Annotations {
  const signals = Object.assign({}, ...parts.map((part) => part.signals).filter(isObject))
  return Object.assign({}, ...parts, { signals })
}
