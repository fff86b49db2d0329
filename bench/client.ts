import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { ratio, row, sideBySide } from './measure.js'
import { compiled, serve } from './processes.js'
import type { Variant } from './programs/caller.js'

const variants: Variant[] = ['bare openapi-fetch', 'client', 'raw fetch', 'nodeTransport', 'connections']

/** Reads and uploads over loopback, through the client and without it; each variant in its own process. */
export async function benchCalls(): Promise<void> {
  const server = await serve('loopback')
  const program = await compiled('caller')
  const callers = variants.map((name) => callerOf(name, program, server.baseUrl))
  const inTurns = async (order: string, rounds: number) =>
    (await sideBySide(
      Object.fromEntries(callers.map(({ name, turn }) => [name, () => turn(order)])),
      rounds,
    )) as Record<Variant, number[]>
  // Warm up every variant.
  await inTurns('3000 8 get', 0)

  const one = await inTurns('100 1 get', 40)
  row('a GET through the client', ratio(one.client, one['bare openapi-fetch']), '≤', 1.25, '× bare openapi-fetch')
  row('a GET over nodeTransport()', ratio(one.nodeTransport, one['raw fetch']), '≤', 0.85, '× raw fetch')
  const eight = await inTurns('160 8 get', 40)
  const connections = 'a GET of 8 callers over nodeTransport({ connections: 8 })'
  row(connections, ratio(eight.connections, eight['raw fetch']), '≤', 0.6, '× raw fetch')
  const upload = await inTurns('2 1 upload', 20)
  row('a 5 MB upload', ratio(upload.client, upload['raw fetch']), '≤', 1.15, '× raw fetch')

  for (const { stop } of callers) stop()
  server.stop()
}

function callerOf(name: Variant, program: string, baseUrl: string) {
  const child = spawn(process.execPath, [program, name, baseUrl], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    name,
    async turn(order: string): Promise<number> {
      child.stdin.write(`${order}\n`)
      const { value } = await lines.next()
      if (value === undefined) throw new Error(`${name}: ended before its turn`)
      return Number(value)
    },
    stop: () => child.kill(),
  }
}
