import type { Loss } from '@svc/transcripts'
import type { Context } from '../../context.js'
import {
  addLoss,
  conversationsIn,
  type Input,
  invalidInput,
  lossText,
  type ReadFlags,
  type ReadReport,
  type Source,
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
  const { problems, hint, add } = readReport
  if (problems.length > 0) throw invalidInput(problems, 'read', hint, add)
}

/** The format of a file; or the `product`, or kind of file, that is known but not read and has no format. */
interface DetectedFile {
  path: string
  format: string | null
  product?: string
  transcripts: number
  turns: number
  losses: Loss[]
}

/** The files of the input, read one by one; those that are known but not read come last. */
async function detectedFiles(
  { sources }: Pick<Input, 'sources'>,
  flags: ReadFlags,
  now: number,
  report: ReadReport,
): Promise<DetectedFile[]> {
  const files = new Map<Source, DetectedFile>()
  const losses = new Map<Source, Map<string, Loss>>()
  for await (const { source, transcript } of conversationsIn(sources, flags, now, report)) {
    const { format, turns } = transcript
    const file = files.get(source) ?? { path: source.path, format, transcripts: 0, turns: 0, losses: [] }
    files.set(source, file)
    file.transcripts++
    file.turns += turns.length
    const sums = losses.get(source) ?? new Map<string, Loss>()
    losses.set(source, sums)
    for (const loss of transcript.losses) addLoss(sums, loss)
    file.losses = [...sums.values()]
  }
  const unread = (report.products ?? []).map((each) => ({
    ...each,
    format: null,
    transcripts: 0,
    turns: 0,
    losses: [],
  }))
  return [...files.values(), ...unread]
}
