import { bearer } from './auth.js'
import { type Clock, httpDate, type SteeredClock } from './clock.js'
import { type FaultRule, type Faults, parseFault } from './faults.js'
import {
  ClientClosedRequest,
  type IncomingRequest,
  internalError,
  type OutgoingResponse,
  refusalResponse,
} from './http-messages.js'
import { Refusal } from './refusal.js'
import type { JournalEntry } from './router/index.js'
import { isObject, parseInstant, parseJson, toIso } from './validation/index.js'
import { type NewKey, readNewProject, seedProject, type World } from './world/index.js'

/** What can be steered from outside. */
export interface ControlTarget {
  world: World
  clock: Clock
  requests: JournalEntry[]
  faults: Faults
  reset(): void
  onError(error: unknown): void
}

/** Under this path of the annotation surface, and for nobody who does not know the token. */
export const controlPath = '/_svc/'

type Act = (target: ControlTarget, body: unknown) => unknown

const acts: Readonly<Record<string, Act>> = {
  'POST reset': ({ reset }) => reset(),
  'GET requests': ({ requests }) => requests,
  'DELETE requests': ({ requests }) => void requests.splice(0),
  'GET faults': ({ faults }) => faults.rules,
  'POST faults': ({ faults }, body) => faults.add(faultOf(body)),
  'DELETE faults': ({ faults }) => faults.clear(),
  'POST submit-error': ({ world }, body) => setSubmitError(world, body),
  'GET clock': ({ clock }) => timeOf(clock),
  'POST clock': ({ clock }, body) => steer(clock, body),
  'POST keys': ({ world }, body) => world.createKey(body as NewKey),
  'POST keys/revoke': ({ world }, body) => world.revoke(textOf(body, 'key')),
  'POST keys/restore': ({ world }, body) => world.restore(textOf(body, 'key')),
  'POST keys/delete': ({ world }, body) => world.delete(textOf(body, 'key')),
  'POST projects': ({ world }, body) => seedProject(world, readNewProject(body)).record,
}

/** A body of this size is enough for a seed of some thousand turns. */
const maxBytes = 64 * 2 ** 20

/** Answers a call to the control of a server; undefined for any other call. Never rejects. */
export function createControl(target: ControlTarget, token: string) {
  return async (call: IncomingRequest): Promise<OutgoingResponse | undefined> => {
    if (call.surface !== 'annotation' || !call.path.startsWith(controlPath)) return undefined
    const { headers, ...answer } = await answerTo(call, target, token)
    return { ...answer, headers: { ...headers, date: httpDate(target.clock.now()) } }
  }
}

async function answerTo(call: IncomingRequest, target: ControlTarget, token: string): Promise<OutgoingResponse> {
  try {
    admit(call, token)
    const body = await bodyOf(call)
    const value = actOf(call)(target, body)
    return value === undefined ? { status: 204, headers: {}, body: '' } : done(value)
  } catch (error) {
    if (error instanceof ClientClosedRequest) return { status: 499, headers: {}, body: '' }
    const refusal = refusalOf(error)
    if (refusal) return refusalResponse('annotation', refusal)
    target.onError(error)
    return internalError('annotation')
  }
}

/** What cannot be done says so in an Error of no class of its own; anything else is a failure of the server. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const { name, message } = error as Error
  return ['Error', 'RangeError'].includes(name) ? new Refusal(400, message) : undefined
}

/** The HTTP edge knows a foreign `Host` and `Origin`; control is not for pages of other loopback origins either. */
function admit(call: IncomingRequest, token: string): void {
  if (call.rejection) throw call.rejection
  const host = call.header('host')
  const origin = call.header('origin')
  if (origin !== null && origin !== `http://${host}`)
    throw new Refusal(403, 'Control is not for pages of other origins.')
  if (bearer(call.header('authorization')) !== token) throw new Refusal(401, 'Control needs its token as bearer.')
}

function actOf({ method, path }: IncomingRequest): Act {
  const name = path.slice(controlPath.length)
  const act = Object.hasOwn(acts, `${method} ${name}`) ? acts[`${method} ${name}`] : undefined
  if (act) return act
  throw new Refusal(404, `Control has no ${method} ${path}; there are: ${Object.keys(acts).join(', ')}.`)
}

async function bodyOf(call: IncomingRequest): Promise<unknown> {
  if (call.method !== 'POST') return undefined
  const body = await call.readBody(maxBytes)
  return body.length === 0 ? {} : parseJson(body, call.header('content-type'), 400)
}

const done = (value: unknown): OutgoingResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** A rule as an object, or `{ "fault": "…" }` with its text; the rule is checked where it is added. */
function faultOf(body: unknown): FaultRule {
  if (!isObject(body)) throw new Refusal(400, 'A fault must be an object.')
  return typeof body.fault === 'string' ? parseFault(body.fault) : (body as unknown as FaultRule)
}

function steer(clock: Clock, body: unknown): unknown {
  if (!isSteered(clock)) throw new Refusal(409, 'The clock of this server cannot be steered.')
  const { advanceMs, to, running, ...others } = isObject(body) ? body : { others: body }
  const misnamed = Object.keys(others)
  if (misnamed.length > 0)
    throw new Refusal(400, `clock: expected advanceMs, to or running, not ${misnamed.join(', ')}`)
  const time = typeof to === 'string' ? parseInstant(to)?.ms : undefined
  if (to !== undefined && time === undefined) throw new Refusal(400, '/to: expected an ISO 8601 date-time')
  if (advanceMs !== undefined && !(Number.isSafeInteger(advanceMs) && (advanceMs as number) >= 0)) {
    throw new Refusal(400, '/advanceMs: expected an integer from 0')
  }
  if (running === false) clock.stop()
  if (time !== undefined) clock.moveTo(time)
  if (advanceMs !== undefined) clock.advance(advanceMs as number)
  if (running === true) clock.run()
  return timeOf(clock)
}

/** Whether annotation jobs cannot be submitted from now on, until it is taken back or the server is reset. */
function setSubmitError(world: World, body: unknown): void {
  const on = isObject(body) && Object.keys(body).length === 1 ? body.on : undefined
  if (typeof on !== 'boolean') throw new Refusal(400, '/on: expected true or false, and no other field')
  world.submit = () => !on
}

const isSteered = (clock: Clock): clock is SteeredClock => 'advance' in clock && 'moveTo' in clock
const timeOf = (clock: Clock) => ({ now: toIso(clock.now()), running: isSteered(clock) ? clock.running : true })

function textOf(body: unknown, name: string): string {
  const text = isObject(body) ? body[name] : undefined
  if (typeof text !== 'string') throw new Refusal(400, `/${name}: expected a string`)
  return text
}
