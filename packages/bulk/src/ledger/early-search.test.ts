import { createClient, type Fetch } from '@svc/client'
import { createServer, referenceKey } from '@svc/reference-server/core'
import { expect, it } from 'vitest'
import { handClock } from '../../../../test/helpers/hand-clock.js'
import { intentOf } from '../../test/fixtures/ledger.js'
import { memoryDisk } from '../../test/fixtures/memory-disk.js'
import { reconcileLedger } from '../index.js'
import { openLedger } from './index.js'

/** A project with so many transcripts, an upload of which the answer is not known, and the requests of its reconciliation. */
async function reconcileAmong(others: number, isStored: boolean) {
  const clock = handClock()
  const server = createServer({ clock, baseUrl: 'https://svc.test' })
  const { baseUrl, publicBaseUrl } = server
  const project = server.world.createProject({ name: 'Test' })
  const turns = [{ role: 'user' as const, content: 'Hi' }]
  const add = (name: string, key: string, write: string) =>
    server.world.createTranscript(project, { name, turns, metadata: { svc: { key, occurrence: 1, write } } })
  const target = { baseUrl: publicBaseUrl, project: project.record.id }
  const environment = { clock, disk: memoryDisk().disk }
  const writer = await openLedger({ target, folder: '/ledger', ...environment })
  const intent = intentOf('Hello', { write: 'a'.repeat(32) })
  await writer.intend([intent])
  await writer.release()
  for (let i = 0; i < others; i++) {
    if (isStored && i === others >> 1) add('Hello', intent.key, 'a'.repeat(32))
    add(`Transcript ${i}`, i.toString(16).padStart(32, '0'), i.toString(16).padStart(32, 'b'))
  }
  let requests = 0
  const fetch: Fetch = (...given) => {
    requests++
    return server.fetch(...given)
  }
  const client = createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl, clock, environment: {}, fetch })
  const early: number[] = []
  const reconciling = reconcileLedger({
    ...target,
    ...environment,
    ledger: '/ledger',
    client,
    onWait: () => void early.push(requests),
  })
  const [upload] = (await clock.until(reconciling)).uploads
  return { result: upload?.result, early, requests }
}

it('a search reads at most 20 pages and both ends of the list while the upload may still arrive', async () => {
  expect(await reconcileAmong(3_050, false)).toEqual({ result: 'unsent', early: [23], requests: 23 + 3 + 31 })
  expect(await reconcileAmong(3_050, true)).toMatchObject({ result: 'done', early: [] })
  expect(await reconcileAmong(450, false)).toEqual({ result: 'unsent', early: [3 + 5], requests: 2 * (3 + 5) })
})
