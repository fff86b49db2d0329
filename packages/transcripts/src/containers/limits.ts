/** An archive that cannot be read, or is refused, and why. */
export class ContainerError extends Error {
  override readonly name = 'ContainerError'
}

/** Bounds of an archive as a whole, with the archives inside it: a small file may unpack to more than any disk holds. */
export interface ContainerLimits {
  /** Bytes of all members that are read, unpacked. Default: 16 GiB. */
  maxUnpackedBytes?: number
  /** Members, those that are not read among them. Default: 100 000. */
  maxMembers?: number
  /** The depth of archives in archives; 1 allows none inside another. Default: 3. */
  maxDepth?: number
  /**
   * The ratio of unpacked bytes to the size of the file, once they are more than 256 MiB. Text packs to a tenth or less;
   * data that is made to fill a disk, to a thousandth. Default: 200.
   */
  maxRatio?: number
  /** Bytes of an archive inside another, which is held in memory while its members are read. Default: 256 MiB. */
  maxInnerBytes?: number
}

/** Unpacked bytes below which the ratio is not checked. */
const harmless = 1 << 28

/** Counts the unpacked bytes of one archive, with those inside it, against its bounds. */
export class Budget {
  readonly limits: Required<ContainerLimits>
  readonly #what: string
  readonly #packedBytes: () => number
  readonly #unpacked = new Map<unknown, number>()
  #bytes = 0
  #members = 0

  /** @param packedBytes the size of the archive, or how much of it has come so far */
  constructor(what: string, packedBytes: () => number, limits: ContainerLimits = {}) {
    this.#what = what
    this.#packedBytes = packedBytes
    this.limits = {
      maxUnpackedBytes: limits.maxUnpackedBytes ?? 2 ** 34,
      maxMembers: limits.maxMembers ?? 100_000,
      maxDepth: limits.maxDepth ?? 3,
      maxRatio: limits.maxRatio ?? 200,
      maxInnerBytes: limits.maxInnerBytes ?? 2 ** 28,
    }
  }

  addMembers(count: number): void {
    this.#members += count
    const { maxMembers } = this.limits
    if (this.#members > maxMembers) this.refuse(`holds more than ${maxMembers} members (maxMembers)`)
  }

  /** Takes account of how many bytes something has unpacked to so far, or will; once, however often it is read. */
  unpacks(key: unknown, bytes: number): void {
    const known = this.#unpacked.get(key) ?? 0
    if (bytes <= known) return
    this.#unpacked.set(key, bytes)
    this.#bytes += bytes - known
    const { maxUnpackedBytes, maxRatio } = this.limits
    if (this.#bytes > maxUnpackedBytes) {
      this.refuse(`unpacks to more than ${maxUnpackedBytes} bytes (maxUnpackedBytes)`)
    }
    if (this.#bytes > harmless && this.#bytes > this.#packedBytes() * maxRatio) {
      this.refuse(`unpacks to more than ${maxRatio} times its size (maxRatio), as no transcript does`)
    }
  }

  /** @throws {ContainerError} that names the bound, the archive, and what to do */
  refuse(why: string): never {
    throw new ContainerError(`${this.#what} ${why}; if you trust it, unpack it first and name the folder`)
  }
}
