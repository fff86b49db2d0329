import { TranscriptFileError } from '../model/index.js'
import type { Parsed, Transcript } from '../transcript.js'
import { Importer } from './importer.js'
import type { Chunk, ParseOptions } from './options.js'

/**
 * Parse a file: its text, or its bytes in UTF-8 or UTF-16. The transcripts are in the order of the file.
 *
 * @throws {TranscriptFileError} with all problems, also when there is nothing to read
 * @throws {RangeError} when `format` is not known
 */
export function parse(source: string | Uint8Array, options: ParseOptions = {}): Parsed {
  // The whole file is in memory already.
  const file = new Importer(options, Number.POSITIVE_INFINITY)
  const transcripts = [...file.end(source)].flat()
  return { format: formatOrThrow(file), transcripts, skipped: file.skipped }
}

/**
 * Parse a file chunk by chunk and yield each transcript as soon as it is complete. Only unfinished transcripts are held
 * in memory. A chunk may be reused once the next one is requested. A transcript that has a problem is omitted.
 *
 * @throws {TranscriptFileError} at the end, with all problems, also when there was nothing to read
 * @throws {RangeError} when `format` is not known
 */
export async function* parseStream(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  options: ParseOptions = {},
): AsyncGenerator<Transcript, Omit<Parsed, 'transcripts'>, undefined> {
  const file = new Importer(options)
  const { pause } = options
  for await (const chunk of chunks) {
    for (const complete of file.push(chunk)) {
      yield* complete
      if (pause) await pause()
    }
    if (options.stopAtFirst && file.problems.length > 0) formatOrThrow(file)
  }
  for (const complete of file.end()) {
    yield* complete
    if (pause) await pause()
  }
  return { format: formatOrThrow(file), skipped: file.skipped }
}

/** The format of a file that was read without a problem. */
function formatOrThrow({ format, problems }: Importer): Parsed['format'] {
  if (problems.length === 0 && format !== undefined) return format
  throw new TranscriptFileError([...problems].sort((a, b) => a.line - b.line || a.column - b.column))
}
