import type { ColumnMetaData, FileMetaData, RowGroup } from 'hyparquet'
import { Budget, ContainerError, type ContainerLimits } from '../container-limits.js'
import type { Loss } from '../model/index.js'
import { decimalsIn } from './decimals.js'
import { checkPages } from './pages.js'
import { loadReader, type ParquetReader } from './reader.js'
import { isoTime, rowText, textOrBytes, type ValueLoss } from './row-text.js'

/** A file of which any part can be read. A `File` or a `Blob` of the web is one with its `size` as `byteLength`. */
export interface RandomAccess {
  /** The size of the file in bytes. */
  byteLength: number
  /** The bytes from `start` to before `end`. */
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>
}

/**
 * The rows of a Parquet file as chunks for `parseStream`: a line of JSON for each row, and what a line does not hold. A row
 * group is held in memory at a time.
 *
 * @throws {ContainerError} when the file is damaged, encrypted or uses a codec that is not supported, when a row group is larger
 *   than `maxInnerBytes`, or when the rows exceed another of the limits
 */
export async function* parquetRows(
  file: RandomAccess,
  limits?: ContainerLimits,
): AsyncGenerator<string | { loss: Pick<Loss, 'code' | 'what' | 'why'> }, void, undefined> {
  const budget = new Budget('the Parquet file', () => file.byteLength, limits)
  const library = await loadReader()
  const { parquetMetadataAsync, parquetReadObjects, compressors } = library
  await checkEnds(file)
  const footer = await read('its footer', () => parquetMetadataAsync(file, { geoparquet: false }))
  refuseUnreadable(footer)
  const { metadata, decimals, variants } = await read('its footer', () => decimalsIn(library, footer))
  for (const name of variants)
    yield { loss: { code: 'changed', what: `decimals in the variant column "${name}"`, why: rounded } }
  let bytes = 0
  const count = (more: number) => {
    bytes += more
    budget.unpacks(file, bytes)
  }
  let rowStart = 0
  for (const [at, group] of metadata.row_groups.entries()) {
    await read(`row group ${at + 1}`, () => checkGroup(library, file, metadata, at, budget))
    const rowEnd = rowStart + Number(group.num_rows)
    const range = { rowStart, rowEnd }
    const rows = await read(`row group ${at + 1}`, () =>
      parquetReadObjects({ file, metadata, ...range, compressors, utf8: false, parsers, geoparquet: false }),
    )
    rowStart = rowEnd
    for (const row of rows) {
      const losses: ValueLoss[] = []
      const addLoss = (loss: ValueLoss) => losses.push(loss)
      const line = await read(`row group ${at + 1}`, () => rowText(row, { decimals, count, addLoss }))
      for (const loss of losses) yield { loss }
      yield `${line}\n`
    }
  }
}

const rounded = 'JavaScript keeps about 15 digits'

const parsers = {
  stringFromBytes: textOrBytes,
  // A text of JSON stays a text, as in a file of JSON.
  jsonFromBytes: textOrBytes,
  dateFromDays: (days: number) => isoTime(BigInt(days) * 86_400_000n, 3).replace(/T.*/, ''),
  timestampFromMilliseconds: (time: bigint) => isoTime(time, 3),
  timestampFromMicroseconds: (time: bigint) => isoTime(time, 6),
  timestampFromNanoseconds: (time: bigint) => isoTime(time, 9),
}

const instead = 'convert it to JSONL, as with pandas: read_parquet(…).to_json(…, orient="records", lines=True)'

const damaged = (why: string, cause?: unknown) =>
  new ContainerError(`the Parquet file is damaged: ${why}; get it again, or ${instead}`, { cause })

/** Errors of the reader are about the file, which may be hostile. */
async function read<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ContainerError) throw error
    // An error of the system, such as EIO.
    if (typeof (error as NodeJS.ErrnoException).syscall === 'string') throw error
    const { message } = error as Error
    const isOfReader =
      error instanceof TypeError || error instanceof RangeError || /^thrift|^parquet metadata/.test(message)
    throw damaged(isOfReader ? `${what} cannot be read` : message.replace(/^parquet /, '').slice(0, 200), error)
  }
}

const maxFooterBytes = 1 << 26

async function checkEnds(file: RandomAccess): Promise<void> {
  const { byteLength } = file
  if (byteLength < 12) throw damaged(`it has ${byteLength} bytes`)
  const end = new DataView(await file.slice(byteLength - 8, byteLength))
  const mark = String.fromCharCode(...new Uint8Array(end.buffer.slice(4)))
  if (mark === 'PARE') throw new ContainerError(`the Parquet file is encrypted; decrypt it first, and ${instead}`)
  if (mark !== 'PAR1') throw damaged('it ends without "PAR1", as a file that was cut off does')
  const footer = end.getUint32(0, true)
  if (footer > byteLength - 12) throw damaged(`its footer claims ${footer} bytes, the file has ${byteLength}`)
  if (footer > maxFooterBytes) throw damaged(`its footer has more than ${maxFooterBytes} bytes`)
}

function refuseUnreadable({ schema, row_groups: groups }: FileMetaData): void {
  const odd = schema.find(({ name }) => name === '__proto__')
  if (odd)
    throw new ContainerError(`the Parquet file has a column "${odd.name}", which JavaScript cannot hold; rename it`)
  for (const { columns } of groups) {
    for (const { meta_data: column, crypto_metadata: isEncrypted, file_path: path } of columns) {
      if (isEncrypted || !column)
        throw new ContainerError(`the Parquet file has encrypted columns; decrypt it first, and ${instead}`)
      if (path) throw new ContainerError(`the Parquet file keeps columns in another file, "${path}"; ${instead}`)
      const { codec, path_in_schema: name } = column
      if (codec === undefined || codec === 'LZO')
        throw new ContainerError(
          `the Parquet file packs the column "${name.join('.')}" with ${codec ?? 'an unknown codec'}; write it with zstd or snappy`,
        )
    }
  }
}

/** Compare what a row group and its pages claim with the bytes that it has, and with those that may be held. */
async function checkGroup(
  library: ParquetReader,
  file: RandomAccess,
  metadata: FileMetaData,
  index: number,
  budget: Budget,
): Promise<void> {
  const { maxInnerBytes } = budget.limits
  const { columns, num_rows: rows } = metadata.row_groups[index] as RowGroup
  let held = 0
  const hold = (bytes: number) => {
    held += bytes
    if (held <= maxInnerBytes) return
    throw new ContainerError(
      `row group ${index + 1} of the Parquet file has more than ${maxInnerBytes} bytes (maxInnerBytes); write it with smaller row groups, as with pyarrow: write_table(…, row_group_size=1000)`,
    )
  }
  for (const { meta_data: column } of columns) {
    if (!column) continue
    const [start, end] = rangeOf(column)
    if (!(start >= 4 && end >= start && end <= file.byteLength - 8))
      throw damaged(`row group ${index + 1} claims bytes ${start} to ${end}, the file has ${file.byteLength}`)
    checkPages(library, await file.slice(start, end), column, Number(rows), metadata, hold)
  }
}

function rangeOf(column: ColumnMetaData): [start: number, end: number] {
  const { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size } = column
  const start = Number(dictionary || data)
  return [start, start + Number(size)]
}
