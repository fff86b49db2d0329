/** Walks over bytes that zstd packed, however they come in parts, and tells the window of each frame. */
export class ZstdFrames {
  readonly #tell: (window: number) => void
  #expects: 'frame' | 'block' | 'nothing' = 'frame'
  /** What has come of the head of a frame or of a block. */
  #head: number[] = []
  /** Bytes to come that are of no head. */
  #passing = 0
  #checksumBytes = 0

  /** @param tell gets the bytes that a decoder has to hold for a frame, as soon as its head has come */
  constructor(tell: (window: number) => void) {
    this.#tell = tell
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.#expects !== 'nothing'; ) {
      const passed = Math.min(this.#passing, bytes.length - at)
      this.#passing -= passed
      at += passed
      if (at === bytes.length) return
      this.#head.push(bytes[at++] as number)
      if (this.#expects === 'frame') this.#frame()
      else this.#block()
    }
  }

  #frame(): void {
    const head = this.#head
    if (head.length < 5) return
    const magic = numberOf(head.slice(0, 4))
    if ((magic & ~15) >>> 0 === skippable) {
      if (head.length === 8) this.#pass(numberOf(head.slice(4)), 'frame')
      return
    }
    // What is no frame is for the decoder to refuse.
    if (magic !== zstd) this.#expects = 'nothing'
    const flags = head[4] as number
    const isOneSegment = (flags & 0x20) !== 0
    const sizeAt = 5 + (isOneSegment ? 0 : 1) + ([0, 1, 2, 4][flags & 3] ?? 0)
    const sizeBytes = flags < 0x40 && !isOneSegment ? 0 : 2 ** (flags >> 6)
    if (head.length < sizeAt + sizeBytes) return
    // The window of a frame of one segment is all of it.
    this.#tell(isOneSegment ? numberOf(head.slice(sizeAt)) : windowOf(head[5] as number))
    this.#checksumBytes = (flags & 4) === 0 ? 0 : 4
    this.#pass(0, 'block')
  }

  #block(): void {
    if (this.#head.length < 3) return
    const head = numberOf(this.#head)
    const [isLast, type, size] = [(head & 1) === 1, (head >> 1) & 3, head >> 3]
    const bytes = type === 1 ? 1 : size
    this.#pass(isLast ? bytes + this.#checksumBytes : bytes, isLast ? 'frame' : 'block')
  }

  #pass(bytes: number, then: 'frame' | 'block'): void {
    this.#passing = bytes
    this.#expects = then
    this.#head = []
  }
}

const zstd = 0xfd2fb528
const skippable = 0x184d2a50

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

const numberOf = (bytes: readonly number[]) => bytes.reduce((sum, byte, index) => sum + byte * 256 ** index, 0)
