import { describe, expect, it } from 'vitest'
import { dice } from '../../helpers/chaotic-service.js'
import { isLong, seed } from '../../helpers/long.js'
import { createShell } from '../../helpers/run-cli.js'
import type { RequestHandler } from '../../helpers/session.js'

const uploads = isLong ? 600 : 150

const conversations = Array.from({ length: uploads }, (_, n) => ({
  name: `Call ${n % 50}`,
  turns: [{ role: 'user', content: `Where is order ${n % 50}?` }],
}))

type Fault = (request: Request, service: RequestHandler) => Promise<Response>

const broken = (code: string): never => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}
const drop: Fault = async () => broken('ECONNRESET')
const refuse: Fault = async () => broken('ECONNREFUSED')
const stall: Fault = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
const status =
  (code: number): Fault =>
  async () =>
    Response.json({ error: { message: 'trouble', type: 'server_error', code } }, { status: code })
const cutOff: Fault = async () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }))
/** Stores what was sent, and answers another way. */
const stored =
  (then: Fault): Fault =>
  async (request, service) => {
    await service(request.clone())
    return then(request, service)
  }

/** Drops, resets, stalls and 5xx, before and after the service stored what it was sent. */
const postFaults = [
  ...[refuse, drop, stall, status(500), status(502), status(503), status(504)],
  ...[drop, stall, cutOff, status(500), status(502), status(503), status(504)].map(stored),
]
const getFaults = [drop, stall, cutOff, status(500), status(503)]

describe('two svc upload that send equal content to a failing service, each with a ledger of its own', () => {
  it(`lose none of ${uploads} uploads each and double none (seed ${seed})`, async () => {
    const { svc, clock, fetch: service, server, project } = createShell()
    const random = dice(seed)
    let faulty = 0
    const failing: RequestHandler = async (request) => {
      const [faults, share] = request.method === 'POST' ? [postFaults, 0.3] : [getFaults, 0.1]
      const fault = random() < share && faults[Math.floor(random() * faults.length)]
      if (fault) faulty++
      return fault ? fault(request, service) : service(request)
    }
    const upload = (ledger: string) =>
      svc(['upload', 'conversations.json', '--json', '--concurrency', '8', '--ledger', ledger], {
        files: { 'conversations.json': conversations },
        io: { fetch: failing },
      })
    const codes: number[][] = []
    for (let round = 0; round < 12; round++) {
      const ended = await clock.until(Promise.all([upload('one'), upload('other')]))
      codes.push(ended.map(({ code }) => code))
      // Unknown outcomes and an outage end with a code that says to run the same command again.
      for (const { code, err } of ended) expect([0, 10, 75], err).toContain(code)
      if (ended.some(({ code }) => code !== 0)) continue
      const [one = [], other = []] = ended.map(({ lines }) => lines().flatMap(({ id }) => (id ? [String(id)] : [])))
      expect([new Set(one).size, new Set(other).size]).toEqual([uploads, uploads])
      const ids = server.world.transcripts(project).map(({ record }) => record.id)
      expect(ids.sort()).toEqual([...one, ...other].sort())
      expect(faulty).toBeGreaterThan(uploads / 4)
      return
    }
    expect.fail(`the uploads did not end: ${JSON.stringify(codes)}`)
  }, 300_000)
})
