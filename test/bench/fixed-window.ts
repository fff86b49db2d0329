import { dice, service, simulate } from '../../packages/client/src/fixed-window-fixture.js'
import { goals } from './goals.js'
import { heading, row } from './page.js'
import type { Told } from './programs/fixed-window.js'
import { compiled, run, serve } from './programs.js'

/** Who reads with a key, in how many processes, and what is to come of it. */
const readers = [
  { key: 'one', who: '@svc/client', processes: 1 },
  { key: 'two', who: '@svc/client', processes: 2 },
  { key: 'four', who: '@svc/client', processes: 4 },
  { key: 'openai', who: 'openai', processes: 1 },
  { key: 'ky', who: 'ky', processes: 1 },
]
const quota = 200
/** Windows 2 to 6 of 10 s. */
const [first, last] = [1, 5]

/** Bulk reads under a fixed window, in real time: all keys at once, a second apart so that they do not jostle. */
export async function benchFixedWindow(): Promise<void> {
  const server = await serve('fixed-window')
  const program = await compiled('bulk')
  await Promise.all(
    readers.map(async ({ key, who, processes }, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 1_300))
      const argv = [who, server.baseUrl, key, '61000']
      await Promise.all(Array.from({ length: processes }, () => run(program, argv)))
    }),
  )
  const told = (await (await fetch(`${server.baseUrl}/told`)).json()) as Told
  server.stop()

  heading(
    'A fixed window: 200 calls in 10 s, served in 20 ms, 8 callers a process',
    'windows 2 to 6; refusals: the worst',
  )
  for (const { key, who, processes } of readers) {
    const windows = (told[key] ?? []).slice(first, last + 1)
    const name = `${who}, ${processes === 1 ? '1 process' : `${processes} processes`}`
    const used = windows.map(({ accepted }) => accepted)
    const refused = windows.map((window) => window.refused)
    const share = (100 * used.reduce((sum, n) => sum + n, 0)) / (quota * (last - first + 1))
    const ours = who === '@svc/client'
    row(`${name}: quota used`, share, '%', {
      ...(ours && processes === 1 && { goal: goals.quotaUsed }),
      note: used.join(' '),
    })
    row(`${name}: refusals`, Math.max(...refused), 'a window', {
      ...(ours && { goal: goals.refusals(processes) }),
      note: refused.join(' '),
    })
  }

  simulated()
}

/** The same gate on a clock that jumps: windows of a minute, answers that take 20 s. */
function simulated(): void {
  heading(
    'The same in simulation: 60 calls in 60 s, served in 20 s, 40 callers a process',
    'windows 2 to 6 of ten runs',
  )
  for (const processes of [1, 2, 4, 16]) {
    const windows = Array.from({ length: 10 }, (_, run) => {
      const target = service(60, 60_000, true)
      simulate(target, { processes, concurrency: 40, latencyMs: 20_000, untilMs: 370_000, spread: dice(run + 1) })
      return target.windows.slice(first, last + 1)
    }).flat()
    const share = (100 * windows.reduce((sum, { accepted }) => sum + accepted, 0)) / (60 * windows.length)
    const name = processes === 1 ? '1 process' : `${processes} processes`
    row(`${name}: quota used`, share, '%', processes === 1 ? { goal: goals.quotaUsed } : {})
    row(`${name}: refusals`, Math.max(...windows.map(({ refused }) => refused)), 'a window', {
      goal: goals.refusals(processes),
    })
  }
}
