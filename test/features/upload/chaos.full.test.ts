import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'
import { chaoticService, dice } from '../../helpers/chaotic-service.js'
import { isLong, seed } from '../../helpers/long.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-chaos-'))
afterAll(() => rmSync(folder, { recursive: true }))

const kills = isLong ? 200 : 3
/** More than can be uploaded before the last kill, and so many that they are sent over a pool of connections. */
const total = Math.max(500, 80 + kills * 30)
const timeoutMs = 800

const names = Array.from({ length: total }, (_, n) => `conversation ${n}`)
const conversation = (name: string) => JSON.stringify({ name, turns: [{ role: 'user', content: `This is ${name}.` }] })
writeFileSync(join(folder, 'conversations.jsonl'), names.map(conversation).join('\n'))

interface Ended {
  code: number | null
  out: string
  err: string
}

/** Runs the built command on the conversations; `kill` ends it the hard way after so many milliseconds. */
function svc(argv: string[], env: Record<string, string>, killAfterMs?: number): Promise<Ended> {
  const conversations = openSync(join(folder, 'conversations.jsonl'), 'r')
  const child = spawn(process.execPath, [bin, ...argv], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: [conversations, 'pipe', 'pipe'],
  })
  closeSync(conversations)
  const written = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    written.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    written.err += chunk
  })
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  return new Promise((resolve) =>
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code, ...written })
    }),
  )
}

const states = (out: string) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { name: string; state: string })

it(
  `has every transcript exactly once after ${kills} times kill -9 and a service of every mood (seed ${seed})`,
  async () => {
    const service = await chaoticService(seed, 120)
    const random = dice(seed + 1)
    // In turns as a file, which is planned first, and as a stream, which is sent as it comes over other connections.
    const upload = (run: number) => {
      const source = run % 2 === 0 ? 'conversations.jsonl' : '-'
      return ['upload', source, '-j', '16', '--timeout', `${timeoutMs}ms`, '--list-lag', '5s', '--quiet']
    }
    try {
      let killed = 0
      for (let runs = 0; killed < kills && runs < kills * 3; runs++) {
        const { code } = await svc(upload(runs), service.variables, 150 + random() * 1_500)
        if (code === null) killed++
      }
      expect(killed).toBe(kills)
      // Whatever is twice now stays twice.
      expect(
        [...service.stored()].filter(([, times]) => times > 1),
        'stored twice',
      ).toEqual([])

      let last: Ended = { code: null, out: '', err: '' }
      // Nothing is left to send, and nothing failed that another run would send.
      const isDone = () => {
        const sum = states(last.out).at(-1) as { not_sent?: number; failed?: number } | undefined
        return sum?.not_sent === 0 && sum.failed === 0
      }
      for (let runs = 0; runs < 60 && !isDone(); runs++) {
        last = await svc([...upload(runs), '--json'], service.variables)
      }
      const { out } = await svc(['uploads', 'list', '--state', 'unknown', '--all', '--json'], service.variables)
      const unknown = new Set(
        states(out)
          .filter(({ state }) => state === 'unknown')
          .map(({ name }) => name),
      )
      const stored = service.stored()
      expect(
        names.filter((name) => (stored.get(name) ?? 0) > 1),
        'stored twice',
      ).toEqual([])
      expect(
        names.filter((name) => !stored.has(name) && !unknown.has(name)),
        'lost',
      ).toEqual([])
      expect([last.code, last.err]).toEqual([unknown.size > 0 ? 10 : 0, unknown.size > 0 ? expect.anything() : ''])
      // A run after that sends nothing, and at most finds what was unknown.
      const again = await svc([...upload(1), '--json'], service.variables)
      const uploaded = states(again.out).filter((line) => 'result' in line && line.result === 'uploaded')
      expect(uploaded.filter(({ name }) => !unknown.has(name))).toEqual([])
    } finally {
      service.close()
    }
  },
  60_000 + kills * 6_000,
)
