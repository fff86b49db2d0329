import type { CallOptions, SvcClient } from '@svc/client'
import { namesOf, type Settings, type Surface } from '../../config/index.js'
import type { Context } from '../../context.js'
import { describe, exitCodeFor } from '../../errors/index.js'
import { exit } from '../../exit.js'
import { probe, type Standing } from '../../keys/index.js'
import { type Check, ok, problem, warning } from './check.js'
import { surfaces } from './local.js'

/** Check that the service answers, its clock, and the keys. */
export async function serviceChecks(context: Context, settings: Settings): Promise<Check[]> {
  let client: SvcClient
  try {
    client = await context.client()
  } catch (error) {
    const { message, hint = 'correct the base URLs' } = describe(error)
    return [problem('service', exitCodeFor(error), message, hint)]
  }
  const call = { ...context.call(), timeoutMs: context.flags.timeout ?? 10_000, retry: false as const }
  const health = settings.baseUrl ? await healthChecks(context, client, call) : []
  const keys = surfaces
    .filter((surface) => settings[namesOf[surface].key] && settings[namesOf[surface].baseUrl])
    .map((surface) => keyCheck(client, surface, call))
  return [...health, ...(await Promise.all(keys))]
}

async function healthChecks(context: Context, client: SvcClient, call: CallOptions): Promise<Check[]> {
  const sentAt = context.now()
  try {
    const { data, response } = await client.health(call).withResponse()
    const backAt = context.now()
    const message = `status ${data.status}, substrate ${data.substrate}, ${Math.round(backAt - sentAt)} ms`
    const clock = clockCheck(response.headers.get('date'), (sentAt + backAt) / 2)
    return [ok('health', message), ...(clock ? [clock] : [])]
  } catch (error) {
    context.io.signal.throwIfAborted()
    const { message, hint = 'try `svc health --debug`' } = describe(error)
    return [problem('health', exitCodeFor(error), message, hint)]
  }
}

/** A `Date` header is cut to seconds; undefined where there is none to compare with. */
export function clockCheck(date: string | null, now: number): Check | undefined {
  const there = Date.parse(date ?? '') + 500
  if (Number.isNaN(there)) return undefined
  const seconds = Math.round(Math.abs(now - there) / 1_000)
  const message =
    seconds <= 1 ? 'equal to the service’s' : `${seconds} s ${now > there ? 'ahead of' : 'behind'} the service’s`
  if (seconds <= 5) return ok('clock', message)
  const hint = 'set the clock of this machine; waits and the search for lost uploads depend on it'
  return seconds <= 60 ? warning('clock', message, hint) : problem('clock', exit.bug, message, hint)
}

async function keyCheck(client: SvcClient, surface: Surface, call: CallOptions): Promise<Check> {
  const name = `${surface} key`
  const { standing, error } = await probe(client, surface, call)
  const { message, hint = 'svc auth status' } = error === undefined ? { message: '' } : describe(error)
  const checks: Record<Standing, () => Check> = {
    accepted: () =>
      surface === 'annotation'
        ? ok(name, 'not refused')
        : ok(name, 'accepted; may read projects and transcripts; only a write shows whether it may write'),
    accepted_without_read: () =>
      warning(
        name,
        'accepted; may not read (no projects-read)',
        'lists and the search for lost uploads need a key with projects-read',
      ),
    refused: () => problem(name, exit.auth, 'refused (401)', 'store another with `svc auth login`'),
    revoked: () =>
      problem(
        name,
        exit.auth,
        'revoked or disabled (403)',
        'enable it in the dashboard, or store another with `svc auth login`',
      ),
    unavailable: () => problem(name, exit.temporary, message, hint),
    unexpected: () => problem(name, exitCodeFor(error), message, hint),
  }
  return checks[standing]()
}
