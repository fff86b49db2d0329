import { similar, wordsOf } from './turn-shape.js'

/** The indices of the texts that are similar to one of the twenty before them. */
export function repeatsIn(texts: readonly string[]): number[] {
  if (texts.length < 2) return []
  const sketches = texts.map(sketchOf)
  const words: ReadonlySet<string>[] = []
  const wordsAt = (i: number) => {
    words[i] ??= wordsOf(texts[i] ?? '')
    return words[i]
  }
  const repeats: number[] = []
  sketches.forEach((own, i) => {
    for (let j = Math.max(0, i - 20); j < i; j += 1) {
      const earlier = sketches[j]
      if (!earlier || !mayBeSimilar(earlier, own) || !similar(wordsAt(j), wordsAt(i))) continue
      repeats.push(i)
      return
    }
  })
  return repeats
}

/** What is told of a text at a glance, from one pass over it. */
interface Sketch {
  /** Each word sets one of 31 bits here, and one of 31 there: the same in every text. */
  here: number
  there: number
  /** At least as many as the text has words. */
  size: number
}

/**
 * Whether two texts can be similar. Texts that share four words of five differ in at most a fifth of all their words, which
 * is at most a ninth of the words of both together; and a bit differs only where a word does.
 */
function mayBeSimilar(one: Sketch, other: Sketch): boolean {
  const most = (one.size + other.size) / 9
  return bitsIn(one.here ^ other.here) <= most && bitsIn(one.there ^ other.there) <= most
}

function sketchOf(text: string): Sketch {
  if (unusual.test(text)) return sketchOfWords(wordsOf(text))
  const units = wordUnits()
  let [hash, here, there, size] = [0, 0, 0, 1]
  // No branch, as there is nothing to predict: `ends` is -1 between words, and 0 within one.
  for (let i = 0; i < text.length; i += 1) {
    const unit = units[text.charCodeAt(i)] as number
    const ends = (unit - 1) >> 31
    here |= bitHere(hash) & ends
    there |= bitThere(hash) & ends
    size -= ends
    hash = hashed(hash, unit) & ~ends
  }
  return { here: (here | bitHere(hash)) & ~1, there: (there | bitThere(hash)) & ~1, size }
}

function sketchOfWords(words: ReadonlySet<string>): Sketch {
  let [here, there] = [0, 0]
  for (const word of words) {
    let hash = 0
    for (let i = 0; i < word.length; i += 1) hash = hashed(hash, word.charCodeAt(i))
    here |= bitHere(hash)
    there |= bitThere(hash)
  }
  return { here: here & ~1, there: there & ~1, size: words.size }
}

const hashed = (hash: number, unit: number) => Math.imul(hash + unit, 0x9e3779b1)

// The first bit is that of no word at all, and says nothing.
const bitHere = (hash: number) => 1 << (hash >>> 27)
const bitThere = (hash: number) => 1 << ((hash >>> 22) & 31)

/** How many bits are set: summed up in pairs, in fours, in eights, and all. */
function bitsIn(mask: number): number {
  const pairs = mask - ((mask >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Letters and numbers of two code units; and those whose lower case is another in another place, or several. */
const unusual = /[\u0130\u03a3]|(?=[\u{10000}-\u{10ffff}])[\p{L}\p{N}]/u

/** For each code unit its lower case where it stands in words, else 0. Made once, when it is first asked for. */
const wordUnits = once(() =>
  Uint16Array.from({ length: 2 ** 16 }, (_, unit) => {
    const character = String.fromCharCode(unit)
    return /[\p{L}\p{N}]/u.test(character) ? character.toLowerCase().charCodeAt(0) : 0
  }),
)

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
