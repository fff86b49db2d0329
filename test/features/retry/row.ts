import { inspect } from 'node:util'
import { AmbiguousWriteError, ConnectionError, InputError, ServiceError } from '@svc/client'
import { referenceKey } from '@svc/reference-server'
import { expect } from 'vitest'
import { type Row, reason, result } from './fault.js'
import { type Lab, openLab } from './lab.js'
import { strangers } from './strangers.js'
import type { Transport } from './transports.js'
import { type Verb, verbs } from './verbs.js'

const stopped = new Error('the caller pressed stop')

/** The least and the greatest chance. */
export const chances: readonly number[] = [0, 1 - 2 ** -40]

/** Puts a fault to a verb, once with each chance, and says what came of it. */
export async function observe(
  transport: Transport,
  row: Row,
  verb: Verb,
  [first = 0, second]: readonly number[] = chances,
) {
  const least = await runOnce(transport, row, verb, first)
  const most = second === undefined ? least : await runOnce(transport, row, verb, second)
  expect(most.names).toEqual(least.names)
  expect(most.gets).toBe(least.gets)
  const gaps = least.gaps.map((ms, i) => spanOf(ms, most.gaps[i] ?? Number.NaN))
  const steps: { gap: string; name: string; times: number }[] = []
  for (const [i, name] of least.names.entries()) {
    const last = steps.at(-1)
    if (last?.name === name && gaps[i] === '') last.times++
    else steps.push({ gap: gaps[i] ?? '', name, times: 1 })
  }
  const shown = steps.flatMap(({ gap, name, times }) => [gap, times > 1 ? `${times} × ${name}` : name])
  return { sends: [...shown, gaps.at(-1)].filter(Boolean).join(' · ') || 'nothing', gets: least.gets }
}

async function runOnce(transport: Transport, row: Row, verb: Verb, chance: number) {
  const { script, options = {}, id, size = 4, abortAt, calls = 1 } = row
  const stranger = row.stranger && (await strangers[row.stranger]())
  const addresses = stranger && { baseUrl: stranger.origin, publicBaseUrl: stranger.origin }
  const isRead = row.kind === 'read'
  const lab = await openLab(transport, { script, scripted: isRead ? 'GET' : 'POST', ...options, ...addresses })
  try {
    const { clock, server, elsewhere } = lab
    clock.chance = chance
    const stop = new AbortController()
    if (abortAt === 'before') stop.abort(stopped)
    if (typeof abortAt === 'number') clock.after(abortAt, () => stop.abort(stopped))
    const startedAt = clock.now()
    const given = { text: 'x'.repeat(size), id: id ?? lab.projectId }
    const call = async () => verbs[verb](lab, { ...options, signal: stop.signal }, given)
    const work = Array.from({ length: calls }, () => call().catch((error: unknown) => error))
    const outcomes = await lab.until(Promise.all(work))
    const endedAt = clock.now() - startedAt

    const seen = (stranger ? unseen(lab) : server.seen).map(({ method, at }) => ({
      name: method === 'GET' && !isRead ? 'search' : method,
      at,
    }))
    // The client reads the list and the matching record in one search, without a pause.
    const requests = seen.filter(
      ({ name, at }, i) => name !== 'search' || name !== seen[i - 1]?.name || at !== seen[i - 1]?.at,
    )
    const names = requests.map(({ name }) => name)
    const gaps = [...requests.map(({ at }) => at), endedAt].map((at, i, all) => at - (all[i - 1] ?? 0))
    expect(inspect(outcomes, { depth: 9 }) + JSON.stringify(outcomes)).not.toContain(referenceKey)
    expect(elsewhere.seen).toEqual([])
    expect(clock.pending).toEqual([])
    await lab.when(() => server.counts.working === 0)
    const gets = [...new Set(outcomes.map((outcome) => reported(outcome, clock.now())))].join('; ')
    return { names, gaps, gets }
  } finally {
    await lab.close()
    await stranger?.close()
  }
}

/** Requests that no server saw, from what the client says of them. */
function unseen({ events }: Lab): { method: string; at: number }[] {
  let at = 0
  const made: { method: string; at: number }[] = []
  for (const event of events) {
    if (event.type === 'wait') at += event.ms
    if (event.type === 'request') made.push({ method: event.method, at })
  }
  return made
}

const seconds = (ms: number) => String(Math.round(ms) / 1_000)
const spanOf = (...bounds: [number, number]) => {
  const [least, most] = bounds.map(Math.round).sort((a, b) => a - b) as [number, number]
  if (most === 0) return ''
  return least === most ? `${seconds(least)} s` : `${seconds(least)}–${seconds(most)} s`
}

/** The value or the error that the caller gets, in one line. */
function reported(outcome: unknown, now: number): string {
  if (outcome === stopped) return reason
  if (!(outcome instanceof Error)) return result
  const parts = [`\`${outcome.name}\``]
  if (outcome instanceof InputError) parts.push(`reason \`${outcome.reason}\``)
  if (outcome instanceof ServiceError) {
    parts.push(`${outcome.status} \`${outcome.kind}\``)
    if (outcome.retryAt) parts.push(`\`retryAt\` in ${seconds(outcome.retryAt.getTime() - now)} s`)
  }
  if (outcome instanceof ConnectionError) parts.push(`while ${outcome.phase}${outcome.timedOut ? ', timed out' : ''}`)
  if (outcome instanceof AmbiguousWriteError) expect(outcome.candidates).toEqual([])
  return parts.join(', ')
}
