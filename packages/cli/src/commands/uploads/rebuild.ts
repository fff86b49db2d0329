import { InputError } from '@svc/client'
import { openLedger } from '../../ledger/ledger.js'
import { rebuild } from '../../ledger/rebuild.js'
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
  const ledger = await openLedger({ folder: folderOf(context, flags), target: { baseUrl, project }, now: context.now })
  try {
    const rebuilt = await rebuild(ledger, project, { client, call: context.call })
    await ledger.flush()
    if (context.flags.json)
      printJson(context, { schema: 'svc/uploads-rebuilt@1', project, ledger: ledger.file, ...rebuilt })
    const { seen, stamped, added } = rebuilt
    context.say(`${count(seen, 'transcript')} of the project, ${stamped} with a stamp; ${added} added to the ledger`)
  } finally {
    await ledger.release()
  }
  return undefined
}
