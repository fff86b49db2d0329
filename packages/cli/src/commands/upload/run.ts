import type { Context } from '../../context.js'
import { invalidInput, labelOf, tellLosses } from '../../conversations.js'
import { type ExitCode, exit, exitCodeFor, exitCodeForMany } from '../../exit.js'
import { printJson, printJsonLine, printRows } from '../../output.js'
import { violationLines } from '../../positions.js'
import { startProgress } from '../../progress.js'
import { readConversations } from '../../reading.js'
import { stopped, tellFailures } from '../../report-error.js'
import { readInput } from '../../sessions/input.js'
import { requireProject } from '../../settings/project.js'
import { count, inert } from '../../text.js'
import type { Work } from '../act.js'
import { applyUpload, type Outcome } from './apply.js'
import { planUpload, type UploadFlags, type UploadPlan } from './plan.js'
import { outcomeJson, outcomeRow, plannedJson, summarize, summaryLine } from './render.js'

export const upload: Work<[string[]], UploadFlags> = async (context, [paths], flags) => {
  const project = await requireProject(context, flags.project)
  const reading = await readConversations(await readInput(context, paths, flags), flags, context.now())
  const plan = planUpload(reading, flags)
  for (const note of reading.notes) context.say(inert(`note: ${note}`))
  for (const warning of await violationLines(plan.warnings)) context.say(`warning: ${inert(warning)}`)
  const problems = [...reading.problems, ...(await violationLines(plan.violations))]
  if (problems.length > 0) throw invalidInput(problems, 'sent', reading.hint)
  tellLosses(context.say, reading.conversations, context.flags.verbose)
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

async function applyPlan(context: Context, { items }: UploadPlan, project: string, width: number): Promise<ExitCode> {
  const { io, flags } = context
  const alone = items.length === 1
  const progress = await startProgress(context, `uploading ${count(items.length, 'transcript')}`)
  const outcomes: Outcome[] = []
  try {
    for await (const outcome of applyUpload(items, context, project, width)) {
      outcomes.push(outcome)
      // A lone upload is a document of its own, and its failure is told as every other error.
      if (alone && 'error' in outcome) throw stopped(io, outcome.error)
      progress.update(`${outcomes.length} of ${count(items.length, 'transcript')}`)
      if (flags.json) (alone ? printJson : printJsonLine)(context, outcomeJson(outcome))
      else if ('transcript' in outcome && !io.stdout.isTTY) printRows(context, [], [outcomeRow(outcome)])
    }
  } finally {
    progress.stop()
  }
  // Stopped before the first was sent: there is nothing to sum up.
  if (outcomes.length === 0) io.signal.throwIfAborted()
  const uploaded = outcomes.filter((each) => 'transcript' in each)
  if (!flags.json && io.stdout.isTTY) {
    printRows(context, ['ID', 'NAME', 'TURNS', 'STATUS', 'FROM', 'RECORD'], uploaded.map(outcomeRow))
  }
  const failed = outcomes.filter((each) => 'error' in each)
  tellFailures(
    io,
    failed.map(({ conversation, error }) => ({ of: labelOf(conversation), error })),
  )
  const summary = summarize(project, items.length, outcomes)
  if (!alone && flags.json) printJsonLine(context, summary)
  context.say(summaryLine(summary))
  if (io.signal.aborted) return exitCodeFor(io.signal.reason)
  return exitCodeForMany(outcomes.map((each) => ('error' in each ? each.code : exit.ok)))
}
