import type { ReportDiff } from '../../checks/merge-and-diff/report-diff.js'
import type { Context } from '../../context.js'
import type { ExitCode } from '../../exit.js'
import { printJson } from '../../output.js'
import { goesToFile, ownsStdout } from '../../reports/targets.js'
import { exitAfter, writeReports } from '../../reports/write.js'
import { inertJson } from '../../text.js'
import type { DiffTarget } from './diff-formats.js'
import { diffMarkdown } from './diff-markdown.js'
import { diffText } from './diff-text.js'

const rendererOf: Record<DiffTarget['id'], (diff: ReportDiff) => Iterable<string>> = {
  json: (diff) => [`${inertJson(diff, 2)}\n`],
  md: diffMarkdown,
}

/**
 * Writes the difference to every file that is named, and shows it on stdout unless something else is there. Returns the
 * exit code: `code`, or 1 where that is 0 and a file could not be written.
 */
export async function deliverDiff(
  context: Context,
  diff: ReportDiff,
  targets: readonly DiffTarget[],
  code: ExitCode,
): Promise<ExitCode> {
  const { io, flags, style } = context
  const failure = await writeReports(io, targets.filter(goesToFile), (id) => rendererOf[id](diff))
  const owner = targets.find(ownsStdout)
  if (flags.json) printJson(context, diff)
  else for (const part of owner ? rendererOf[owner.id](diff) : diffText(diff, style.out)) io.stdout.write(part)
  return exitAfter(io, failure, code)
}
