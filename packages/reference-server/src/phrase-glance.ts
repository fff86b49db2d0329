import { answers, ask, type Probe } from './sketch.js'
import { fold } from './text.js'

/** What must occur for a pattern to match: a text, all of some, or any of some; all of none is nothing. */
type Need = string | { readonly all: readonly Need[] } | { readonly any: readonly Need[] }

const nothing: Need = { all: [] }

/**
 * Whether a pattern may match somewhere. The pattern is a choice of words, found in any case: of letters, `(?:…|…)`, `[…]`,
 * and `?` or `{0,n}` after these. A class, and what may be left out, ask for nothing.
 */
export function probeOfPhrases(source: string): Probe {
  const reader = new Reader(source)
  const need = reader.choice()
  if (!reader.atEnd) throw new Error('A phrase is of letters, groups, classes and what may be left out.')
  const questions: number[] = []
  const first = askFor(questions, need, answers.yes, answers.no)
  return { questions: Int32Array.from(questions), first }
}

/** From the last, as each question has to know where the next one stands. */
function askFor(questions: number[], need: Need, yes: number, no: number): number {
  if (typeof need === 'string') return ask(questions, fold(need), yes, no)
  if ('all' in need) return need.all.reduceRight((next, part) => askFor(questions, part, next, no), yes)
  return need.any.reduceRight((next, way) => askFor(questions, way, yes, next), no)
}

class Reader {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(source: string) {
    this.#tokens = source.match(/\(\?:|\[[^\][]*\]|\{0,\d+\}|[\s\S]/g) ?? []
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  choice(): Need {
    const any = [this.#sequence()]
    while (this.#takes('|')) any.push(this.#sequence())
    return { any }
  }

  #sequence(): Need {
    const all: Need[] = []
    let letters = ''
    for (let token = this.#peek(); token !== undefined && token !== '|' && token !== ')'; token = this.#peek()) {
      const part = this.#part(token)
      const isSure = !this.#mayBeLeftOut()
      if (typeof part === 'string' && isSure) {
        letters += part
        continue
      }
      all.push(letters, isSure ? part : nothing)
      letters = ''
    }
    return { all: [...all, letters] }
  }

  #part(token: string): Need {
    this.#at += 1
    if (token.startsWith('[')) return nothing
    if (token === '(?:') {
      const choice = this.choice()
      if (!this.#takes(')')) throw new Error('A group of a phrase does not end.')
      return choice
    }
    if (!/^[a-z0-9 ,'’]$/.test(token)) throw new Error(`In a phrase there is no ${token}`)
    return token
  }

  #mayBeLeftOut(): boolean {
    return this.#takes('?') || (this.#peek()?.startsWith('{0,') === true && this.#takes(this.#peek()))
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]
  }

  #takes(token: string | undefined): boolean {
    if (token === undefined || this.#peek() !== token) return false
    this.#at += 1
    return true
  }
}
