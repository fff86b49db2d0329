import { TranscriptFileError } from '../model/index.js'
import { RecordSplitter } from '../records/index.js'
import type { Parsed, Transcript } from '../transcript.js'
import { Importer } from './importer.js'
import { closed, mapsIn } from './maps.js'
import type { Chunk, ParseOptions } from './options.js'
import { parsedRecords } from './parsed-record.js'

/**
 * Parse a file: its text, or its bytes in UTF-8 or UTF-16. The transcripts are in the order of the file.
 *
 * @throws {TranscriptFileError} with all problems, also when there is nothing to read
 * @throws {RangeError} when `format` is not known, or `columns` has an unknown field or role
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
 * @throws {RangeError} when `format` is not known, or `columns` has an unknown field or role
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

/**
 * The fields and roles to map (`columns`) so that rows of your own are read, found by trial: the file is read with them. They hold
 * each field, also one whose name is known, because an earlier map may name another. Undefined if the file is read as it is, or if
 * its rows do not show which fields they are. The role `openRole` stands for one that the rows do not show.
 *
 * @param text a file of one JSON document, JSON lines or a table; of a long one its beginning, cut at the end of a line
 */
export function suggestColumns(text: string, options: ParseOptions = {}): Record<string, string> | undefined {
  const { columns: given = {} } = options
  const read = (columns: Record<string, string>) =>
    conversationsRead(text, { ...options, columns: { ...closed(columns), ...given } })
  if (read({})) return undefined
  const splitter = new RecordSplitter(options)
  const raw = [...splitter.push(text), ...splitter.end()]
  const values = [...parsedRecords(raw, splitter.layout, undefined)].flatMap(({ record, error }) =>
    error ? [] : [record.value],
  )
  return mapsIn(values, given).find(read)
}

/** The texts of each role, in order, of a file in which both sides of a conversation speak; undefined for any other. */
function conversationsRead(text: string, options: ParseOptions): string | undefined {
  const file = new Importer({ ...options, hash: undefined, pause: undefined }, Number.POSITIVE_INFINITY)
  const read = [...file.end(text)].flat()
  const says = (role: string) => read.some(({ turns }) => turns.some((turn) => turn.role === role))
  if (file.problems.length > 0 || !says('user') || !(says('assistant') || says('human_agent'))) return undefined
  return JSON.stringify(read.map(({ turns }) => turns.map(({ role, content }) => [role, content])))
}

/** The format of a file that was read without a problem. */
function formatOrThrow({ format, problems }: Importer): Parsed['format'] {
  if (problems.length === 0 && format !== undefined) return format
  throw new TranscriptFileError([...problems].sort((a, b) => a.line - b.line || a.column - b.column))
}
