import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { goals } from './goals.js'
import { only, sideBySide } from './measure.js'
import { type Comparison, compare, heading } from './page.js'
import type { PeerName } from './programs/peers.js'
import { compiled, type Spent, serve } from './programs.js'

const overNode = '@svc/client over nodeTransport()'
const overConnections = '@svc/client over nodeTransport({ connections: 8 })'
const names: PeerName[] = [
  'bare openapi-fetch',
  '@svc/client',
  'raw fetch',
  overNode,
  overConnections,
  'bare node:http',
  'undici request',
  'undici fetch',
  'stripe',
  'openai',
  'ky',
]

/** Reads and uploads through the client, beside its peers, over loopback; each in its own process, in strict turns. */
export async function benchCalls(): Promise<void> {
  const server = await serve('loopback')
  const program = await compiled('caller')
  const callers = names.map((name) => callerOf(name, program, server.baseUrl))

  // Enough calls for the compiler to have settled before the first measured round.
  for (const { turn } of callers) {
    await turn('3000 8 get')
    await turn('5 1 upload')
  }
  const reads = {
    unit: 'µs a call',
    scale: 1_000,
    over: ['bare openapi-fetch', 'raw fetch', overNode],
  }
  const get = { '@svc/client': { over: 'bare openapi-fetch', goal: goals.get } }
  heading(
    'A GET, one after the other',
    '120 rounds of 100 calls; ratios are medians of rounds, ± their noise, in brackets the quartiles',
  )
  show(await inTurns(callers, '100 1 get', 120), {
    ...reads,
    goals: { ...get, [overNode]: { over: 'raw fetch', goal: goals.getOverNodeTransport } },
  })
  heading('A GET by 8 callers', '120 rounds of 160 calls')
  show(await inTurns(callers, '160 8 get', 120), {
    ...reads,
    goals: { ...get, [overConnections]: { over: 'raw fetch', goal: goals.getOverConnections } },
  })
  heading('An upload of 5 MB', '30 rounds of 2 calls, JSON.stringify included')
  const goal = { over: 'raw fetch', goal: goals.upload }
  show(await inTurns(callers, '2 1 upload', 30), {
    unit: 'ms a call',
    over: ['raw fetch'],
    goals: { '@svc/client': goal },
  })
  for (const { stop } of callers) stop()
  server.stop()
}

interface Caller {
  name: PeerName
  turn(order: string): Promise<Spent>
  stop(): void
}

function callerOf(name: PeerName, program: string, baseUrl: string): Caller {
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit']
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [program, name, baseUrl], {
    stdio,
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    name,
    async turn(order) {
      child.stdin.write(`${order}\n`)
      const { value } = await lines.next()
      if (value === undefined) throw new Error(`${name}: ended before its turn`)
      return JSON.parse(value)
    },
    stop: () => child.kill(),
  }
}

/** What each caller spent on such a turn, round by round. */
const inTurns = (callers: Caller[], order: string, rounds: number) =>
  sideBySide(Object.fromEntries(callers.map(({ name, turn }) => [name, () => turn(order)])), rounds)

const show = (spent: Record<string, Spent[]>, comparison: Comparison) =>
  compare(only(spent, 'wall'), comparison, only(spent, 'cpu'))
