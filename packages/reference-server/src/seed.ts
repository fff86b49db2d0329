import type { NewKey, NewProject, NewTranscript, StoredProject } from './records.js'
import type { World } from './world.js'

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

/** Puts a seed into a world. */
export function plant(world: World, { keys = [{ key: referenceKey }], projects = [] }: Seed): void {
  for (const key of keys) world.createKey(key)
  for (const project of projects) plantProject(world, project)
}

/** Puts a project with its transcripts into a world. */
export function plantProject(world: World, { transcripts = [], ...options }: SeedProject): StoredProject {
  const ids = transcripts.flatMap(({ id }) => id ?? [])
  const taken = ids.find((id, i) => world.transcript(id) || ids.indexOf(id) < i)
  if (taken !== undefined) throw new Error(`The id ${taken} is taken in this world.`)
  const project = world.createProject(options)
  for (const transcript of transcripts) world.createTranscript(project, transcript)
  return project
}
