import type { CallOptions, SvcClient } from '@svc/client'
import { refuseMalformed, wrongFields } from '../malformed-answer.js'
import { stampedKey } from './identity.js'
import type { Ledger } from './ledger.js'
import { statusOf } from './match.js'
import { whole } from './whole.js'

/** What a look through a project has brought into the ledger. */
export interface Rebuilt {
  /** Transcripts of the project. */
  seen: number
  /** Those that bear a stamp. */
  stamped: number
  /** Those that the ledger did not know to be stored. */
  added: number
}

/** Reads every transcript of a project, and notes as stored what bears a stamp. */
export async function rebuild(
  ledger: Pick<Ledger, 'note' | 'claimed'>,
  project: string,
  { client, call }: { client: Pick<SvcClient, 'transcripts'>; call(): Pick<CallOptions, 'signal' | 'deadlineMs'> },
): Promise<Rebuilt> {
  const rebuilt: Rebuilt = { seen: 0, stamped: 0, added: 0 }
  for await (const row of client.transcripts.all(project, {}, call())) {
    refuseMalformed(wrongFields(row, '/data/*', { id: 'a text' }))
    rebuilt.seen++
    const record = stampedKey(row) === null ? await whole(row, { client, call }) : row
    const key = record && stampedKey(record)
    if (!record || typeof key !== 'string') continue
    rebuilt.stamped++
    if (ledger.claimed(record.id)) continue
    const { id, name, turn_count: turns } = record
    const status = statusOf(record)
    ledger.note({
      event: 'done',
      key,
      id,
      ...(status !== undefined && { status }),
      ...(typeof name === 'string' && { name }),
      ...(typeof turns === 'number' && { turns }),
    })
    rebuilt.added++
  }
  return rebuilt
}
