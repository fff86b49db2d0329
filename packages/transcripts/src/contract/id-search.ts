import { getOrInsert, isObject, wordSet } from '../json/index.js'

/** Enough rows to see how the values of a field repeat. */
const maxRows = 20_000
/** A field with more values numbers the rows. */
const maxValues = 5_000

interface Group {
  rows: number
  speaker: string
  /** More than one speaker has it. */
  isShared: boolean
  lastRow: number
  /** Rows with other values are between its rows. */
  isSplit: boolean
}

/** Searches rows without the id of a conversation for a field that may hold it: its values repeat in groups of speakers. */
export class IdSearch {
  readonly #fields = new Map<string, Map<string, Group>>()
  #rows = 0

  /** `value` of JSON is searched three levels deep. */
  add(fields: Iterable<readonly [string, unknown]>, speaker: string): void {
    if (this.#rows === maxRows) return
    this.#rows++
    for (const [name, value] of fields) this.#addField(name, value, speaker, 0)
  }

  #addField(name: string, value: unknown, speaker: string, depth: number): void {
    if (isObject(value)) {
      if (depth < 2) for (const key in value) this.#addField(`${name}.${key}`, value[key], speaker, depth + 1)
      return
    }
    if (typeof value !== 'number' && (typeof value !== 'string' || value === '' || value.length > 100)) return
    const groups = getOrInsert(this.#fields, name, () => new Map<string, Group>())
    if (groups.size > maxValues) return
    const lastRow = this.#rows
    const group = getOrInsert(groups, String(value), () => ({
      rows: 0,
      speaker,
      isShared: false,
      lastRow,
      isSplit: false,
    }))
    if (group.rows > 0 && group.lastRow < lastRow - 1) group.isSplit = true
    if (group.speaker !== speaker) group.isShared = true
    group.lastRow = lastRow
    group.rows++
  }

  /** The field whose values form most groups, first one whose name says that it is an id. */
  get found(): string | undefined {
    const candidates = [...this.#fields].flatMap(([name, groups]) => {
      const all = [...groups.values()]
      const shared = all.filter(({ isShared }) => isShared)
      const rows = shared.reduce((sum, group) => sum + group.rows, 0)
      if (shared.length < 2 || rows * 2 < this.#rows || groups.size > maxValues) return []
      const words = name
        .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
      if (words.some((word) => otherWords.has(word))) return []
      const isNamed = idWords.has(words.at(-1)) || words[0] === 'id'
      const isGrouped = all.every(({ isSplit, speaker }) => !isSplit && speaker === all[0]?.speaker)
      return isNamed || (isGrouped && [...groups.keys()].every(isIdLike))
        ? [{ name, isNamed, count: shared.length }]
        : []
    })
    const [best] = candidates.sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.count - a.count)
    return best?.name
  }
}

const idWords = wordSet('id uuid guid sid ref number no nr num key identifier')
/** Words in the names of fields that number or describe messages, and may repeat in one conversation. */
const otherWords = wordSet(
  `message msg turn utterance parent reply model intent topic product language lang locale org organization tenant app
  version round exchange step page phase stage part segment block pair level day date time hour week month year score
  rating role speaker sender author type kind status token tokens count index category label tag sentiment mood emotion
  feeling state section scene source platform region country currency priority severity`,
)

/** One word or code, such as `T-100`, `4` or `x`: no sentence, fraction, time or flag. */
function isIdLike(value: string): boolean {
  return (
    !/\s/.test(value) &&
    !/^-?\d*[.,]\d+$/.test(value) &&
    !/^\d{1,4}[-/.:]\d{1,2}([-/.:T]|$)/.test(value) &&
    !/^(true|false|yes|no|none|null)$/i.test(value)
  )
}
