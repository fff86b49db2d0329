import { AmbiguousWriteError, type SvcClient, stampOf, type TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { dice } from '../../helpers/chaotic-service.js'
import { isLong, seed } from '../../helpers/long.js'
import { answer, passOn, reset, resetUnread, silence, storedLater, storedThen, truncated } from './acts.js'
import type { Act } from './fault-server.js'
import { openLab } from './lab.js'
import { transports } from './transports.js'

const uploads = isLong ? 600 : 60
const concurrency = 8

/** The faults of a POST: drops, resets, stalls and 5xx, before and after it was stored. */
const postFaults: Act[] = [
  ...[resetUnread, reset, silence, answer(500), answer(502), answer(503), answer(504)],
  ...[reset, silence, truncated(201), answer(500), answer(502), answer(503), answer(504)].map(storedThen),
  ...[storedLater(3_000, reset), storedLater(40_000, reset), storedLater(50_000, silence)],
]
const getFaults: Act[] = [resetUnread, reset, silence, truncated(200), answer(500), answer(503)]

/** The same in both programs: some of it several times in each. */
const contentOf = (index: number): TranscriptUpload => ({
  name: `Call ${index % 50}`,
  turns: [{ role: 'user', content: `Where is order ${index % 50}?` }],
})

describe.each(transports)('over $name, two programs that upload equal content to a failing service', (transport) => {
  it(`lose none of ${uploads} uploads each and double none (seed ${seed})`, async () => {
    const random = dice(seed)
    const callOfWrite = new Map<unknown, string>()
    const failing: Act = async (exchange) => {
      const { method, headers } = exchange.request
      const faults = method === 'POST' ? postFaults : getFaults
      const isFault = random() < (method === 'POST' ? 0.3 : 0.1)
      const act = (isFault && faults[Math.floor(random() * faults.length)]) || passOn
      if (method === 'POST' && act !== resetUnread) {
        const upload = JSON.parse(String(await exchange.body())) as TranscriptUpload
        callOfWrite.set(stampOf(upload)?.write, String(headers['x-call']))
      }
      return act(exchange)
    }
    const lab = await openLab(transport, { script: [failing] })
    const results = new Map<string, { id: string } | Error>()

    /** Uploads everything, some at a time, each call with its name in a header. */
    const program = async (name: string, svc: SvcClient) => {
      let next = 0
      const worker = async () => {
        for (let index = next++; index < uploads; index = next++) {
          const call = `${name}-${index}`
          const upload = svc.transcripts.upload(lab.projectId, contentOf(index), { headers: { 'x-call': call } })
          results.set(call, await upload.catch((error: Error) => error))
        }
      }
      await Promise.all(Array.from({ length: concurrency }, worker))
    }
    await lab.until(Promise.all([program('one', lab.client()), program('other', lab.client())]), 240_000)
    await lab.clock.advance(120_000)
    const records = lab.server.service.world.transcripts(lab.projectId).map(({ record }) => record)
    await lab.close()

    const stored = new Map<string, string[]>()
    for (const record of records) {
      const call = callOfWrite.get(stampOf(record)?.write) ?? expect.unreachable('a record of no call')
      stored.set(call, [...(stored.get(call) ?? []), record.id])
    }
    expect(results.size).toBe(2 * uploads)
    let ambiguous = 0
    for (const [call, result] of results) {
      const ids = stored.get(call) ?? []
      if (!(result instanceof Error)) expect({ call, ids }).toEqual({ call, ids: [result.id] })
      else {
        ambiguous++
        expect(result).toBeInstanceOf(AmbiguousWriteError)
        expect(ids.length).toBeLessThanOrEqual(1)
      }
    }
    // Both queries failed, or three sends did.
    expect(ambiguous).toBeLessThan(uploads / 10)
  }, 300_000)
})
