import type { ColumnMetaData, FileMetaData } from 'hyparquet'
import type { ParquetReader } from './reader.js'

/** The bytes that a value takes beside its text. */
const valueBytes = 8

/** The part of the header of a page of data that its layout follows from. */
interface Layout {
  values: number
  encoding: string
  /** The bytes of the levels of a page of version 2, which are not packed. */
  levelBytes?: readonly [repetition: number, definition: number]
}

/**
 * Walk through the pages of a column before the reader does, which trusts the sizes in them: a count of 2^31 repeated values
 * takes five bytes. `hold` is called with the bytes that a page takes in memory.
 */
export function checkPages(
  library: ParquetReader,
  bytes: ArrayBuffer,
  column: ColumnMetaData,
  rows: number,
  { schema }: FileMetaData,
  hold: (bytes: number) => void,
): void {
  const { compressors, decompressPage, getMaxDefinitionLevel, getMaxRepetitionLevel, getSchemaPath, parquetHeader } =
    library
  const reader = { view: new DataView(bytes), offset: 0 }
  const path = getSchemaPath(schema, column.path_in_schema)
  const levels = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)] as const
  let found = 0
  while (reader.offset < bytes.byteLength - 1) {
    const header = parquetHeader(reader)
    const { uncompressed_page_size: unpacked, compressed_page_size: packed } = header
    const { data_page_header: first, data_page_header_v2: second, dictionary_page_header: dictionary } = header
    const values = (first ?? second ?? dictionary)?.num_values ?? 0
    if (!(unpacked >= 0 && packed >= 0 && values >= 0)) throw new Error('a page claims a negative size')
    if (packed > bytes.byteLength - reader.offset) throw new Error('a page claims more bytes than its column has')
    hold(unpacked + values * valueBytes)
    if (!dictionary) found += values
    const content = new Uint8Array(bytes, reader.offset, packed)
    reader.offset += packed
    const { codec } = column
    if (first)
      checkPage(
        library,
        decompressPage(content, unpacked, codec, compressors),
        { values, encoding: first.encoding },
        levels,
        hold,
      )
    else if (second) {
      const levelBytes = [second.repetition_levels_byte_length, second.definition_levels_byte_length] as const
      const size = levelBytes[0] + levelBytes[1]
      if (!(levelBytes[0] >= 0 && levelBytes[1] >= 0 && size <= packed && size <= unpacked))
        throw new Error('a page claims more levels than it has')
      const isPacked = second.is_compressed !== false && unpacked > size
      const rest = content.subarray(size)
      const data = isPacked ? decompressPage(rest, unpacked - size, codec, compressors) : rest
      const page = new Uint8Array(size + data.length)
      page.set(content.subarray(0, size))
      page.set(data, size)
      checkPage(library, page, { values, encoding: second.encoding, levelBytes }, levels, hold)
    }
  }
  const claimed = levels[0] === 0 ? rows : Number(column.num_values)
  if (found !== claimed)
    throw new Error(`the column "${column.path_in_schema.join('.')}" has ${found} values instead of ${claimed}`)
}

/** The encodings whose size follows from the number of values, or that are checked here. */
const known =
  /^(PLAIN|RLE|PLAIN_DICTIONARY|RLE_DICTIONARY|BYTE_STREAM_SPLIT|DELTA_BINARY_PACKED|DELTA_LENGTH_BYTE_ARRAY|DELTA_BYTE_ARRAY)$/

function checkPage(
  library: ParquetReader,
  page: Uint8Array,
  { values, encoding, levelBytes }: Layout,
  levels: readonly [repetition: number, definition: number],
  hold: (bytes: number) => void,
): void {
  if (!known.test(encoding)) throw new Error(`the encoding ${encoding} is not supported`)
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  let at = 0
  for (const [index, highest] of levels.entries()) {
    if (highest === 0) continue
    const length = levelBytes ? (levelBytes[index] ?? 0) : view.getUint32(at, true)
    if (!levelBytes) at += 4
    checkRuns(library, view, at, at + length, 32 - Math.clz32(highest), values)
    at += length
  }
  if (levelBytes) at = levelBytes[0] + levelBytes[1]
  if (encoding.endsWith('_DICTIONARY') && at < view.byteLength)
    checkRuns(library, view, at + 1, view.byteLength, view.getUint8(at), values)
  if (encoding === 'RLE') checkRuns(library, view, at + 4, view.byteLength, 1, values)
  if (encoding === 'DELTA_BYTE_ARRAY') checkPrefixes(library, view, at, values, hold)
}

/** The most values by which a run of bits may go beyond the values of its page. */
const padding = 512

function checkRuns(
  { readVarInt }: ParquetReader,
  view: DataView,
  start: number,
  end: number,
  width: number,
  values: number,
): void {
  const reader = { view, offset: start }
  for (let seen = 0; seen < values && reader.offset < end; ) {
    const header = readVarInt(reader)
    const isPacked = (header & 1) === 1
    const count = (header >>> 1) * (isPacked ? 8 : 1)
    if (count > values + padding) throw new Error(`a page of ${values} values repeats one ${count} times`)
    reader.offset += isPacked ? (header >>> 1) * width : (width + 7) >> 3
    seen += count
  }
}

/** Texts that begin as the one before them: their sizes are the sum of two lists. */
function checkPrefixes(
  library: ParquetReader,
  view: DataView,
  start: number,
  most: number,
  hold: (bytes: number) => void,
): void {
  const { deltaBinaryUnpack, readVarInt } = library
  const reader = { view, offset: start }
  const sizes = [new Int32Array(most), new Int32Array(most)] as const
  // Without its nulls, a page has fewer values than it says, and as many as the list of their sizes.
  const head = { view, offset: start }
  readVarInt(head)
  readVarInt(head)
  const values = Math.min(most, readVarInt(head))
  for (const each of sizes) deltaBinaryUnpack(reader, values, each)
  let before = 0
  for (let index = 0; index < values; index++) {
    const [prefix = 0, suffix = 0] = sizes.map((each) => each[index] ?? 0)
    if (prefix < 0 || prefix > before || suffix < 0)
      throw new Error('a text begins with more than the text before it has')
    before = prefix + suffix
    hold(prefix)
  }
}
