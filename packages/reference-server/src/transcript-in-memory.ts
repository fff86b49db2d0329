import type { AnnotationsRow, StoredTranscript, TranscriptRow } from './records.js'
import { remembered } from './remembered.js'
import { isShort, probeOf, type Sketch, Sketches } from './sketch.js'
import { fold, isAscii, together } from './text.js'

/** A transcript in memory, from what is kept of it, with the sketch of its turns where they were just uploaded. */
export const assemble = (
  row: TranscriptRow,
  turns: StoredTranscript['turns'],
  annotated: AnnotationsRow,
  sketch?: Sketch,
): StoredTranscript => new TranscriptInMemory(row, turns, annotated, sketch)

/** A class, so that what only a search needs is made by the first search that cannot do without. */
class TranscriptInMemory implements StoredTranscript {
  readonly workspace: string
  readonly projectId: string
  readonly record: StoredTranscript['record']
  readonly turns: StoredTranscript['turns']
  annotations: StoredTranscript['annotations']
  readonly analysed: boolean
  model: StoredTranscript['model']
  /** Notes, and no part of what is kept: out of a store the same transcript comes without them. */
  #sketch: Sketch | undefined
  /** The contents of many turns in few texts, made by the upload and gone once they are folded. */
  #texts: readonly string[] | undefined
  #verdict: StoredTranscript['verdict']
  #folded: readonly string[] | undefined

  constructor(
    { workspace, projectId, record, analysed }: TranscriptRow,
    turns: StoredTranscript['turns'],
    { annotations, model }: AnnotationsRow,
    sketch: Sketch | undefined,
  ) {
    this.workspace = workspace
    this.projectId = projectId
    this.record = record
    this.analysed = analysed
    this.turns = turns
    this.annotations = annotations
    this.model = model
    this.#sketch = sketch
    this.#texts = sketch && turns.length >= manyTurns ? together(contentsOf(turns)) : undefined
  }

  get sketch(): Sketch | undefined {
    return this.#sketch
  }

  get verdict(): StoredTranscript['verdict'] {
    return this.#verdict
  }

  set verdict(verdict: StoredTranscript['verdict']) {
    this.#verdict = verdict
  }

  get sourceMs(): number | null {
    const { source_timestamp } = this.record
    // In the form of `toIso`, which Date.parse reads.
    return source_timestamp === null ? null : Date.parse(source_timestamp)
  }

  holds(term: string): boolean {
    const { probe, pattern, isCaseless } = lookFor(term)
    if (!this.#sketch && !isShort(this.turns)) this.#sketch = sketches.of(this.turns)
    if (this.#sketch?.mayHold(probe) === false) return false
    if (!this.#folded) {
      for (const text of this.#texts ?? contentsOf(this.turns)) if (pattern.test(text)) return true
      if (isCaseless) return false
      // Turn by turn: a letter that folding takes beyond Latin-1, such as µ, takes its text along.
      this.#folded = together(contentsOf(this.turns).map(fold))
      this.#texts = undefined
    }
    for (const text of this.#folded) if (text.includes(term)) return true
    return false
  }
}

/** To come to so many contents takes a search longer than to go through them. */
const manyTurns = 16

const contentsOf = (turns: StoredTranscript['turns']): string[] => turns.map(({ content }) => content)

/** Of what was not just uploaded, but came out of a store. */
const sketches = new Sketches()

/** All transcripts of a project are asked for one term. */
const lookFor = remembered((term: string) => ({
  probe: probeOf(term),
  pattern: patternOf(term),
  isCaseless: caseless.test(term),
}))

/** Matches some of what is found folded, and nothing else: a word of ASCII in any case, and with ß; others in lower case. */
function patternOf(term: string): RegExp {
  const lower = term.toLowerCase()
  if (fold(lower) !== term) return nowhere
  const source = lower.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return isAscii(term) ? new RegExp(source.replaceAll('ss', '(?:ss|ß)'), 'i') : new RegExp(source)
}

/** Letters that folding neither changes nor makes, such as those of Chinese. */
const caseless = /^\p{Lo}+$/u
const nowhere = /(?!)/
