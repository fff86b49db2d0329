import { NewestFirst } from './newest-first.js'
import type { StoredTranscript } from './records.js'

/** The fields that a list may be narrowed by; what is undefined does not narrow it. */
export interface Fields {
  model_name: string | undefined
  language: string | undefined
  source_system: string | undefined
  /** Inclusive bounds on the source timestamp, in milliseconds since the epoch. */
  from: number | undefined
  to: number | undefined
}

/** The transcripts of a project, newest first. */
export class TranscriptList extends NewestFirst<StoredTranscript> {
  readonly #columns = new Columns()

  override add(item: StoredTranscript): number {
    const place = super.add(item)
    this.#columns.cut(place)
    return place
  }

  /** Those whose fields are as asked, newest first. From then on their records are frozen, as the columns hold what they say. */
  having(fields: Partial<Fields>): readonly StoredTranscript[] {
    if (Object.values(fields).every((value) => value === undefined)) return this.items
    const all = this.oldestFirst
    this.#columns.fill(all)
    return this.#columns.find(fields).map((place) => all[place] as StoredTranscript)
  }
}

/**
 * The fields that lists are narrowed by, each as an array of its own in the order of the list: to go over the transcripts,
 * which lie all over the memory, takes twenty times as long. They are filled when they are first asked for.
 */
class Columns {
  readonly #models = new Texts()
  readonly #languages = new Texts()
  readonly #systems = new Texts()
  /** NaN, which is within no bounds, where there is no time. */
  readonly #times: number[] = []

  /** Takes in what is new at the end of a list. */
  fill(all: readonly StoredTranscript[]): void {
    for (let place = this.#times.length; place < all.length; place += 1) {
      const { record, sourceMs } = all[place] as StoredTranscript
      Object.freeze(record)
      this.#models.push(record.model_name)
      this.#languages.push(record.language)
      this.#systems.push(record.source_system)
      this.#times.push(sourceMs ?? Number.NaN)
    }
  }

  /** Forgets what is at a place of the list and after it. */
  cut(place: number): void {
    if (place >= this.#times.length) return
    for (const texts of [this.#models, this.#languages, this.#systems]) texts.cut(place)
    this.#times.length = place
  }

  /** Where the fields are as asked, the last place first. */
  find({ model_name, language, source_system, from, to }: Partial<Fields>): readonly number[] {
    let found: readonly number[] | undefined
    if (model_name !== undefined) found = this.#models.where(model_name, found)
    if (language !== undefined) found = this.#languages.where(language, found)
    if (source_system !== undefined) found = this.#systems.where(source_system, found)
    if (found && from === undefined && to === undefined) return found
    return within(this.#times, from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY, found)
  }
}

/** A column of texts, and where each of them is. */
class Texts {
  readonly #texts: (string | null)[] = []
  readonly #places = new Map<string | null, number[]>()

  push(text: string | null): void {
    const place = this.#texts.push(text) - 1
    const places = this.#places.get(text)
    if (places) places.push(place)
    else this.#places.set(text, [place])
  }

  cut(place: number): void {
    this.#texts.length = place
    for (const [text, places] of this.#places) {
      this.#places.set(
        text,
        places.filter((one) => one < place),
      )
    }
  }

  /** Those of the places, or of all, where this text is. */
  where(text: string, among: readonly number[] | undefined): readonly number[] {
    return among?.filter((place) => this.#texts[place] === text) ?? this.#places.get(text)?.toReversed() ?? []
  }
}

/** Those of the places, or of all, where a number is within both bounds. */
function within(numbers: readonly number[], from: number, to: number, among: readonly number[] | undefined): number[] {
  const isWithin = (place: number) => (numbers[place] as number) >= from && (numbers[place] as number) <= to
  if (among) return among.filter(isWithin)
  const found: number[] = []
  for (let place = numbers.length - 1; place >= 0; place -= 1) if (isWithin(place)) found.push(place)
  return found
}
