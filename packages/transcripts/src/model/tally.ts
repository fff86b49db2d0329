/** `group`: rows with the id of one conversation. `conversation`: messages that a builder got. */
type Kind = 'group' | 'conversation'

/**
 * Counts the conversations of a file apart from its reader: each that is begun has to end as a transcript, as a problem or as a
 * skipped one. A conversation is known by any object that its draft names as one of its origins.
 */
export class Tally {
  readonly #open: Record<Kind, Set<object>> = { group: new Set(), conversation: new Set() }
  readonly #begun: Record<Kind, number> = { group: 0, conversation: 0 }

  begin(kind: Kind, origin: object): void {
    this.#open[kind].add(origin)
    this.#begun[kind]++
  }

  /** The reader left the conversation out on purpose, and a loss says so; or all of its origins are accounted for. */
  end(origins: readonly object[]): void {
    for (const origin of origins) {
      this.#open.group.delete(origin)
      this.#open.conversation.delete(origin)
    }
  }

  /** The numbers of conversations that do not agree; undefined if they do. */
  get mismatch(): { begun: number; ended: number } | undefined {
    const kind = (['group', 'conversation'] as const).find((each) => this.#open[each].size > 0)
    return kind && { begun: this.#begun[kind], ended: this.#begun[kind] - this.#open[kind].size }
  }
}
