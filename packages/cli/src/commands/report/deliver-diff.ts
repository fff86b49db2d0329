import type { ReportDiff } from '../../checks/merge-and-diff/report-diff.js'
import type { Context } from '../../context.js'
import { printJson } from '../../output.js'
import { goesToFile, ownsStdout } from '../../reports/targets.js'
import { writeReports } from '../../reports/write.js'
import { inertJson } from '../../text.js'
import type { DiffTarget } from './diff-formats.js'
import { diffMarkdown } from './diff-markdown.js'
import { diffText } from './diff-text.js'

const rendererOf: Record<DiffTarget['id'], (diff: ReportDiff) => Iterable<string>> = {
  json: (diff) => [`${inertJson(diff, 2)}\n`],
  md: diffMarkdown,
}

/** Writes the difference wherever it is wanted, and shows it on stdout unless something else is there. */
export async function deliverDiff(context: Context, diff: ReportDiff, targets: readonly DiffTarget[]): Promise<void> {
  const { io, flags, style } = context
  const failure = await writeReports(io, targets.filter(goesToFile), (id) => rendererOf[id](diff))
  const owner = targets.find(ownsStdout)
  if (flags.json) printJson(context, diff)
  else for (const part of owner ? rendererOf[owner.id](diff) : diffText(diff, style.out)) io.stdout.write(part)
  if (failure !== undefined) throw failure
}
