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
