import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, type TranscriptUpload } from '@svc/client'
import { afterEach } from 'vitest'
import { contentHash, hashTurns, keyOf, openLedger } from '../../../packages/bulk/src/ledger/index.js'
import { createSession, type Session } from '../../helpers/session.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

type Intended = Parameters<Awaited<ReturnType<typeof openLedger>>['intend']>[0][number]

/** A session with a project and a ledger of it, and the two halves of an upload, which a test may do or leave. */
export async function createUploads(session: Session = createSession()) {
  const { server, clock, svc } = session
  const project = server.world.createProject({ name: 'Test project' }).record.id
  const target = { baseUrl: server.publicBaseUrl, project }
  const folder = mkdtempSync(join(tmpdir(), 'svc-uploads-'))
  folders.push(folder)
  const open = () =>
    openLedger({ folder, target, clock: { ...systemClock, now: clock.now, monotonic: clock.monotonic } })
  const ledger = await open()

  /** Says in the ledger that this will be sent. */
  async function intend(words: string, more: Partial<Intended> = {}): Promise<Intended> {
    const turns = [{ role: 'user' as const, content: words }]
    const content = contentHash({ turns })
    const { occurrence = 1 } = more
    const key = keyOf(target, content, occurrence, 1)
    const of = { key, content, occurrence, part: 1, source: undefined, write: randomUUID().replaceAll('-', '') }
    const item = {
      ...of,
      name: 'conversation',
      turns: 1,
      path: 'a.json',
      record: 1,
      turnsHash: hashTurns(turns),
      ...more,
    }
    await ledger.intend([item])
    return item
  }

  /** Sends it, and says nothing of it in the ledger. */
  async function send(words: string, { name, stamped, ...item }: Intended): Promise<string> {
    const body: TranscriptUpload = {
      name,
      turns: [{ role: 'user', content: words }],
      ...(item.externalId && { externalId: item.externalId }),
      ...(stamped !== false && {
        metadata: { svc: { key: item.key, occurrence: item.occurrence, write: item.write } },
      }),
    }
    return (await svc.transcripts.upload(project, body)).id
  }

  return { ...session, project, target, folder, open, ledger, intend, send }
}
