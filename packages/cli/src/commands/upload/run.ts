import type { Context } from '../../context.js'
import { invalidInput, readConversations, tellLosses } from '../../conversations.js'
import { type ExitCode, exit, exitCodeForMany } from '../../exit.js'
import { printJson, printJsonLine, printRows } from '../../output.js'
import { startProgress } from '../../progress.js'
import { tell } from '../../report-error.js'
import { requireProject } from '../../settings.js'
import { readSources } from '../../sources.js'
import { count, inert } from '../../text.js'
import type { Work } from '../act.js'
import { applyUpload, type Outcome } from './apply.js'
import { planUpload, type UploadFlags, type UploadPlan } from './plan.js'
import { outcomeJson, outcomeRow, plannedJson, summarize, summaryLine } from './render.js'

export const upload: Work<[string[]], UploadFlags> = async (context, [paths], flags) => {
  const project = requireProject(flags.project, context.io.env)
  const reading = readConversations(await readSources(context.io, paths))
  const plan = planUpload(reading, flags)
  for (const warning of plan.warnings) context.say(`warning: ${inert(warning)}`)
  if (plan.problems.length > 0) throw invalidInput(plan.problems)
  tellLosses(context.say, reading.conversations)
  return flags.dryRun ? showPlan(context, plan, project) : applyPlan(context, plan, project, flags.concurrency)
}

function showPlan(context: Context, { items }: UploadPlan, project: string): undefined {
  if (context.flags.json) for (const item of items) printJsonLine(context, plannedJson(item))
  else {
    const rows = items.map(({ conversation, body }) => [body.name, String(body.turns.length), conversation.source.path])
    printRows(context, ['NAME', 'TURNS', 'FROM'], rows)
  }
  context.say(`${count(items.length, 'transcript')} would be uploaded to ${project}; nothing was sent`)
}

async function applyPlan(context: Context, plan: UploadPlan, project: string, concurrency: number): Promise<ExitCode> {
  const client = await context.client()
  const { signal } = context.io
  const total = plan.items.length
  const progress = await startProgress(context, `uploading ${count(total, 'transcript')}`)
  const outcomes: Outcome[] = []
  try {
    for await (const outcome of applyUpload(plan.items, client, project, { concurrency, signal })) {
      outcomes.push(outcome)
      // A lone upload is a document of its own, and its failure is told as every other error.
      if (total === 1 && outcome.result === 'failed') throw outcome.error
      progress.update(`${outcomes.length} of ${count(total, 'transcript')}`)
      if (context.flags.json) (total === 1 ? printJson : printJsonLine)(context, outcomeJson(outcome))
      else if (outcome.result === 'uploaded' && !context.io.stdout.isTTY) printRows(context, [], [outcomeRow(outcome)])
      if (outcome.result === 'failed') tellFailure(context, outcome)
    }
  } finally {
    progress.stop()
  }
  const uploaded = outcomes.filter((each) => each.result === 'uploaded')
  if (!context.flags.json && context.io.stdout.isTTY) {
    printRows(context, ['ID', 'NAME', 'TURNS', 'STATUS', 'FROM', 'RECORD'], uploaded.map(outcomeRow))
  }
  const summary = summarize(project, total, outcomes)
  if (total > 1 && context.flags.json) printJsonLine(context, summary)
  context.say(summaryLine(summary))
  if (signal.aborted) return signal.reason === 'SIGTERM' ? exit.terminated : exit.interrupted
  return exitCodeForMany(outcomes.map((each) => (each.result === 'failed' ? each.code : exit.ok)))
}

function tellFailure({ io }: Context, { item, error }: Extract<Outcome, { result: 'failed' }>): void {
  const { source, transcript } = item.conversation
  const { message, hint } = tell(error)
  io.stderr.write(`svc: ${inert(`${source.path} record ${transcript.place.record}: ${message}`)}\n`)
  if (hint) io.stderr.write(`hint: ${inert(hint)}\n`)
}
