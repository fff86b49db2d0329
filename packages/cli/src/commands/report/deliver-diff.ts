import type { ReportDiff } from '../../checks/merge-and-diff/report-diff.js'
import type { Context } from '../../context.js'
import type { ExitCode } from '../../exit.js'
import { printJson } from '../../output.js'
import { describe, errorDocument, exitCodeFor } from '../../report-error.js'
import { isReport } from '../../reports/own-report.js'
import { goesToFile, ownsStdout } from '../../reports/targets.js'
import { exitAfter, writeReports } from '../../reports/write.js'
import { inertJson, inertMarkdown } from '../../text.js'
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

/** Writes why reports could not be compared in the place of earlier differences, so that none is taken for that of this run. */
export async function deliverDiffError(
  { io }: Context,
  error: unknown,
  targets: readonly DiffTarget[],
  inputs: readonly string[],
): Promise<void> {
  const { message, details } = describe(error)
  const lines = [message, ...details].map((line) => `${inertMarkdown(line)}\n`)
  const textOf: Record<DiffTarget['id'], string> = {
    json: `${inertJson(errorDocument(error, exitCodeFor(error)), 2)}\n`,
    md: `## svc report diff: not compared\n\n${lines.join('\n')}`,
  }
  const named = inputs.map((path) => io.resolve(path))
  const files: { id: DiffTarget['id']; file: string }[] = []
  for (const each of targets.filter(goesToFile))
    if (!named.includes(io.resolve(each.file)) && (await isReport(io, each.file))) files.push(each)
  exitAfter(io, await writeReports(io, files, (id) => [textOf[id]]), exitCodeFor(error))
  const owner = targets.find(ownsStdout)
  if (owner) io.stdout.write(textOf[owner.id])
}
