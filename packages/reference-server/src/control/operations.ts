import { type Annotator, readScript, ScriptedAnnotator, setScript } from '../annotators/index.js'
import { isSteered } from '../clock.js'
import type { FaultRule } from '../faults/index.js'
import type { Journal, JournalEntry } from '../journal/index.js'
import { readAmbiguities, readLimits } from '../options.js'
import { Refusal } from '../refusal.js'
import type { Seed, Snapshot, SnapshotOptions, StatefulParts } from '../snapshot/index.js'
import {
  anyObject,
  assertValid,
  boolean,
  closed,
  isoDate,
  object,
  parseInstant,
  string,
  toIso,
  type Validator,
  wholeNumber,
} from '../validation/index.js'
import type { Violations } from '../violations/index.js'
import {
  type Annotations,
  type NewKey,
  readNewProject,
  readNewTranscript,
  type StoredProject,
  type StoredTranscript,
  seedProject,
  type World,
} from '../world/index.js'

/** The parts of a server that the control plane reads and sets. */
export interface ControlTarget extends StatefulParts {
  requests: Journal
  violations: Violations
  annotationsOf(transcript: StoredTranscript): Annotations
  reset(): void
  snapshot(options?: SnapshotOptions): Snapshot
  restore(snapshot: Seed): void
  onError(error: unknown): void
}

/** A call of the control plane. */
export interface ControlCall {
  target: ControlTarget
  /** Path parameters. */
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body: unknown
}

/** An operation of the control plane, as in `spec/control.openapi.yaml`. */
export interface ControlOperation {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/_svc`, with `{parameters}`. */
  path: string
  /** The names of its query parameters. */
  query?: readonly string[]
  /** Returns the answer as JSON; undefined for none. */
  run(call: ControlCall): unknown
  /** Headers of the answer. */
  headers?(target: ControlTarget): Readonly<Record<string, string>>
}

export const controlOperations: readonly ControlOperation[] = [
  { id: 'state.reset', method: 'POST', path: '/reset', run: ({ target }) => target.reset() },
  {
    id: 'state.snapshot',
    method: 'GET',
    path: '/world',
    query: ['keys'],
    run: ({ target, query }) => target.snapshot({ keys: readFlag('keys', query.keys) }),
  },
  { id: 'state.restore', method: 'PUT', path: '/world', run: ({ target, body }) => target.restore(body as Seed) },
  {
    id: 'requests.list',
    method: 'GET',
    path: '/requests',
    query: ['operation', 'since', 'after'],
    run: ({ target, query }) => requestsOf(target.requests, query),
    headers: ({ requests }) => ({
      'svc-dropped': String(requests.dropped),
      'svc-total': String(requests.length),
      'svc-first': String(requests[0]?.id ?? 0),
    }),
  },
  {
    id: 'requests.clear',
    method: 'DELETE',
    path: '/requests',
    query: ['operation', 'until'],
    run: ({ target, query: { operation, until } }) =>
      target.requests.clear({ operation, until: readTime('until', until) }),
  },
  {
    id: 'violations.list',
    method: 'GET',
    path: '/violations',
    run: ({ target }) => target.violations.list(),
    headers: ({ violations: { unchecked, dropped } }) => ({
      'svc-unchecked': String(unchecked),
      'svc-dropped': String(dropped),
    }),
  },
  { id: 'faults.add', method: 'POST', path: '/faults', run: ({ target, body }) => target.faults.add(readFault(body)) },
  { id: 'faults.clear', method: 'DELETE', path: '/faults', run: ({ target }) => target.faults.clear() },
  {
    id: 'limits.set',
    method: 'POST',
    path: '/limits',
    run: ({ target, body }) => target.limiter.set(readLimits(body)),
  },
  { id: 'limits.clear', method: 'DELETE', path: '/limits', run: ({ target }) => target.limiter.set(undefined) },
  {
    id: 'ambiguities.set',
    method: 'POST',
    path: '/ambiguities',
    run: ({ target, body }) => target.ambiguities.set(readAmbiguities(body)),
  },
  { id: 'ambiguities.clear', method: 'DELETE', path: '/ambiguities', run: ({ target }) => target.ambiguities.clear() },
  {
    id: 'submitError.set',
    method: 'POST',
    path: '/submit-error',
    run({ target, body }) {
      target.world.submitError = read<{ on: boolean }>(body, closed({ on: boolean })).on
    },
  },
  {
    id: 'annotators.set',
    method: 'POST',
    path: '/annotators',
    run: ({ target, body }) => setScript(target.annotators, readScript(body)),
  },
  {
    id: 'annotators.clear',
    method: 'DELETE',
    path: '/annotators',
    run: ({ target }) => clearScripts(target.annotators),
  },
  { id: 'clock.steer', method: 'POST', path: '/clock', run: ({ target, body }) => steerClock(target, body) },
  {
    id: 'keys.create',
    method: 'POST',
    path: '/keys',
    run: ({ target, body }) => target.world.createKey(body as NewKey),
  },
  {
    id: 'keys.revoke',
    method: 'POST',
    path: '/keys/revoke',
    run: ({ target, body }) => target.world.revoke(readKey(body)),
  },
  {
    id: 'keys.restore',
    method: 'POST',
    path: '/keys/restore',
    run: ({ target, body }) => target.world.restore(readKey(body)),
  },
  {
    id: 'keys.delete',
    method: 'POST',
    path: '/keys/delete',
    run: ({ target, body }) => target.world.delete(readKey(body)),
  },
  {
    id: 'projects.create',
    method: 'POST',
    path: '/projects',
    run: ({ target, body }) => shownProject(seedProject(target.world, readNewProject(body))),
  },
  {
    id: 'transcripts.create',
    method: 'POST',
    path: '/projects/{project}/transcripts',
    run: (call) =>
      shownTranscript(call.target.world.createTranscript(projectOf(call), readNewTranscript(call.body)), call.target),
  },
  {
    id: 'transcripts.annotate',
    method: 'POST',
    path: '/annotate',
    run: ({ target, body }) => annotate(target.world, body),
  },
]

function read<T>(body: unknown, validator: Validator): T {
  assertValid(body, validator, (problems) => new Refusal(400, problems))
  return body as T
}

function readFlag(name: string, text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new Refusal(400, `?${name}: expected true or false`)
}

function requestsOf(requests: Journal, { operation, since, after }: ControlCall['query']): readonly JournalEntry[] {
  if (after !== undefined && !/^\d+$/.test(after)) throw new Refusal(400, '?after: expected the id of a request')
  const from = readTime('since', since) ?? Number.NEGATIVE_INFINITY
  const ofOperation = operation === undefined ? requests : requests.for(operation)
  return ofOperation.filter(({ id, at }) => at >= from && id > Number(after ?? 0))
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) : parseInstant(text)?.ms
  if (ms !== undefined) return ms
  throw new Refusal(400, `?${name}: expected an ISO 8601 date-time, or milliseconds since the epoch`)
}

/** Read a rule as an object, or as text in `{ "fault": "…" }`. `faults.add` checks it. */
function readFault(body: unknown): FaultRule | string {
  const rule = read<FaultRule & { fault?: unknown }>(body, anyObject)
  return typeof rule.fault === 'string' ? rule.fault : rule
}

/** Remove the scripts; what they replaced judges again. */
function clearScripts(annotators: Annotator[]): void {
  const unscripted = annotators.flatMap((each) => (each instanceof ScriptedAnnotator ? (each.replaced ?? []) : [each]))
  annotators.splice(0, annotators.length, ...unscripted)
}

const shownProject = ({ record, workspace, domain, extra }: StoredProject) => ({ ...record, workspace, domain, extra })

const shownTranscript = (transcript: StoredTranscript, { annotationsOf }: ControlTarget) => {
  const { record, workspace, projectId: project } = transcript
  return { ...record, workspace, project, annotations: annotationsOf(transcript) }
}

function projectOf({ target, params }: ControlCall): StoredProject {
  const project = target.world.project(params.project ?? '')
  if (!project) throw new Refusal(404, 'There is no project with this id.')
  return project
}

const annotateFields = closed({ transcript: string, annotations: anyObject })

function annotate(world: World, body: unknown): void {
  const { transcript: id, annotations } = read<{ transcript: string; annotations: Annotations }>(body, annotateFields)
  const transcript = world.transcript(id)
  if (!transcript) throw new Refusal(400, '/transcript: expected the id of a transcript of this server')
  world.annotate(transcript, annotations)
}

const readKey = (body: unknown): string => read<{ key: string }>(body, object({ key: string })).key

const clockFields = closed({}, { advanceMs: wholeNumber(0), jumpWallMs: wholeNumber(), to: isoDate, running: boolean })

function steerClock(target: ControlTarget, body: unknown): unknown {
  const { clock } = target
  if (!isSteered(clock)) throw new Refusal(409, 'The clock of this server cannot be steered.')
  const { advanceMs, jumpWallMs, to, running } = read<{
    advanceMs?: number
    jumpWallMs?: number
    to?: string
    running?: boolean
  }>(body, clockFields)
  if (running === false) clock.stop()
  if (to !== undefined) clock.moveTo(parseInstant(to)?.ms ?? Number.NaN)
  if (advanceMs !== undefined) clock.advance(advanceMs)
  if (jumpWallMs !== undefined) clock.jumpWall(jumpWallMs)
  if (running === true) clock.run()
  return clockState(target)
}

const clockState = ({ clock }: ControlTarget) => ({
  now: toIso(clock.now()),
  running: isSteered(clock) ? clock.running : true,
})
