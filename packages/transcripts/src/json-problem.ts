import { syntaxError } from './json-scan.js'
import { PositionsIn } from './position-in.js'
import type { Problem } from './problem.js'

/** Why a text is no JSON document: the first place where it stops being one; undefined where it is one. */
export function jsonProblem(text: string): Problem | undefined {
  const error = syntaxError(text)
  return error && { message: error.message, ...new PositionsIn(text).at(error.offset) }
}
