import type { AnyFormatId } from '../formats/index.js'
import {
  type ConversationDraft,
  Losses,
  type Place,
  type Problem,
  reasons,
  type Tally,
  type UnreadText,
} from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { Attribution } from './attribution.js'
import { draftsAround } from './drafts-around.js'
import type { ParseOptions } from './options.js'
import { type Details, type ProblemPlaces, reasonNoConversation, unreadMessages, withCosts } from './problems.js'
import type { Reported, Step, Traits } from './reading.js'
import { countUnread } from './unread.js'

/** Bounds the memory that the problems of one file take. */
const maxProblems = 10_000

/** Makes transcripts of what is read, and keeps back each that a problem costs. */
export class Emission {
  /** The empty transcripts of an export that has others, and the failed requests of a batch. */
  readonly skipped: Problem[] = []
  readonly #options: ParseOptions
  readonly #places: ProblemPlaces
  readonly #tally: Tally
  readonly #problems: Problem[] = []
  readonly #attribution = new Attribution()
  /** Losses of the file itself; the next transcript reports them. */
  #fileLosses = new Losses()
  #complete: Transcript[] = []
  #hasTranscripts = false

  constructor(options: ParseOptions, places: ProblemPlaces, tally: Tally) {
    this.#options = options
    this.#places = places
    this.#tally = tally
  }

  get hasProblems(): boolean {
    return this.#problems.length > 0
  }

  get hasTranscripts(): boolean {
    return this.#hasTranscripts
  }

  /** True once nothing more is to be read. */
  get hasEnoughProblems(): boolean {
    return this.#isFull || (this.#options.stopAtFirst === true && this.hasProblems)
  }

  get #isFull(): boolean {
    return this.#problems.length >= maxProblems
  }

  /** The problems so far, each with the conversations that it costs. */
  get problems(): Problem[] {
    const all = withCosts(this.#problems, (problem) => this.#attribution.isUncertain(problem))
    const last = all.at(-1)
    if (this.#isFull && last) last.hidesMore = true
    return all
  }

  /** The transcripts that are complete since the last call. */
  take(): Transcript[] {
    const complete = this.#complete
    this.#complete = []
    return complete
  }

  report(message: string, place: Place, details?: Details): void {
    this.#problems.push(this.#places.problem(message, place, details))
  }

  addLosses(losses: Step['losses']): void {
    this.#fileLosses.addAll(losses)
  }

  /** Make transcripts of what is complete. */
  add(step: Step, traits: Traits): void {
    for (const _ of this.addEach(step, traits));
  }

  /** Make transcripts of what is complete, and stop after each. */
  *addEach(step: Step, traits: Traits): Generator<void> {
    for (const reported of step.reported) this.#addReported(reported)
    this.skipped.push(...step.skipped)
    this.addLosses(step.losses)
    for (const draft of this.#givable(step, traits)) {
      if (step.isLast && this.hasEnoughProblems) return
      this.#addDraft(draft, step, traits)
      yield
    }
  }

  /** Name what is lost of the file after its last transcript. */
  skipRest(place: Place): void {
    const losses = this.#fileLosses.list()
    if (losses.length === 0 || !this.#hasTranscripts || this.hasProblems) return
    const [at = place] = losses.flatMap(({ places = [] }) => places)
    this.skipped.push({
      ...this.#places.problem('expected a conversation, found values that belong to none', at),
      losses,
    })
    this.#fileLosses = new Losses()
  }

  /** The problem of a file without a transcript: that the only ones are empty. False if none is. */
  refuseSkipped(): boolean {
    this.#problems.push(...this.skipped.splice(0))
    return this.hasProblems
  }

  #addReported({ problem, place, origin, lateId }: Reported): void {
    if (lateId !== undefined && !this.#attribution.addLate(lateId, problem)) return
    this.#problems.push(problem)
    if (lateId === undefined && place) this.#attribution.add(problem, place, origin)
    // The problem accounts for a conversation of which the reader makes no draft.
    if (origin) this.#tally.end([origin])
  }

  /** Those that no problem costs, with what is unread of them. */
  #givable(step: Step, traits: Traits): readonly ConversationDraft[] {
    const { drafts, unread } = step
    const readable = this.#readable(drafts, traits)
    if (drafts.length === 0) this.#countOfSkipped(step, traits)
    if (unread.length === 0 || readable.length === 0) return readable
    const isReadable = new Set(readable)
    const around = draftsAround(drafts)
    const ofReadable = unread.filter(({ place }) => {
      const own = around(place)
      return own.length === 0 || own.some((draft) => isReadable.has(draft))
    })
    this.#reportUnread(ofReadable, step, traits)
    countUnread(ofReadable, readable)
    return this.#readable(readable, traits)
  }

  /** Count the unread texts of a record without a conversation with the reason why it is skipped, else with those of the file. */
  #countOfSkipped(step: Step, traits: Traits): void {
    const { unread, skipped } = step
    if (this.#options.strict) this.#reportUnread(unread, step, traits)
    for (const text of unread) {
      const own = skipped.find(({ record }) => record === text.place.record)
      const losses = new Losses()
      losses.addAll(own?.losses ?? [])
      losses.addUnread(text)
      if (own) own.losses = losses.list()
      else this.addLosses(losses.list())
    }
  }

  #readable(drafts: readonly ConversationDraft[], traits: Traits): readonly ConversationDraft[] {
    const unread = this.#attribution.unreadOf(drafts, traits)
    for (const { origins = [] } of unread) this.#tally.end(origins)
    return unread.size === 0 ? drafts : drafts.filter((draft) => !unread.has(draft))
  }

  /** An unread text is a problem in a generic format if it is what somebody says. */
  #reportUnread(unread: readonly UnreadText[], { isMostlyEmpty }: Step, { format }: Traits): void {
    const report = (message: string, place: Place) =>
      this.#addReported({ problem: this.#places.problem(message, place), place })
    for (const { field, isMessage, place } of unread) {
      if (format.isGeneric && (isMessage || isMostlyEmpty)) report(unreadMessages(format, field), place)
      else if (this.#options.strict) report(`field "${field}" is ${reasons.notRecognized}`, place)
    }
  }

  #addDraft(draft: ConversationDraft, step: Step, traits: Traits): void {
    this.#tally.end(draft.origins ?? [])
    const reason = reasonNoConversation(draft)
    if (reason !== undefined) return this.#addEmpty(draft, reason, traits)
    this.#hasTranscripts = true
    this.#complete.push(this.#transcriptOf(draft, step, traits))
  }

  #transcriptOf(draft: ConversationDraft, { digest }: Step, { format }: Traits): Transcript {
    const { origins: _, rows: __, lostRecords: ___, ...fields } = draft
    const transcript: Transcript = { ...fields, format: format.id as AnyFormatId }
    if (digest) transcript.digest = draft.place.record === digest.record ? digest.last : digest.all
    if (this.#fileLosses.size === 0) return transcript
    this.#fileLosses.addAll(draft.losses)
    transcript.losses = this.#fileLosses.list()
    this.#fileLosses = new Losses()
    return transcript
  }

  /** An empty transcript is skipped in a log and in an export, which may have others. */
  #addEmpty({ place, externalId, losses }: ConversationDraft, reason: string, { format, isLog }: Traits): void {
    const { isGeneric, skipsEmpty } = format
    const message = skipsEmpty || externalId === undefined ? reason : `${reason} (id ${JSON.stringify(externalId)})`
    // A half-understood record of a generic format may say something.
    const problem = this.#places.problem(message, place, isGeneric ? undefined : { code: 'nothing_said' })
    if (skipsEmpty || isLog) this.skipped.push(losses.length > 0 ? { ...problem, losses } : problem)
    else this.#problems.push(problem)
  }
}
