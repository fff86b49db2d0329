import type { PathLike } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { Budget, ContainerError, type ContainerLimits } from '../container-limits.js'
import type { Chunk } from '../importer/index.js'
import type { Opened, OpenedFile } from './opened-file.js'
import { parquetIn } from './parquet-file.js'
import { budgeted, gunzip, packingOf, unzstd, withContainerErrors } from './unpack.js'
import { knownArchive, zipMembers } from './zip-members.js'

const zipOptions = { autoClose: false, lazyEntries: true, validateEntrySizes: true } as const

/** Open the zip archive at a path. The members of one export are one file. */
export const openZipFile = (path: PathLike, limits?: ContainerLimits): Promise<Opened> =>
  openWhole(() => openPromise(path as string, zipOptions), limits)

/** `openZipFile` for an archive in memory. */
export const openZipBytes = (bytes: Buffer, limits?: ContainerLimits): Promise<Opened> =>
  openWhole(() => fromBufferPromise(bytes, zipOptions), limits)

async function openWhole(open: Open, limits: ContainerLimits | undefined): Promise<Opened> {
  const zip = await opened(open)
  zip.close()
  const budget = new Budget('the zip archive', () => zip.fileSize, limits)
  const found = await openZip(open, { budget, held: {}, depth: 1 })
  if (found.files.length > 0) return found
  const known = knownArchive(found.left)
  const message = known?.message ?? `the zip archive holds no transcripts, only ${namesOf(found.left)}`
  throw Object.assign(new ContainerError(message), known && { product: known.product })
}

type Open = () => Promise<ZipFile>

/** The state that an archive shares with its nested archives. */
interface Archive {
  budget: Budget
  /** The last nested archive, kept so that it is not unpacked again for each of its members. */
  held: { entry?: Entry; bytes?: Buffer }
  /** The depth of the archive, 1 for the outermost. */
  depth: number
}

async function openZip(open: Open, archive: Archive): Promise<Opened> {
  const { budget } = archive
  const byName = membersByName(await listed(open, budget))
  const entriesOf = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? [])
  const members = zipMembers([...byName.keys()])
  // Check the limits before anything is unpacked.
  for (const { entry } of entriesOf([...members.together.flat(), ...members.single])) {
    budget.unpacks(entry, entry.uncompressedSize)
  }
  const isWhole = members.together.length === 1 && members.single.length === 0
  const found: Opened = { files: [], left: members.left }
  for (const names of members.together) {
    const member = isWhole ? undefined : folderOf(names[0] ?? '')
    found.files.push({ ...(member && { member }), ...together(open, entriesOf(names), budget) })
  }
  for (const member of entriesOf(members.single)) {
    const inner = mayBeZip.test(member.entry.fileName) ? await innerZip(open, member, archive) : undefined
    if (!inner) found.files.push({ member: member.name, chunks: () => read(open, [member], budget) })
    else {
      found.files.push(...inner.files)
      found.left.push(...(inner.files.length > 0 ? inner.left : [member.name]))
    }
  }
  return found
}

function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')))
}

/** A member and its unique name, such as `conversation.json (2)` for the second of that name. */
interface Member {
  entry: Entry
  name: string
}

function membersByName(entries: readonly Entry[]): Map<string, Member[]> {
  const byName = new Map<string, Member[]>()
  for (const entry of entries) {
    const { fileName } = entry
    const same = byName.get(fileName)
    if (same) same.push({ entry, name: `${fileName} (${same.length + 1})` })
    else byName.set(fileName, [{ entry, name: fileName }])
  }
  return byName
}

const mayBeZip = /\.(zip|eval|parquet)$/i

/** Open a nested archive or a Parquet file; undefined if the member is neither. */
async function innerZip(open: Open, member: Member, archive: Archive): Promise<Opened | undefined> {
  const { budget, held, depth } = archive
  const { entry, name } = member
  const content = async (): Promise<Buffer> => {
    if (held.entry === entry && held.bytes) return held.bytes
    const bytes = await contentAsWhole(open, member, budget)
    held.entry = entry
    held.bytes = bytes
    return bytes
  }
  const packing = packingOf(await content())
  if (packing === 'parquet') return { files: [{ member: name, ...parquetIn(content, budget.limits) }], left: [] }
  if (packing !== 'zip') return undefined
  const { maxDepth } = budget.limits
  if (depth === maxDepth) budget.refuse(`holds "${name}", an archive more than ${maxDepth} deep (maxDepth)`)
  const { files, left } = await openZip(async () => fromBufferPromise(await content(), zipOptions), {
    ...archive,
    depth: depth + 1,
  })
  return {
    files: files.map((file) => ({ ...file, member: file.member === undefined ? name : `${name}/${file.member}` })),
    left: left.map((each) => `${name}/${each}`),
  }
}

async function contentAsWhole(open: Open, member: Member, budget: Budget): Promise<Buffer> {
  const { maxInnerBytes } = budget.limits
  if (member.entry.uncompressedSize > maxInnerBytes) {
    budget.refuse(`holds "${member.name}", an archive of more than ${maxInnerBytes} bytes (maxInnerBytes)`)
  }
  const parts: Uint8Array[] = []
  for await (const part of read(open, [member], budget)) if (part instanceof Uint8Array) parts.push(part.slice())
  return Buffer.concat(parts)
}

function together(open: Open, members: readonly Member[], budget: Budget): OpenedFile {
  return { chunks: () => read(open, members, budget, ({ name }) => ({ member: name })) }
}

async function* read(
  open: Open,
  members: readonly Member[],
  budget: Budget,
  before?: (member: Member) => Chunk,
): AsyncGenerator<Chunk> {
  const zip = await opened(open)
  try {
    for (const member of members) {
      const { entry } = member
      if (before) yield before(member)
      yield* isPacked.test(entry.fileName) ? unpacked(zip, entry, budget) : contentOf(zip, entry)
    }
  } finally {
    zip.close()
  }
}

const isPacked = /\.(gz|zst)$/i

/** A member that is itself packed, such as `conversation.jsonl.gz`. */
async function* unpacked(zip: ZipFile, entry: Entry, budget: Budget): AsyncGenerator<Uint8Array> {
  const content = contentOf(zip, entry)
  const { value: first, done } = await content.next()
  if (done) return
  async function* all() {
    // The decoders keep their input, but the buffer of a part is reused.
    yield (first as Uint8Array).slice()
    for await (const part of content) yield part.slice()
  }
  const packing = packingOf(first)
  const what = `"${entry.fileName}" in the zip archive`
  const inner = packing === 'gzip' ? gunzip(all(), what) : packing === 'zstd' ? unzstd(all(), what) : undefined
  yield* inner ? budgeted(inner, budget, entry, entry.uncompressedSize) : all()
}

const stored = 0
const deflated = 8
const zstd = 93

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const { compressionMethod: method, fileName } = entry
  const what = `"${fileName}" in the zip archive`
  if (entry.isEncrypted()) throw new ContainerError(`${what} is encrypted; unpack it first`)
  if (method !== stored && method !== deflated && method !== zstd) {
    throw new ContainerError(`${what} uses compression method ${method}; supported are 0, 8 and 93; unpack it first`)
  }
  const stream = await zip
    .openReadStreamPromise(entry, method === zstd ? { decodeFileData: false } : {})
    .catch((error: unknown) => damaged(what, error))
  const content = method === zstd ? unzstd(stream, what) : withContainerErrors(stream, what)
  yield* checked(content, entry, what)
}

async function* checked(
  unpacked: AsyncIterable<Uint8Array>,
  { uncompressedSize, crc32: wanted }: Entry,
  what: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let sum = 0
  for await (const part of unpacked) {
    bytes += part.length
    if (bytes > uncompressedSize)
      throw new ContainerError(`${what} is damaged: expected ${uncompressedSize} bytes, found more`)
    sum = crc32(part, sum)
    yield part
  }
  if (bytes !== uncompressedSize)
    throw new ContainerError(`${what} is damaged: expected ${uncompressedSize} bytes, found ${bytes}`)
  if (sum !== wanted) throw new ContainerError(`${what} is damaged: its checksum does not match`)
}

async function listed(open: Open, budget: Budget): Promise<Entry[]> {
  const zip = await opened(open)
  try {
    budget.addMembers(zip.entryCount)
    const entries: Entry[] = []
    for await (const entry of zip.eachEntry()) entries.push(entry)
    const packed = entries.reduce((sum, { compressedSize }) => sum + compressedSize, 0)
    if (packed > zip.fileSize) throw new Error('its members overlap')
    return entries
  } catch (error) {
    if (error instanceof ContainerError) throw error
    return damaged('the zip archive', error)
  } finally {
    zip.close()
  }
}

function opened(open: Open): Promise<ZipFile> {
  return open().catch((error: unknown) => damaged('the zip archive', error))
}

function damaged(what: string, error: unknown): never {
  throw new ContainerError(`${what} is damaged: ${(error as Error).message}`, { cause: error })
}

function namesOf(members: readonly string[]): string {
  const names = members.slice(0, 5)
  const more = members.length > 5 ? ` and ${members.length - 5} more` : ''
  return names.length === 0 ? 'nothing' : names.join(', ') + more
}
