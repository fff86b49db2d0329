import type { Context } from '../../context.js'
import {
  detectedFiles,
  type Input,
  invalidInput,
  lossText,
  type ReadFlags,
  type ReadReport,
} from '../../input/index.js'
import { printJsonLine, printRows } from '../../output/index.js'

export async function detectFiles(context: Context, input: Input, flags: ReadFlags): Promise<void> {
  const readReport: ReadReport = { problems: [], notes: [], skipped: input.skipped }
  const files = await detectedFiles(input, flags, context.now(), readReport)
  for (const note of readReport.notes) context.say(`note: ${note}`)
  if (context.flags.json) {
    for (const file of files) printJsonLine(context, { schema: 'svc/detect@1', ...file })
  } else {
    const cells = files.map(({ path, format, product, transcripts, turns, losses }) => [
      path,
      format ?? `${product?.replace(/^an? /, '')} (not supported)`,
      String(transcripts),
      String(turns),
      lossText(losses),
    ])
    await printRows(
      context,
      ['PATH', 'FORMAT', 'TRANSCRIPTS', { title: 'TURNS', drop: 1 }, { title: 'LOSSES', least: 16, drop: 2 }],
      cells,
    )
  }
  const { problems, hint } = readReport
  if (problems.length > 0) throw invalidInput(problems, 'read', hint)
}
