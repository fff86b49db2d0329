import { findWords } from './annotator-patterns.js'
import { judgeStructure } from './annotator-structural.js'
import type { Clock } from './clock.js'
import type { Annotations, StoredTranscript } from './records.js'
import { isObject } from './shape.js'
import { worseOf } from './signals.js'
import type { SignalHit, Transcript, Turn } from './types.js'
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
  /** Ends what is under way. */
  stop(): void
}

/**
 * The rules are functions of the turns, so they are run when somebody looks, and remembered; an upload pays nothing for
 * them. A model of the caller's is run after the upload, and its answer is kept in the world.
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
    const findings = found.get(transcript) ?? judge(transcript.turns)
    found.set(transcript, findings)
    return findings
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
    annotationsOf(transcript) {
      const { annotations, analysed, record } = transcript
      if (!analysed) return annotations
      const now = clock.now()
      const createdAt = Date.parse(record.created_at)
      if (now < createdAt + afterMs) return annotations
      const { structure, standIn, words } = findingsOf(transcript)
      const modelAt = transcript.model?.at ?? (model && !failed.has(transcript) ? undefined : createdAt + 2 * afterMs)
      if (modelAt === undefined || now < modelAt) return merged(structure, annotations)
      const ofModel = transcript.model?.annotations ?? (model ? {} : standIn)
      if (now < modelAt + afterMs) return merged(structure, ofModel, annotations)
      return merged(structure, ofModel, words, annotations)
    },
    stop: () => stopped.abort(),
  }
}

/** What the rules find in the turns of a transcript. */
interface Findings {
  structure: Annotations
  standIn: Annotations
  words: Annotations
}

function judge(turns: readonly Turn[]): Findings {
  const structure = judgeStructure(turns)
  const words = findWords(turns)
  const { title, keywords, user_intent, domain, quality_concerns } = structure.summary
  return {
    structure: { structure: structure.outcome, ...flags(structure.signals), signals: structure.signals },
    standIn: {
      outcome: worseOf(structure.outcome, words.outcome),
      title,
      keywords,
      user_intent,
      domain,
      quality_concerns,
    },
    words: { patterns: words.outcome, ...flags(words.signals), signals: words.signals },
  }
}

/** What a model gives, as JSON holds it: with a store and without one it is the same. */
function asKept(given: unknown): Annotations {
  const kept: unknown = JSON.parse(JSON.stringify(given) ?? 'null')
  if (isObject(kept)) return kept
  throw new TypeError('A model must give an object of annotations.')
}

/** A signal that fired can be searched for: `annotation=tool_error:true`. */
const flags = (signals: Readonly<Record<string, SignalHit>>): Annotations =>
  Object.fromEntries(Object.keys(signals).map((name) => [name, true]))

/** Later parts over earlier ones; their `signals` are joined. */
function merged(...parts: readonly Annotations[]): Annotations {
  const signals = Object.assign({}, ...parts.map((part) => part.signals).filter(isObject))
  return Object.assign({}, ...parts, { signals })
}
