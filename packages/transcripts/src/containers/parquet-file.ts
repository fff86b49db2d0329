import { closeSync, openSync, type PathLike, readSync } from 'node:fs'
import { ContainerError, type ContainerLimits } from '../container-limits.js'
import { parquetRows } from '../parquet/index.js'
import type { OpenedFile } from './opened-file.js'

/** The Parquet file at a path. */
export const parquetAt = (path: PathLike, byteLength: number, limits?: ContainerLimits): OpenedFile => ({
  chunks: () => parquetRows({ byteLength, slice: (start, end = byteLength) => bytesAt(path, start, end) }, limits),
})

/** A Parquet file in memory, such as a member of an archive; `bytes` is called for each reading. */
export function parquetIn(bytes: () => Promise<Uint8Array>, limits?: ContainerLimits): OpenedFile {
  async function* chunks() {
    const { buffer, byteOffset, byteLength } = await bytes()
    const slice = (start: number, end = byteLength) => buffer.slice(byteOffset + start, byteOffset + end) as ArrayBuffer
    yield* parquetRows({ byteLength, slice }, limits)
  }
  return { chunks }
}

function bytesAt(path: PathLike, start: number, end: number): ArrayBuffer {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(end - start)
    let length = 0
    while (length < bytes.length) {
      const count = readSync(file, bytes, length, bytes.length - length, start + length)
      if (count === 0) throw new ContainerError('the Parquet file became shorter while it was read; read it again')
      length += count
    }
    return bytes.buffer
  } finally {
    closeSync(file)
  }
}
