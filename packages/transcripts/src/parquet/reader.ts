import type { Compressors } from 'hyparquet'
import { decompress } from '../zstd.js'

/**
 * The parts of the library that read pages and rows. They are modules of the web, which a CommonJS build loads in this way
 * alone. Each codec unpacks to the length that a page claims, and no further.
 */
export async function loadReader() {
  const [rows, { compressors: others }, column, datapage, delta, schema, thrift] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
    import('hyparquet/src/column.js'),
    import('hyparquet/src/datapage.js'),
    import('hyparquet/src/delta.js'),
    import('hyparquet/src/schema.js'),
    import('hyparquet/src/thrift.js'),
  ])
  const compressors: Compressors = { ...others, ZSTD: (input, length) => decompress(input, new Uint8Array(length)) }
  return { ...rows, ...column, ...datapage, ...delta, ...schema, ...thrift, compressors }
}

/** The loaded library. */
export type ParquetReader = Awaited<ReturnType<typeof loadReader>>
