import type { Rule } from './rule.js'

/** A change of the server's sources. */
export interface Patch {
  /** Below `packages/reference-server/src`. */
  file: string
  /** Stands in the file exactly once. */
  find: string
  replace: string
}

/** Something that a server may do wrong, planted in the reference server. */
export interface Defect extends Patch {
  /** What the server then does: a sentence without a subject. */
  name: string
}

/** Some defects, and the rules that are likely to see them; these are tried first. */
export interface Defects {
  likely: readonly Rule[]
  defects: readonly Defect[]
}
