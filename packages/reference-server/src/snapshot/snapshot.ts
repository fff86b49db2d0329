import type { ServerAmbiguities } from '../ambiguities/index.js'
import { type Annotator, ScriptedAnnotator, setScript } from '../annotators/index.js'
import { type Clock, isSteered } from '../clock.js'
import type { Faults } from '../faults/index.js'
import type { RateLimiter } from '../rate-limit.js'
import { parseInstant, toIso } from '../validation/index.js'
import type { NewKey, NewTranscript, SeedProject, StoredProject, StoredTranscript, World } from '../world/index.js'
import type { Seed } from './seed.js'

/** All that a server holds, as one JSON value, which is a seed, too. */
export interface Snapshot extends Seed {
  /** The version of the form. */
  version: 1
  /** The parts that it holds, such as `windows`; `keys` only if they were asked for. */
  holds: readonly string[]
  /** The workspaces of the server; the first is its default. */
  workspaces: readonly string[]
  /** Every project with its transcripts, in the order of creation. */
  projects: readonly SeedProject[]
}

/** The options of a snapshot. */
export interface SnapshotOptions {
  /** True to include the keys, in clear. Default false: a server that is restored keeps its own. */
  keys?: boolean
}

/** The parts of a server that hold its state. */
export interface StatefulParts {
  world: World
  clock: Clock
  faults: Faults
  limiter: RateLimiter
  ambiguities: ServerAmbiguities
  annotators: Annotator[]
  made: { ids: number; lists: number }
}

const held = `workspaces projects transcripts annotations annotators faults limits windows ambiguities submitError clock
  pipeline ids`.split(/\s+/)

export function snapshotOf(parts: StatefulParts, { keys: withKeys = false }: SnapshotOptions = {}): Snapshot {
  const { world, clock, faults, limiter, ambiguities, annotators, made } = parts
  const now = clock.now()
  const keys = [...world.keys()]
  const places = new Map(keys.map(({ key }, index) => [key, index]))
  const projects = [...world.allProjects()]
  const workspaces = new Set([
    world.defaultWorkspace,
    ...keys.map((key) => key.workspace),
    ...projects.map((each) => each.workspace),
  ])
  return {
    version: 1,
    holds: withKeys ? ['keys', ...held] : held,
    workspaces: [...workspaces],
    ...(withKeys && { keys: keysOf(world) }),
    projects: projects.map((project) => seedOf(project, parts)),
    annotators: annotators.flatMap((each) => (each instanceof ScriptedAnnotator ? [each.script] : [])),
    faults: faults.states(now),
    limits: limiter.limits ?? null,
    windows: limiter.windows(now).flatMap(({ key, ...window }) => {
      const place = key === undefined ? undefined : places.get(key)
      return key !== undefined && place === undefined ? [] : [{ ...window, ...(place !== undefined && { key: place }) }]
    }),
    ambiguities: ambiguities.current,
    submitError: world.submitError,
    clock: { now: toIso(now), running: isSteered(clock) ? clock.running : true },
    made: { ...made },
  }
}

/** The keys as a seed has them. */
export function keysOf(world: World): (NewKey & { key: string })[] {
  return Array.from(world.keys(), ({ last_used_at: _, permissions, surfaces, ...key }) => {
    return { ...key, ...(permissions && { permissions }), ...(surfaces && { surfaces }) }
  })
}

function seedOf(project: StoredProject, { world, clock }: StatefulParts): SeedProject {
  const { record, workspace, domain, extra } = project
  const { id, name, created_at, updated_at } = record
  const age = world.ages()(project)
  return {
    ...{ id, name, workspace, domain, extra, created_at, updated_at },
    ...(Number.isFinite(age) && { ageMs: Math.round(age) }),
    // The list of a project is newest first; a seed is in the order of creation.
    transcripts: [...world.transcripts(id)].reverse().map((each) => transcriptOf(each, world, clock.now())),
  }
}

function transcriptOf(transcript: StoredTranscript, world: World, now: number): NewTranscript {
  const { record, turns, annotations, analysed, model } = transcript
  const { id, name, metadata, processing_status, created_at } = record
  return {
    ...{ id, name, metadata, processing_status, created_at, annotations, analysed },
    turns: turns.map((turn) => ({ ...turn })),
    ...(record.model_name !== null && { modelName: record.model_name }),
    ...(record.language !== null && { language: record.language }),
    ...(record.source_system !== null && { sourceSystem: record.source_system }),
    ...(record.external_id !== null && { externalId: record.external_id }),
    ...(record.external_user_id !== null && { externalUserId: record.external_user_id }),
    ...(record.source_timestamp !== null && { sourceTimestamp: record.source_timestamp }),
    ...(model && { model: { inMs: model.at - now, annotations: model.annotations } }),
    ageMs: Math.max(0, Math.round(now - world.storedAt(transcript))),
    ...(Number.isFinite(world.ages()(transcript)) && { lags: true }),
  }
}

/** Set what a seed says of the parts around the records. */
export function applySeed(parts: StatefulParts, seed: Seed): void {
  const { world, clock, faults, limiter, ambiguities, annotators, made } = parts
  const now = clock.now()
  for (const script of seed.annotators ?? []) setScript(annotators, script)
  if (seed.faults) faults.restore(seed.faults, now)
  if (seed.limits !== undefined) limiter.set(seed.limits ?? undefined)
  if (seed.windows)
    limiter.restore(
      seed.windows.flatMap((window) => withKey(window, [...world.keys()])),
      now,
    )
  if (seed.ambiguities) ambiguities.set(seed.ambiguities)
  if (seed.submitError !== undefined) world.submitError = seed.submitError
  if (seed.made) Object.assign(made, seed.made)
}

function withKey({ key, ...window }: NonNullable<Seed['windows']>[number], keys: readonly { key: string }[]) {
  if (key === undefined) return [window]
  const seedKey = keys[key]
  return seedKey ? [{ ...window, key: seedKey.key }] : []
}

/** Set a steered clock to the time of a seed; no time passes. Any other clock keeps its time. */
export function setClock(clock: Clock, { clock: wanted }: Seed): void {
  if (!wanted || !isSteered(clock)) return
  const time = parseInstant(wanted.now)
  if (wanted.running === false) clock.stop()
  if (time) clock.jumpWall(time.ms - clock.now())
  if (wanted.running === true) clock.run()
}

/** Throws an Error if a script of a seed would leave requests without an answer. */
export function checkScripts(annotators: readonly Annotator[], { annotators: scripts = [] }: Seed): void {
  const registry = [...annotators]
  for (const script of scripts) setScript(registry, script)
}
