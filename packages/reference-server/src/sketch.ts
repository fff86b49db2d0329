import { fold, isAscii } from './text.js'

/**
 * Questions to a sketch, each by three numbers: what three letters in a row leave in it, as a hash, and which question is
 * next if it has them and if not; or an answer.
 */
export interface Probe {
  readonly questions: Int32Array
  readonly first: number
}

/** In the place of a next question. */
export const answers = { yes: -1, no: -2 } as const

/** Asks for all that a folded text leaves, and after that what is next; fewer than three letters leave nothing. */
export function ask(questions: number[], folded: string, yes: number, no: number): number {
  let next = yes
  for (const hash of hashesOf(folded)) next = questions.push(hash, next, no) - 3
  return next
}

/** Whether a folded text may occur. */
export function probeOf(folded: string): Probe {
  const questions: number[] = []
  const first = ask(questions, folded, answers.yes, answers.no)
  return { questions: Int32Array.from(questions), first }
}

/** A talk at a glance: which letters follow each other in it, in as many bits as it has letters, or up to twice as many. */
export class Sketch {
  readonly #bits: Uint32Array
  readonly #from: number
  readonly #shift: number

  constructor(bits: Uint32Array, from: number, shift: number) {
    this.#bits = bits
    this.#from = from
    this.#shift = shift
  }

  /** False where what was probed is certain not to occur in one of the texts. */
  mayHold({ questions, first }: Probe): boolean {
    let at = first
    while (at >= 0) {
      const place = (questions[at] as number) >>> this.#shift
      const has = (this.#bits[this.#from + (place >>> 5)] as number) & (1 << place)
      at = questions[has === 0 ? at + 2 : at + 1] as number
    }
    return at === answers.yes
  }
}

/** 32 kB, so that sketches of a few words need no memory of their own. */
const wordsInChunk = 2 ** 13
const leastBits = 9
const mostBits = 16

/** To look at a talk of fewer letters takes a search hardly more than to find it. */
const fewLetters = 512

function lettersIn(turns: Turns): number {
  let letters = 0
  for (const { content } of turns) letters += content.length
  return letters
}

/** Whether a talk is so short that an upload leaves no sketch of it. */
export const isShort = (turns: Turns): boolean => lettersIn(turns) < fewLetters

type Turns = readonly { readonly content: string }[]

/** Makes sketches, many of them in one piece of memory. */
export class Sketches {
  #chunk = new Uint32Array(0)
  #used = 0

  of(turns: Turns): Sketch {
    const log = Math.min(Math.max(32 - Math.clz32(lettersIn(turns)), leastBits), mostBits)
    const from = this.#room(2 ** (log - 5))
    const shift = mostBits - log
    for (const { content } of turns) mark(isAscii(content) ? content : fold(content), this.#chunk, from, shift)
    return new Sketch(this.#chunk, from, shift)
  }

  /** Where so many words are free. */
  #room(words: number): number {
    if (this.#used + words > this.#chunk.length) {
      this.#chunk = new Uint32Array(wordsInChunk)
      this.#used = 0
    }
    this.#used += words
    return this.#used - words
  }
}

/** Leaves a bit for each unit and the two before it. The first two leave some that nobody asks for. */
function mark(text: string, bits: Uint32Array, from: number, shift: number): void {
  let key = 0
  for (let i = 0; i < text.length; i += 1) {
    key = withUnit(key, text.charCodeAt(i))
    const place = hashOf(key) >>> shift
    bits[from + (place >>> 5)] = (bits[from + (place >>> 5)] as number) | (1 << place)
  }
}

function hashesOf(folded: string): number[] {
  const hashes: number[] = []
  let key = 0
  for (let i = 0; i < folded.length; i += 1) {
    key = withUnit(key, folded.charCodeAt(i))
    if (i >= 2) hashes.push(hashOf(key))
  }
  return hashes
}

/** The last three units. One bit is set, by which the two cases of ASCII differ: so a text of ASCII need not be folded. */
const withUnit = (key: number, unit: number) => ((key << 10) ^ (unit | 0x20)) & 0x3fffffff

/** A number of `mostBits` bits. */
const hashOf = (key: number) => Math.imul(key, 0x9e3779b1) >>> (32 - mostBits)
