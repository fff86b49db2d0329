/** How often each of some whole numbers of 32 bits occurs. There may be very many, so they take no more room than a list of them. */
export class Tally {
  readonly #sorted: Int32Array
  /** How many are left of the numbers that stand first among those that are the same. */
  readonly #left: Int32Array

  constructor(numbers: readonly number[]) {
    this.#sorted = Int32Array.from(numbers).sort()
    this.#left = new Int32Array(numbers.length)
    for (let at = 0, first = 0; at < this.#sorted.length; at++) {
      if (this.#sorted[at] !== this.#sorted[first]) first = at
      this.#left[first] = (this.#left[first] ?? 0) + 1
    }
  }

  /** True if it is one of the numbers, also when all of it have been taken. */
  has(number: number): boolean {
    return this.#sorted[this.#first(number)] === number
  }

  /** Takes one away; whether any was left. */
  take(number: number): boolean {
    const first = this.#first(number)
    if (this.#sorted[first] !== number) return false
    const left = this.#left[first] ?? 0
    if (left > 0) this.#left[first] = left - 1
    return left > 0
  }

  /** Where the numbers that are no less begin. */
  #first(number: number): number {
    let [low, high] = [0, this.#sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#sorted[middle] as number) < number) low = middle + 1
      else high = middle
    }
    return low
  }
}
