import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownService, runProcess } from '../../helpers/own-service.js'

it('sends --concurrency uploads at a time, over at most one more connection', async () => {
  const held: (() => void)[] = []
  const sockets = new Set<unknown>()
  let [stored, most] = [0, 0]
  const { env, folder, close } = await ownService((request, response) => {
    sockets.add(request.socket)
    // The list of a project that has no ledger.
    if (request.method === 'GET') {
      response.writeHead(403).end()
      return
    }
    request.resume().on('end', () => {
      held.push(() => {
        const data = {
          id: `tr_${stored++}`,
          name: 'conversation',
          metadata: {},
          turn_count: 1,
          processing_status: 'queued',
        }
        response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
      })
      most = Math.max(most, held.length)
      // Four are held until all of them are there; a fifth would be seen.
      if (held.length === 4) setImmediate(() => held.splice(0).map((answer) => answer()))
    })
  })
  const conversations = Array.from({ length: 600 }, (_, n) => [{ role: 'user', content: `Order ${n}` }])
  writeFileSync(join(folder, 'conversations.jsonl'), conversations.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const { code } = await runProcess(['upload', 'conversations.jsonl', '-j', '4'], env, folder)
  await close()
  expect([code, stored, most]).toEqual([0, 600, 4])
  expect(sockets.size).toBeLessThanOrEqual(5)
})
