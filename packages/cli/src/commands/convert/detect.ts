import {
  addLoss,
  conversationsIn,
  diagnosticLine,
  type Input,
  lossText,
  type ReadFlags,
  type ReadReport,
  type Source,
} from '@svc/input'
import { count } from '@svc/text'
import type { Loss } from '@svc/transcripts'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { printJsonLine, printRows } from '../../output/index.js'

interface Detected {
  path: string
  format: string
  transcripts: number
  turns: number
  losses: Map<string, Loss>
}

export async function detectFiles(context: Context, { sources, skipped }: Input, flags: ReadFlags): Promise<void> {
  const readReport: ReadReport = { problems: [], notes: [], skipped }
  const files = new Map<Source, Detected>()
  for await (const { source, transcript } of conversationsIn(sources, flags, context.now(), readReport)) {
    const known = files.get(source)
    const file = known ?? { path: source.path, format: transcript.format, transcripts: 0, turns: 0, losses: new Map() }
    if (!known) files.set(source, file)
    file.transcripts++
    file.turns += transcript.turns.length
    for (const loss of transcript.losses) addLoss(file.losses, loss)
  }
  for (const note of readReport.notes) context.say(`note: ${note}`)
  if (context.flags.json) {
    for (const { losses, ...file } of files.values()) {
      printJsonLine(context, { schema: 'svc/detect@1', ...file, losses: [...losses.values()] })
    }
  } else {
    const cells = [...files.values()].map(({ path, format, transcripts, turns, losses }) => [
      path,
      format,
      String(transcripts),
      String(turns),
      lossText(losses.values()),
    ])
    await printRows(
      context,
      ['PATH', 'FORMAT', 'TRANSCRIPTS', { title: 'TURNS', drop: 1 }, { title: 'LOSSES', least: 16, drop: 2 }],
      cells,
    )
  }
  const { problems, hint } = readReport
  if (problems.length === 0) return
  throw new CliError(exit.input, `The input has ${count(problems.length, 'problem')}.`, {
    details: problems.map(diagnosticLine),
    ...(hint && { hint }),
  })
}
