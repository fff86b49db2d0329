/**
 * The names of a talk's tool calls by id, for results that carry only the id. Ids repeat: within one message they are
 * answered in order, and a later message that uses one again means its own call.
 */
export class ToolNames {
  /** The names that an id has in the last message with it; nearly always it is one, which needs no list. */
  #names: Map<string, string | Repeated> | undefined

  /** The calls of one message, and beside each its name. */
  called(calls: readonly { id?: unknown }[], names: readonly { name: string }[]): void {
    const own = calls.length > 1 ? new Set<string>() : undefined
    for (let index = 0; index < calls.length; index++) {
      const id = calls[index]?.id
      const name = names[index]?.name
      if (typeof id !== 'string' || name === undefined) continue
      this.#names ??= new Map()
      const known = own?.has(id) ? this.#names.get(id) : undefined
      own?.add(id)
      if (known === undefined) this.#names.set(id, name)
      else if (typeof known === 'string') this.#names.set(id, { names: [known, name], answered: 0 })
      else known.names.push(name)
    }
  }

  /** The name of the call that this result answers, or of the last with its id; undefined when there was none. */
  answered(id: string): string | undefined {
    const known = this.#names?.get(id)
    if (typeof known !== 'object') return known
    return known.names[known.answered++] ?? known.names.at(-1)
  }
}

interface Repeated {
  names: string[]
  answered: number
}
