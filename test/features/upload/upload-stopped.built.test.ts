import { spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, ownService } from '../../helpers/own-service.js'
import { createShell } from '../../helpers/run-cli.js'

const stored = (id: number) =>
  JSON.stringify({
    data: { id: `tr_${id}`, name: 'a', turn_count: 1, processing_status: 'queued' },
    processing_time_ms: 1,
  })

/** A service that answers the first few uploads, and the others on request. */
let service: Awaited<ReturnType<typeof ownService>>
let held: ServerResponse[] = []
let answered = 0
let waiting: () => void = () => {}
beforeAll(async () => {
  service = await ownService((request, response) => {
    if (request.method !== 'POST')
      return void response
        .setHeader('content-type', 'application/json')
        .end('{"data":[],"pagination":{"page":1,"limit":100,"total":0},"processing_time_ms":1}')
    request.resume().on('end', () => {
      response.writeHead(201, { 'content-type': 'application/json' })
      if (answered < 3) response.end(stored(++answered))
      else {
        held.push(response)
        if (held.length === 2) waiting()
      }
    })
  })
  const conversation = (n: number) =>
    JSON.stringify({ name: `conversation ${n}`, turns: [{ role: 'user', content: `This is ${n}.` }] })
  const write = (name: string, length: number) =>
    writeFileSync(join(service.folder, name), Array.from({ length }, (_, n) => conversation(n)).join('\n'))
  write('conversations.jsonl', 20)
  // Enough transcripts for an upload over several connections.
  write('much.jsonl', 600)
})
afterAll(() => service.close())

/** Starts an upload of the conversations, and gives it back when it has two requests under way that are not answered. */
async function underWay(state: string, source = 'conversations.jsonl') {
  held = []
  answered = 0
  const isWaiting = new Promise<void>((resolve) => {
    waiting = resolve
  })
  const env = { ...service.env, SVC_STATE_DIR: join(service.folder, state) }
  const argv = ['upload', source, '-j', '2', '--json', '--timeout', '30s']
  const conversations = openSync(join(service.folder, 'conversations.jsonl'), 'r')
  const child = spawn(process.execPath, [bin, ...argv], {
    cwd: service.folder,
    env,
    stdio: [conversations, 'pipe', 'pipe'],
  })
  closeSync(conversations)
  const written = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    written.out += chunk
  })
  const isStopping = new Promise<void>((resolve) =>
    child.stderr?.on('data', (chunk) => {
      written.err += chunk
      if (written.err.includes('Stopping after 2 open requests.')) resolve()
    }),
  )
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, ...written })),
  )
  await isWaiting
  return { child, ended, isStopping }
}

const last = (out: string) => JSON.parse(out.trim().split('\n').at(-1) ?? '') as Record<string, unknown>
const list = async (state: string) => {
  const env = { ...service.env, SVC_STATE_DIR: join(service.folder, state) }
  const { out } = await createShell().svc(['uploads', 'list', '--all', '--json'], { env })
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { state?: string })
  return lines.flatMap((line) => line.state ?? [])
}
const count = (states: string[], state: string) => states.filter((each) => each === state).length

describe('an upload that is stopped', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'an upload that is stopped by %s waits for what is under way, sums up, says how to go on, and ends with %i',
    async (signal, code) => {
      const { child, ended } = await underWay(signal)
      child.kill(signal)
      // It has the signal before the answers: it looks at its signals each time that it looks at its sockets.
      for (const [index, response] of held.entries()) setTimeout(() => response.end(stored(10 + index)), 300)
      const result = await ended
      expect(result.code).toBe(code)
      expect(last(result.out)).toMatchObject({ uploaded: 5, unknown: 0, failed: 0, not_sent: 15 })
      expect(result.err).toContain(
        'to continue: svc upload conversations.jsonl -j 2 --json --timeout 30s; what is stored is not sent again',
      )
      const states = await list(signal)
      expect(count(states, 'done')).toBe(5)
      expect(states.every((state) => state === 'done' || state === 'unsent')).toBe(true)
    },
  )

  it.each([
    ['a file', 'conversations.jsonl'],
    ['a stream', '-'],
    ['much', 'much.jsonl'],
  ])('a second time ends at once, and its ledger can be read: %s', async (what, source) => {
    const { child, ended, isStopping } = await underWay(what, source)
    child.kill('SIGINT')
    await isStopping
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    const states = await list(what)
    expect([count(states, 'done'), count(states, 'open') >= 2]).toEqual([3, true])
  })
})

describe('an upload that is stopped, of a stream or of much', () => {
  it.each([
    // The end of a stream may not have been read by then.
    ['-', [15, null]],
    ['much.jsonl', [595]],
  ])('waits for what is under way, and begins no more: %s', async (source, notSent) => {
    const { child, ended, isStopping } = await underWay(`stopped ${source}`, source)
    child.kill('SIGINT')
    await isStopping
    for (const [index, response] of held.entries()) response.end(stored(10 + index))
    const { code, out } = await ended
    expect([code, last(out)]).toMatchObject([
      130,
      { uploaded: 5, unknown: 0, failed: 0, not_sent: expect.toBeOneOf(notSent) },
    ])
  })
})

describe('a terminal that is closed', () => {
  it('stops an upload as SIGTERM does', async () => {
    const { child, ended, isStopping } = await underWay('hangup')
    child.kill('SIGHUP')
    await isStopping
    for (const response of held) response.end(stored(20))
    expect((await ended).code).toBe(143)
  })
})

describe('an upload of a stream that goes wrong', () => {
  it('ends without waiting for the writer of the pipe', async () => {
    answered = -1_000
    const env = { ...service.env, SVC_STATE_DIR: join(service.folder, 'stream') }
    const child = spawn(process.execPath, [bin, 'upload', '-', '--json'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    const conversation = (n: number) => JSON.stringify({ turns: [{ role: 'user', content: `This is ${n}.` }] })
    // Never ended by the test: it is the command that has to let go.
    child.stdin.write(`${Array.from({ length: 60 }, (_, n) => conversation(n)).join('\n')}\noops\n`)
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([code, last(out)]).toMatchObject([8, { uploaded: 60, invalid: 1, not_sent: null }])
  })
})
