import type { ReadOptions } from './read-options.js'
import { Talk } from './talk.js'
import type { Draft, Place } from './turn.js'

/** Talks whose messages come one by one and in any order, each with the id of its talk. */
export class TalksById {
  readonly #options: ReadOptions
  #talks = new Map<string, { talk: Talk; place: Place }>()

  constructor(options: ReadOptions) {
    this.#options = options
  }

  /** The talk with an id; it begins with the first message that asks for it. */
  of(id: string, place: Place): Talk {
    const known = this.#talks.get(id)
    if (known) return known.talk
    const talk = new Talk(this.#options)
    this.#talks.set(id, { talk, place })
    return talk
  }

  /** The transcripts, in the order in which they began, and forgets them. */
  drafts(sourceSystem: string): Draft[] {
    const talks = [...this.#talks]
    this.#talks = new Map()
    return talks.map(([id, { talk, place }]) =>
      talk.draft({ sourceSystem, externalId: id === '' ? undefined : id, place }),
    )
  }
}
