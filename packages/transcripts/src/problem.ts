import { locator } from './locate.js'
import type { Place } from './turn.js'

/** One thing that makes a file unusable: what was expected, what came, and where. */
export interface Problem {
  message: string
  /** 1-based. */
  line: number
  /** 1-based, in UTF-16 code units. */
  column: number
  record?: number
  pointer?: string
}

/** A problem before anyone has asked for its line. */
export interface Flaw {
  message: string
  place: Place
}

/** A file that cannot be read as transcripts, with everything that is wrong with it. */
export class TranscriptFileError extends Error {
  override readonly name = 'TranscriptFileError'
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super(summary(problems))
    this.problems = problems
  }
}

/** The flaws of a text as problems, in the order of the text. */
export function located(text: string, flaws: readonly Flaw[]): Problem[] {
  const locate = locator(text)
  return flaws
    .map(({ message, place }) => {
      const where = place.pointer === '' ? {} : { pointer: place.pointer }
      return { message, ...locate(place), record: place.record, ...where }
    })
    .sort((a, b) => a.line - b.line || a.column - b.column)
}

const shown = 20

function summary(problems: readonly Problem[]): string {
  const lines = problems.slice(0, shown).map((problem) => {
    const pointer = problem.pointer === undefined ? '' : ` (${problem.pointer})`
    return `line ${problem.line}, column ${problem.column}${pointer}: ${problem.message}`
  })
  if (problems.length > shown) lines.push(`and ${problems.length - shown} more problems`)
  return lines.join('\n')
}
