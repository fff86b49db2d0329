import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Budget, ContainerError, type ContainerLimits } from '../container-limits.js'
import { Decompress } from '../zstd.js'

/** A part is valid until the next one is requested. */
type Parts = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

type Packing = 'zip' | 'gzip' | 'zstd' | 'parquet'

const marks: readonly [Packing, readonly number[]][] = [
  ['zip', [0x50, 0x4b, 3, 4]],
  ['zip', [0x50, 0x4b, 5, 6]],
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['parquet', [0x50, 0x41, 0x52, 0x31]],
  // An encrypted one.
  ['parquet', [0x50, 0x41, 0x52, 0x45]],
]

/** The packing of a file, from its first four bytes. */
export const packingOf = (head: Uint8Array): Packing | undefined =>
  marks.find(([, mark]) => mark.every((byte, index) => head[index] === byte))?.[0]

export function unpackFile(
  packing: 'gzip' | 'zstd',
  packed: Parts,
  limits?: ContainerLimits,
): AsyncIterable<Uint8Array> {
  let packedBytes = 0
  async function* counted() {
    for await (const part of packed) {
      packedBytes += part.length
      // The decoders keep their input, but the buffer of a part is reused.
      yield part.slice()
    }
  }
  const budget = new Budget(`the ${packing} file`, () => packedBytes, limits)
  return budgeted(packing === 'gzip' ? gunzip(counted()) : unzstd(counted()), budget, 'file')
}

export function gunzip(packed: AsyncIterable<Uint8Array>, what = 'the gzip file'): AsyncIterable<Uint8Array> {
  const unpacker = createGunzip()
  // The pipeline passes errors of the source to the unpacker, whose iteration below throws them.
  pipeline(Readable.from(packed), unpacker, () => {})
  return withContainerErrors(unpacker, what)
}

/** Uses fzstd because Node 20 has no zstd decoder. */
export function unzstd(packed: AsyncIterable<Uint8Array>, what = 'the zstd file'): AsyncIterable<Uint8Array> {
  return withContainerErrors(zstdParts(packed, what), what)
}

/** Bounds the memory of one step: 2 KB of zstd unpack to at most 64 MB. */
const sliceBytes = 2048

async function* zstdParts(packed: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  const frames = new ZstdFrames((window) => {
    if (window <= maxWindow) return
    throw new ContainerError(`${what} is packed with a window of ${window} bytes; unpack it first, as with "zstd -d"`)
  })
  const decoder = new Decompress((part) => ready.push(part))
  for await (const part of packed) {
    for (let at = 0; at < part.length; at += sliceBytes) {
      const slice = part.subarray(at, at + sliceBytes)
      frames.push(slice)
      decoder.push(slice)
      yield* ready
      ready = []
    }
  }
  decoder.push(new Uint8Array(0), true)
  yield* ready
}

/** The window that every decoder must support. fzstd copies the window with each block, so larger ones are too slow. */
const maxWindow = 1 << 23

/** Convert the errors of an unpacker to a `ContainerError` that names the archive. */
export async function* withContainerErrors(
  unpacked: AsyncIterable<Uint8Array>,
  what: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked
  } catch (error) {
    if (error instanceof ContainerError) throw error
    throw new ContainerError(`${what} is damaged: ${(error as Error).message}`, { cause: error })
  }
}

/** Count the bytes against the budget as those of `key`, in addition to the bytes `before`. */
export async function* budgeted(
  unpacked: AsyncIterable<Uint8Array>,
  budget: Budget,
  key: unknown,
  before = 0,
): AsyncGenerator<Uint8Array> {
  let bytes = before
  for await (const part of unpacked) {
    bytes += part.length
    budget.unpacks(key, bytes)
    yield part
  }
}

/** Reads the frame headers of zstd data, which arrives in parts of any size, and reports the window of each frame. */
export class ZstdFrames {
  readonly #onWindow: (window: number) => void
  #expects: 'frame' | 'block' | 'nothing' = 'frame'
  /** The bytes of the incomplete header of a frame or block. */
  #header: number[] = []
  /** The number of bytes to skip before the next header. */
  #skipping = 0
  #checksumBytes = 0

  /** @param onWindow gets the bytes that a decoder must hold for a frame */
  constructor(onWindow: (window: number) => void) {
    this.#onWindow = onWindow
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.#expects !== 'nothing'; ) {
      const skipped = Math.min(this.#skipping, bytes.length - at)
      this.#skipping -= skipped
      at += skipped
      if (at === bytes.length) return
      this.#header.push(bytes[at++] as number)
      if (this.#expects === 'frame') this.#frame()
      else this.#block()
    }
  }

  #frame(): void {
    const header = this.#header
    if (header.length < 5) return
    const magic = numberOf(header.slice(0, 4))
    if ((magic & ~15) >>> 0 === skippable) {
      if (header.length === 8) this.#skip(numberOf(header.slice(4)), 'frame')
      return
    }
    // The decoder refuses data that is not a frame.
    if (magic !== zstd) this.#expects = 'nothing'
    const flags = header[4] as number
    const isOneSegment = (flags & 0x20) !== 0
    const sizeAt = 5 + (isOneSegment ? 0 : 1) + ([0, 1, 2, 4][flags & 3] ?? 0)
    const sizeBytes = flags < 0x40 && !isOneSegment ? 0 : 2 ** (flags >> 6)
    if (header.length < sizeAt + sizeBytes) return
    // A single segment is its own window.
    this.#onWindow(isOneSegment ? numberOf(header.slice(sizeAt)) : windowOf(header[5] as number))
    this.#checksumBytes = (flags & 4) === 0 ? 0 : 4
    this.#skip(0, 'block')
  }

  #block(): void {
    if (this.#header.length < 3) return
    const header = numberOf(this.#header)
    const [isLast, type, size] = [(header & 1) === 1, (header >> 1) & 3, header >> 3]
    const bytes = type === 1 ? 1 : size
    this.#skip(isLast ? bytes + this.#checksumBytes : bytes, isLast ? 'frame' : 'block')
  }

  #skip(bytes: number, then: 'frame' | 'block'): void {
    this.#skipping = bytes
    this.#expects = then
    this.#header = []
  }
}

const zstd = 0xfd2fb528
const skippable = 0x184d2a50

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

const numberOf = (bytes: readonly number[]) => bytes.reduce((sum, byte, index) => sum + byte * 256 ** index, 0)
