/** The numbers of a date in the order of the file. */
export interface DayNumbers {
  a: number
  b: number
  c: number
  /** True if the line is written as in the United States, where the month is first. */
  isEnglish: boolean
}

/** Finds out if dates begin with the day or the month: by a number above 12, else by the order of the lines. */
export class DateOrder {
  isKnown = false
  isDayFirst = true
  #last = { dayFirst: 0, monthFirst: 0 }
  /** How often a date is before the one above it, if the month is first, less how often if the day is. */
  #evidence = 0
  #isEnglish = false

  add({ a, b, c, isEnglish }: DayNumbers): void {
    const next = { dayFirst: (c * 12 + b) * 31 + a, monthFirst: (c * 12 + a) * 31 + b }
    this.#evidence += Number(next.monthFirst < this.#last.monthFirst) - Number(next.dayFirst < this.#last.dayFirst)
    this.#last = next
    this.#isEnglish ||= isEnglish
    this.isKnown = a > 12 || b > 12
    this.isDayFirst = this.isKnown ? a > 12 : this.#evidence === 0 ? !this.#isEnglish : this.#evidence > 0
  }

  get isAssumed(): boolean {
    return !this.isKnown && this.#evidence === 0
  }

  /** The date in ISO 8601. */
  dateOf({ a, b, c }: DayNumbers): string {
    const [year, month, dayOfMonth] = a > 31 ? [a, b, c] : this.isDayFirst ? [c, b, a] : [c, a, b]
    const two = (value: number) => String(value).padStart(2, '0')
    return `${year < 100 ? year + 2000 : year}-${two(month)}-${two(dayOfMonth)}`
  }
}
