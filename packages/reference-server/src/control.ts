import { type Annotator, readScript, setScript } from './annotators/index.js'
import { bearer } from './auth.js'
import { type Clock, httpDate, isSteered } from './clock.js'
import type { FaultRule, Faults } from './faults/index.js'
import { errorResponse, type IncomingRequest, type OutgoingResponse } from './http-messages.js'
import type { Journal } from './journal/index.js'
import { readLimits, readReadings } from './options.js'
import type { RateLimiter } from './rate-limit.js'
import type { ServerReadings } from './readings/index.js'
import { Refusal } from './refusal.js'
import {
  anyObject,
  assertValid,
  boolean,
  closed,
  isoDate,
  object,
  parseInstant,
  parseJson,
  string,
  toIso,
  type Validator,
  wholeNumber,
} from './validation/index.js'
import { type Annotations, type NewKey, readNewProject, seedProject, type World } from './world/index.js'

export interface ControlTarget {
  world: World
  clock: Clock
  requests: Journal
  faults: Faults
  limiter: RateLimiter
  readings: ServerReadings
  annotators: Annotator[]
  reset(): void
  onError(error: unknown): void
}

const controlPath = '/_svc/'

type Command = (target: ControlTarget, body: unknown) => unknown

const commands = new Map<string, Command>([
  ['POST reset', ({ reset }) => reset()],
  ['GET requests', ({ requests }) => requests],
  ['DELETE requests', ({ requests }) => requests.clear()],
  ['GET faults', ({ faults }) => faults.rules],
  ['POST faults', ({ faults }, body) => faults.add(readFault(body))],
  ['DELETE faults', ({ faults }) => faults.clear()],
  ['POST limits', ({ limiter }, body) => limiter.set(readLimits(body))],
  ['DELETE limits', ({ limiter }) => limiter.set(undefined)],
  ['GET readings', ({ readings }) => readings.current],
  ['POST readings', ({ readings }, body) => readings.set(readReadings(body))],
  ['DELETE readings', ({ readings }) => readings.clear()],
  ['POST annotators', ({ annotators }, body) => setScript(annotators, readScript(body))],
  ['POST submit-error', ({ world }, body) => setSubmitError(world, body)],
  ['GET clock', ({ clock }) => clockState(clock)],
  ['POST clock', ({ clock }, body) => steerClock(clock, body)],
  ['POST keys', ({ world }, body) => world.createKey(body as NewKey)],
  ['POST keys/revoke', ({ world }, body) => world.revoke(readKey(body))],
  ['POST keys/restore', ({ world }, body) => world.restore(readKey(body))],
  ['POST keys/delete', ({ world }, body) => world.delete(readKey(body))],
  ['GET projects', ({ world }) => projectsOf(world)],
  ['POST projects', ({ world }, body) => seedProject(world, readNewProject(body)).record],
  ['POST annotate', ({ world }, body) => annotate(world, body)],
])

/** Large enough for a project with some thousand turns. */
const maxBytes = 64 * 2 ** 20

/** Create the handler of the paths under `/_svc/`, for requests with the token; it returns undefined for other paths. */
export function createControl(target: ControlTarget, token: string) {
  return async (request: IncomingRequest): Promise<OutgoingResponse | undefined> => {
    if (request.surface !== 'annotation' || !request.path.startsWith(controlPath)) return undefined
    const { headers, ...response } = await run(request, target, token).catch((error: Error) => {
      // The world, the faults and the clock refuse invalid input with these; any other error is a failure of the server.
      const isInvalidInput = ['Error', 'RangeError'].includes(error.name)
      return errorResponse('annotation', isInvalidInput ? new Refusal(400, error.message) : error, target.onError)
    })
    return { ...response, headers: { ...headers, date: httpDate(target.clock.now()) } }
  }
}

async function run(request: IncomingRequest, target: ControlTarget, token: string): Promise<OutgoingResponse> {
  const { method, path, header, rejection } = request
  if (rejection) throw rejection
  // Other pages of loopback may use the surfaces, but not the control plane.
  const origin = header('origin')
  if (origin !== null && origin !== `http://${header('host')}`)
    throw new Refusal(403, 'Pages of other origins cannot use the control plane.')
  if (bearer(header('authorization')) !== token)
    throw new Refusal(401, 'The control plane needs its token as bearer token.')
  const command = commands.get(`${method} ${path.slice(controlPath.length)}`)
  if (!command) {
    const known = [...commands.keys()].join(', ')
    throw new Refusal(404, `The control plane has no ${method} ${path}; it has: ${known}.`)
  }
  const value = command(target, method === 'POST' ? await readBody(request) : undefined)
  if (value === undefined) return { status: 204, headers: {}, body: '' }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

async function readBody(request: IncomingRequest): Promise<unknown> {
  const body = await request.readBody(maxBytes)
  return body.length === 0 ? {} : parseJson(body, request.header('content-type'), 400)
}

function read<T>(body: unknown, validator: Validator): T {
  assertValid(body, validator, (problems) => new Refusal(400, problems))
  return body as T
}

/** Read a rule as an object, or as text in `{ "fault": "…" }`. `faults.add` checks it. */
function readFault(body: unknown): FaultRule | string {
  const rule = read<FaultRule & { fault?: unknown }>(body, anyObject)
  return typeof rule.fault === 'string' ? rule.fault : rule
}

const projectsOf = (world: World) =>
  Array.from(world.allProjects(), ({ record, workspace, domain, extra }) => ({ ...record, workspace, domain, extra }))

const annotateFields = closed({ transcript: string, annotations: anyObject })

function annotate(world: World, body: unknown): void {
  const { transcript: id, annotations } = read<{ transcript: string; annotations: Annotations }>(body, annotateFields)
  const transcript = world.transcript(id)
  if (!transcript) throw new Refusal(400, '/transcript: expected the id of a transcript of this server')
  world.annotate(transcript, annotations)
}

const readKey = (body: unknown): string => read<{ key: string }>(body, object({ key: string })).key

const clockFields = closed({}, { advanceMs: wholeNumber(0), jumpWallMs: wholeNumber(), to: isoDate, running: boolean })

function steerClock(clock: Clock, body: unknown): unknown {
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
  return clockState(clock)
}

const clockState = (clock: Clock) => ({ now: toIso(clock.now()), running: isSteered(clock) ? clock.running : true })

/** Let the annotation job of every upload fail, until this is turned off or the server is reset. */
function setSubmitError(world: World, body: unknown): void {
  const { on } = read<{ on: boolean }>(body, closed({ on: boolean }))
  world.submitError = on
}
