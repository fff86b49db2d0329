import type { Loss } from '@svc/transcripts'
import { addLoss } from './conversations.js'
import { conversationsIn, type ReadFlags, type ReadReport } from './read.js'
import type { Input, Source } from './sources.js'

/** The format of a file; or the `product`, or kind of file, that is known but not read and has no format. */
export interface DetectedFile {
  path: string
  format: string | null
  product?: string
  transcripts: number
  turns: number
  losses: Loss[]
}

/** The files of the input, read one by one; those that are known but not read come last. */
export async function detectedFiles(
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
