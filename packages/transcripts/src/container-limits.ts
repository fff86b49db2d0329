/** An archive cannot be read or exceeds a limit. */
export class ContainerError extends Error {
  override readonly name = 'ContainerError'
  /** The product or kind of file, if it is known but not read, such as `an Excel workbook`. */
  product?: string
}

/** Limits of an archive including the archives inside it. They protect against archives that unpack to huge files. */
export interface ContainerLimits {
  /** Unpacked bytes of all members that are read. Default: 16 GiB. */
  maxUnpackedBytes?: number
  /** Members, including those that are not read. Default: 100 000. */
  maxMembers?: number
  /** The depth of nested archives; 1 allows none inside another. Default: 3. */
  maxDepth?: number
  /**
   * The ratio of unpacked bytes to the size of the file, checked above 64 MiB. Text has a ratio of about 10, a zip bomb
   * of about 1000. Default: 200.
   */
  maxRatio?: number
  /**
   * Bytes of an archive inside another, or of a row group of a Parquet file, which is held in memory while it is read. Default:
   * 256 MiB.
   */
  maxInnerBytes?: number
}

/** The unpacked bytes up to which the ratio is not checked. */
const uncheckedBytes = 1 << 26

/** Counts the members and unpacked bytes of an archive against its limits. */
export class Budget {
  readonly limits: Required<ContainerLimits>
  readonly #what: string
  readonly #packedBytes: () => number
  readonly #unpacked = new Map<unknown, number>()
  #bytes = 0
  #members = 0

  /** @param packedBytes the size of the archive, or of the part that has arrived */
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

  /** Count the bytes that a member unpacks to, or will; a member that is read again counts once. */
  unpacks(key: unknown, bytes: number): void {
    const known = this.#unpacked.get(key) ?? 0
    if (bytes <= known) return
    this.#unpacked.set(key, bytes)
    this.#bytes += bytes - known
    const { maxUnpackedBytes, maxRatio } = this.limits
    if (this.#bytes > maxUnpackedBytes) {
      this.refuse(`unpacks to more than ${maxUnpackedBytes} bytes (maxUnpackedBytes)`)
    }
    if (this.#bytes > uncheckedBytes && this.#bytes > this.#packedBytes() * maxRatio) {
      this.refuse(`unpacks to more than ${maxRatio} times its size (maxRatio), as no transcript does`)
    }
  }

  /** @throws {ContainerError} that names the archive, the limit, and what to do */
  refuse(why: string): never {
    throw new ContainerError(`${this.#what} ${why}; if you trust it, unpack it first and name the folder`)
  }
}
