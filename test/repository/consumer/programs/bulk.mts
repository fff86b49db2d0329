import {
  applyUploads,
  BulkError,
  type BulkUpload,
  createPreparer,
  type Disk,
  planUploads,
  shardOf,
  type UploadResult,
  type UploadSummary,
  uploadAll,
  withBodies,
} from '@svc/bulk'
import { nodeDisk } from '@svc/bulk/node'
import { createClient, type NextStep, type Transcript, type TranscriptUpload } from '@svc/client'
import { same } from './same.mjs'

export async function upload(project: string): Promise<UploadSummary> {
  const client = createClient()
  const transcripts: (TranscriptUpload | BulkUpload<number>)[] = [
    { name: 'Order 7', turns: [{ role: 'user', content: 'Where is it?' }] },
    { upload: { name: 'Order 8', turns: [{ role: 'user', content: 'Hello' }] }, source: 'row 8', tag: 8 },
  ]
  const disk: Disk = { ...nodeDisk, remove: (path) => console.log(path) }
  const run = uploadAll({ client, project, transcripts, ledger: './ledger', disk, shard: shardOf(undefined, {}) })
  try {
    for await (const each of run) {
      same<typeof each, UploadResult<number>>(true)
      if (each.result === 'uploaded') same<typeof each.transcript, Transcript>(true)
      else if (each.result === 'failed') same<typeof each.step, NextStep>(true)
      // @ts-expect-error only stored ones have an id
      else each.id
    }
  } catch (error) {
    if (error instanceof BulkError && error.code === 'ledger_locked') console.log(error.hint, error.details)
    // @ts-expect-error no such code
    if (error instanceof BulkError && error.code === 'locked') throw error
  }
  // @ts-expect-error a ledger is required
  uploadAll({ client, project, transcripts })
  return run.summary()
}

export async function planned(project: string, bodies: AsyncIterable<TranscriptUpload>) {
  const client = createClient()
  const target = { baseUrl: 'https://svc.test', project }
  const prepare = createPreparer({ target, dedupe: true, randomId: () => crypto.randomUUID() })
  async function* checked() {
    for await (const upload of bodies) yield prepare<undefined>({ upload })
  }
  const plan = await planUploads(checked())
  if (plan.invalid.length > 0) return plan.invalid.flatMap(({ violations }) => violations.map(({ pointer }) => pointer))
  const run = applyUploads(
    withBodies(plan.items, async () => undefined),
    { ...target, client, ledger: './ledger' },
  )
  for await (const { item } of run) console.log(item.identity.key)
  return run.summary().uploaded
}
