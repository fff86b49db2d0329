/** Counts how often each model said something in a conversation. */
export class ModelCounts {
  #counts: Map<string, number> | undefined

  add(model: string): void {
    this.#counts ??= new Map()
    this.#counts.set(model, (this.#counts.get(model) ?? 0) + 1)
  }

  /** The models, first the one that said most. */
  byUse(): string[] {
    if (this.#counts === undefined) return []
    if (this.#counts.size < 2) return [...this.#counts.keys()]
    return [...this.#counts].sort((a, b) => b[1] - a[1]).map(([model]) => model)
  }
}
