import type { StoredProject } from './records.js'
import { referenceKey, type Seed, type SeedProject } from './seed.js'
import type { World } from './world.js'

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
