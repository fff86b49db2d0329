import { dirname } from 'node:path'
import type { ReportDiff } from '../../checks/merge-and-diff/report-diff.js'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { printJson } from '../../output.js'
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
  for (const { id, file } of targets) {
    if (file === undefined) continue
    const write = async () => {
      await io.makeFolder(dirname(io.resolve(file)))
      await io.writeFile(file, rendererOf[id](diff), true)
    }
    await write().catch((cause: NodeJS.ErrnoException) => {
      const hint = 'name a file in a folder that can be written'
      throw new CliError(exit.input, `${file}: the report cannot be written (${cause.code}).`, { cause, hint })
    })
  }
  const owner = targets.find(({ file }) => file === undefined)
  if (flags.json) printJson(context, diff)
  else for (const part of owner ? rendererOf[owner.id](diff) : diffText(diff, style.out)) io.stdout.write(part)
}
