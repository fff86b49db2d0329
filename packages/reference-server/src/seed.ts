import type { NewKey, NewProject, NewTranscript } from './records.js'

/** The key with full access that every server has unless its seed names keys of its own. */
export const referenceKey = 'sk-service-api03-reference'

/** The workspace of whatever a seed gives none. */
export const referenceWorkspace = 'reference'

/** What a server knows when it starts. */
export interface Seed {
  /** Names of workspaces. The first is the one of whatever names none. Default: `['reference']`. */
  workspaces?: readonly string[]
  /** Default: one key, `referenceKey`, with full access to the first workspace. */
  keys?: readonly (NewKey & { key: string })[]
  /** In the order of their making. */
  projects?: readonly SeedProject[]
}

/** A project of a seed, with its transcripts. */
export type SeedProject = NewProject & {
  /** In the order of their making. Default: none. */
  transcripts?: readonly NewTranscript[]
}
