import type { Context } from '../../context.js'
import { invalidInput } from '../../conversations.js'
import { type ExitCode, exit } from '../../exit.js'
import { ledgerFolder } from '../../ledger/folder.js'
import { printJsonLine, printRows } from '../../output.js'
import { violationLines } from '../../positions.js'
import { tellLines } from '../../report-error.js'
import { count, inert } from '../../text.js'
import { refuseSharedIdentity } from '../../upload-body.js'
import type { Work } from '../act.js'
import { bodiesOf } from './bodies.js'
import type { UploadFlags } from './flags.js'
import { createJob, isStream, type Job } from './job.js'
import { plannedJson } from './outcome.js'
import { planUpload, type UploadPlan } from './plan.js'
import { rejectedLines, writeRejects } from './rejects.js'
import { send } from './send.js'
import { uploadStream } from './stream.js'

export const upload: Work<[string[]], UploadFlags> = async (context, [paths], flags) => {
  const job = await createJob(context, paths, flags)
  if (isStream(paths) && !flags.dryRun) return uploadStream(job)
  const plan = await planUpload(job.conversations, job.shape, job.shard)
  const left = await leaveOut(job, plan)
  refuseSharedIdentity(plan.items.length + plan.invalid.length, flags)
  job.tellNotes()
  for (const warning of await violationLines(plan.warnings)) context.say(`warning: ${inert(warning)}`)
  if (flags.dryRun) return showPlan(context, plan, job)
  return send(job, {
    items: bodiesOf(plan.items, job.again),
    total: plan.items.length,
    keys: new Set(plan.items.map(({ item }) => item.identity.key)),
    alone: plan.items.length === 1 && left === 0,
    rest: () => ({ invalid: left, other_shards: plan.elsewhere }),
  })
}

/** Refuses everything where something is wrong, unless that is to be left out; gives how many are. */
async function leaveOut({ context, flags, told }: Job, plan: UploadPlan): Promise<number> {
  const rejected = { unreadable: told.problems, violations: plan.violations, invalid: plan.invalid }
  const lines = await rejectedLines(rejected)
  if (lines.length === 0) return 0
  if (!flags.continueOnInvalid) throw invalidInput(lines, 'sent', told.hint)
  if (flags.rejects !== undefined && !flags.dryRun) await writeRejects(context, flags.rejects, rejected)
  const left = told.problems.length + plan.invalid.length
  tellLines(context.io, `${count(left, 'transcript')} left out.`, lines, told.hint)
  return left
}

async function showPlan(context: Context, { items }: UploadPlan, { target, shard, flags }: Job): Promise<ExitCode> {
  const { peek } = await import('../../ledger/peek.js')
  const folder = ledgerFolder(context.io.env, flags.ledger)
  const standing = flags.again ? () => undefined : peek(folder && context.io.resolve(folder), target)
  let stored = 0
  const rows: string[][] = []
  for (const { item } of items) {
    const known = standing(item.identity)
    const id = known?.state === 'done' ? known.id : undefined
    if (id !== undefined) stored++
    if (context.flags.json) printJsonLine(context, plannedJson(item, id))
    else if (id === undefined) rows.push([item.origin.name, String(item.turns), item.origin.path])
  }
  if (!context.flags.json) printRows(context, ['NAME', 'TURNS', 'FROM'], rows)
  const where = `${target.project}${shard ? ` by shard ${shard.index + 1}/${shard.of}` : ''}`
  const already = stored > 0 ? `, ${stored} stored already` : ''
  context.say(`${count(items.length - stored, 'transcript')} would be uploaded to ${where}${already}; nothing was sent`)
  return exit.ok
}
