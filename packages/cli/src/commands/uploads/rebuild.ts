import { type Rebuilt, rebuildLedger } from '@svc/bulk'
import { ledgerFileOf, unfinishedRebuilds } from '@svc/bulk/parts'
import { InputError } from '@svc/client'
import { count } from '@svc/text'
import { writeLines } from '../../errors.js'
import { CliError, exit } from '../../exit.js'
import { printJson } from '../../output/index.js'
import { requireProject } from '../../project.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { leaseNote, ledgerOption } from '../ledger-folder.js'
import { folderOf, type LedgerFlags } from './ledgers.js'

export function rebuildCommand(uploads: Command, setAction: SetAction): void {
  const command = uploads
    .command('rebuild')
    .description('Rebuild a lost ledger from the stamps stored with the uploads')
    .addOption(ledgerOption())
    .option('--project <id>', 'project (default: SVC_PROJECT)')
    .addHelpText('after', examples('svc uploads rebuild', 'svc uploads rebuild --project hp-…'))
  setAction(command, rebuildUploads)
}

const rebuildUploads: Action<[], LedgerFlags> = async (context, _, flags) => {
  const project = await requireProject(context, flags.project)
  const client = await context.client()
  const baseUrl = (await context.settings()).publicBaseUrl?.value
  if (baseUrl === undefined)
    throw new InputError('missing_base_url', 'The base URL of the service is not set.', 'uploads.rebuild')
  const { checkpoint, clock, environment } = context.io
  const folder = folderOf(context, flags)
  const target = { baseUrl, project }
  const work = { call: context.call, checkpoint, stop: context.io.stop, onLease: leaseNote(context) }
  const options = { ...environment, ...work, client, ...target, ledger: folder, clock }
  const rebuilt = await rebuildLedger(options).catch((error: unknown) => {
    const draft = `${ledgerFileOf(folder, target)}.rebuild`
    if (unfinishedRebuilds(folder, environment?.disk).some(({ path }) => path === draft))
      context.say(
        `the ledger is not rebuilt; what was found is in ${draft}: an upload that needs it waits until \`svc uploads rebuild\` has ended`,
      )
    throw error
  })
  const { seen, stamped, added, copies, unidentified, ambiguous } = rebuilt
  if (context.flags.json) printJson(context, { schema: 'svc/uploads-rebuilt@1', project, ...rebuilt })
  context.say(`${count(seen, 'transcript')} of the project, ${stamped} with a stamp; ${added} added to the ledger`)
  if (copies > 0)
    context.say(
      `stored more than once: ${count(copies, 'transcript')} beyond the first of each upload; \`svc uploads list --all --json\` shows the ids`,
    )
  if (unidentified > 0)
    context.say(
      `${unidentified} without a stamp: an upload with the content of one counts as stored, one that may be one of those whose content is not shown is not sent; see \`svc uploads list --state unidentified\``,
    )
  if (added === 0) context.say(`nothing was added: ${whyNothing(rebuilt)}`)
  if (!rebuilt.complete) throw incomplete(rebuilt)
  if (ambiguous === 0) return exit.ok
  writeLines(
    context.io,
    `${count(ambiguous, 'transcript')} of the project may be uploads of yours: they show no readable stamp, and perhaps not the content that was sent.`,
    ['The next upload does not send what may be one of them, and sends the rest.'],
    '`svc uploads reconcile` reads them again; `svc upload --again` sends everything',
  )
  return exit.unknownWrite
}

/** The error of an incomplete list: the next upload would store a transcript that it does not show a second time. */
const incomplete = ({ seen }: Rebuilt): CliError =>
  new CliError(exit.temporary, `The list of the project may not be complete: it shows ${count(seen, 'transcript')}.`, {
    details: ['The next upload sends what is not in the ledger, also if it is stored.'],
    hint: 'run the same command again before the next upload',
  })

function whyNothing({ seen, stamped }: { seen: number; stamped: number }): string {
  if (seen === 0) return 'the project has no transcripts'
  if (stamped === 0)
    return 'no transcript shows a stamp of svc; uploads with --no-stamp and of other programs have none, and a service may not show them'
  return 'the ledger already has all of them'
}
