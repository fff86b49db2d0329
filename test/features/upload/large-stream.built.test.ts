import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLong } from '../../helpers/long.js'
import { bin, ownService } from '../../helpers/own-service.js'

const total = isLong ? 1_000_000_000 : 20_000_000
const usage = fileURLToPath(new URL('../../../bench/usage.cjs', import.meta.url))
const words = 'the order has not arrived yet. '.repeat(1_600)
const upload = (name: string) => `${JSON.stringify({ name, turns: [{ role: 'user', content: words }] })}\n`

/** How often each transcript has come, by its number. */
const arrived: number[] = []
let hasEnded = false
let cameBeforeTheEnd = false
let service: Awaited<ReturnType<typeof ownService>>
beforeAll(async () => {
  service = await ownService(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(403).end()
      return
    }
    let text = ''
    for await (const chunk of request) text += chunk
    const { name } = JSON.parse(text) as { name: string }
    arrived[Number(name)] = (arrived[Number(name)] ?? 0) + 1
    cameBeforeTheEnd ||= !hasEnded
    const data = { id: `tr_${name}`, name, turn_count: 1, processing_status: 'queued' }
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
})
afterAll(() => service.close())

it(`takes ${total / 1e6} MB on standard input: each transcript is sent once, the first long before the last has come, and little is held`, async () => {
  const child = spawn(process.execPath, ['-r', usage, bin, 'upload', '-'], {
    env: service.env,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  let used = ''
  child.stdio[3]?.on('data', (chunk) => {
    used += chunk
  })
  const closed = once(child, 'close')
  let written = 0
  let lines = 0
  for (; written < total; lines++) {
    const line = upload(String(lines))
    written += line.length
    if (!child.stdin?.write(line)) await Promise.race([once(child.stdin as never, 'drain'), closed])
    if (child.exitCode !== null) break
  }
  hasEnded = true
  child.stdin?.end()
  expect(await closed, said).toEqual([0, null])
  expect(arrived).toEqual(Array<number>(lines).fill(1))
  expect(cameBeforeTheEnd).toBe(true)
  expect(JSON.parse(used).peak).toBeLessThan(150)
})
