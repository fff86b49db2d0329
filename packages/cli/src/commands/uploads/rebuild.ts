import { rmSync } from 'node:fs'
import { InputError } from '@svc/client'
import { emptiedFiles, stemOf } from '../../ledger/files.js'
import { openLedger } from '../../ledger/ledger.js'
import { rebuild } from '../../ledger/reconcile.js'
import { printJson } from '../../output.js'
import { requireProject } from '../../settings/project.js'
import { count } from '../../text.js'
import type { Work } from '../act.js'
import { folderOf, type LedgerFlags } from './books.js'

export const rebuildUploads: Work<[], LedgerFlags> = async (context, _, flags) => {
  const project = await requireProject(context, flags.project)
  const client = await context.client()
  const baseUrl = (await context.settings()).publicBaseUrl?.value
  if (baseUrl === undefined)
    throw new InputError('missing_base_url', 'The address of the service is not set.', 'uploads.rebuild')
  const folder = folderOf(context, flags)
  const target = { baseUrl, project }
  const emptied = emptiedFiles(folder, `${stemOf(target)}.`)
  const ledger = await openLedger({ folder, target, now: context.now, emptied })
  try {
    const rebuilt = await rebuild(ledger, project, { client, call: context.call })
    await ledger.flush()
    // Only now: until then they say that something was lost.
    for (const path of emptied) if (path !== ledger.file || rebuilt.added === 0) rmSync(path)
    if (context.flags.json)
      printJson(context, { schema: 'svc/uploads-rebuilt@1', project, ledger: ledger.file, ...rebuilt })
    const { seen, stamped, added } = rebuilt
    context.say(`${count(seen, 'transcript')} of the project, ${stamped} with a stamp; ${added} added to the ledger`)
  } finally {
    await ledger.release()
  }
  return undefined
}
