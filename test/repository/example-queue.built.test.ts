import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createClient } from '@svc/client'
import { createReferenceServer, referenceKey } from '@svc/reference-server'
import { Queue, QueueEvents } from 'bullmq'
import { expect, it, onTestFinished } from 'vitest'
import { type Conversation, startWorker } from '../../examples/queue.js'

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const program = 'redis-server'
const isInstalled = spawnSync(program, ['--version']).status === 0
const name = 'examples/queue.ts stores each job once, though some are delivered again'
if (!isInstalled) it.skip(`${name} (not run: ${program} is not installed)`)
else
  it(name, async () => {
    const port = await freePort()
    const redis = spawn(program, ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'])
    onTestFinished(() => void redis.kill())
    for await (const line of redis.stdout) if (String(line).includes('Ready to accept connections')) break
    redis.stdout.resume()
    const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null }

    const server = createReferenceServer()
    const { baseUrl, publicBaseUrl, close } = await server.listen({ port: 0 })
    onTestFinished(() => close())
    const client = createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl, environment: {} })
    const { id: project } = server.world.createProject({ name: 'Support' }).record

    const queue = new Queue<Conversation, string>('conversations', { connection })
    const events = new QueueEvents('conversations', { connection })
    await events.waitUntilReady()
    const workers = [1, 2].map(() => startWorker(client, project, connection, 'conversations'))
    const deliver = async (jobId: string, content: string) => {
      const turns = [{ role: 'user', content }]
      const data = { name: jobId, turns, sourceTimestamp: '2026-01-01T10:00:00Z' } as Conversation
      const job = await queue.add('store', data, { jobId, removeOnComplete: true, removeOnFail: true })
      return job.waitUntilFinished(events)
    }
    try {
      const jobs = Array.from({ length: 8 }, (_, n) => `call-${n}`)
      const first = await Promise.all(jobs.map((id) => deliver(id, `Where is order ${id}?`)))
      const again = await Promise.all(jobs.map((id) => deliver(id, `Where is order ${id}?`)))
      expect(again).toEqual(first)
      expect(new Set(server.world.transcripts(project).map(({ record }) => record.id))).toEqual(new Set(first))
      await expect(deliver('call-0', 'Something else')).rejects.toThrow(first[0])
    } finally {
      await Promise.all([...workers, queue, events].map((each) => each.close()))
    }
  })
