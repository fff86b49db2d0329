import { TranscriptFileError } from '../model/index.js'
import type { Parsed, Transcript } from '../transcript.js'
import { type Chunk, Import, type ParseOptions } from './importer.js'

/**
 * The transcripts of a file, in the file's order: its text, or its bytes in UTF-8 or UTF-16.
 *
 * @throws {TranscriptFileError} with every problem at once, also when there is nothing to read
 * @throws {RangeError} when `format` is not known
 */
export function parse(source: string | Uint8Array, options: ParseOptions = {}): Parsed {
  const file = new Import(options)
  const transcripts = file.end(source)
  return { format: formatOf(file), transcripts, skipped: file.skipped }
}

/**
 * The transcripts of a file whose parts come one after the other, each as soon as it is complete; memory holds those
 * under way and no more. A part may be used again once the next is asked for. A transcript that has a problem is not among them.
 *
 * @throws {TranscriptFileError} at the end, with every problem at once, also when there was nothing to read
 * @throws {RangeError} when `format` is not known
 */
export async function* parseStream(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  options: ParseOptions = {},
): AsyncGenerator<Transcript, Omit<Parsed, 'transcripts'>, undefined> {
  const file = new Import(options)
  for await (const chunk of chunks) {
    for (const transcript of file.push(chunk)) yield transcript
    if (options.stopAtFirst && file.problems.length > 0) formatOf(file)
  }
  for (const transcript of file.end()) yield transcript
  return { format: formatOf(file), skipped: file.skipped }
}

/** The format of a file that has been read without a problem. */
function formatOf({ format, problems }: Import): Parsed['format'] {
  if (problems.length === 0 && format !== undefined) return format
  throw new TranscriptFileError([...problems].sort((a, b) => a.line - b.line || a.column - b.column))
}
