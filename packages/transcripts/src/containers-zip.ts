import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { bounded, ContainerError, gunzipped, packingOf, unzstded } from './containers-unpack.js'
import type { Chunk } from './import.js'
import type { Opened, OpenedFile } from './opened-file.js'
import { zipMembers } from './zip-members.js'

const zipOptions = { autoClose: false, lazyEntries: true, validateEntrySizes: true } as const

/** The files of the zip archive at a path that may hold transcripts; those of one export together. */
export const openZipFile = (path: string): Promise<Opened> => openZip(() => openPromise(path, zipOptions))

/** `openZipFile` for an archive in memory. */
export const openZipBytes = (bytes: Buffer): Promise<Opened> => openZip(() => fromBufferPromise(bytes, zipOptions))

async function openZip(open: () => Promise<ZipFile>, isInside = false): Promise<Opened> {
  const entries = await listed(open)
  const byName = new Map(entries.map((entry) => [entry.fileName, entry]))
  const entriesOf = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? [])
  const members = zipMembers([...byName.keys()])
  const isWhole = members.together.length === 1 && members.alone.length === 0
  const opened: Opened = { files: [], left: members.left }
  for (const names of members.together) {
    const member = isWhole ? undefined : names[0]?.replace(/[^/]*$/, '').replace(/\/$/, '')
    opened.files.push({ ...(member && { member }), ...together(open, entriesOf(names)) })
  }
  for (const entry of entriesOf(members.alone)) {
    const inner = mayBeZip.test(entry.fileName) ? await innerZip(open, entry, isInside) : undefined
    opened.files.push(...(inner?.files ?? [{ member: entry.fileName, chunks: () => read(open, [entry]) }]))
    opened.left.push(...(inner?.left ?? []))
  }
  if (opened.files.length > 0) return opened
  throw new ContainerError(`the zip archive holds no transcripts, only ${namesOf(entries)}`)
}

const mayBeZip = /\.(zip|eval)$/i
const mostInside = 1 << 28

/** What is in an archive inside an archive; undefined when the member is none. */
async function innerZip(open: () => Promise<ZipFile>, entry: Entry, isInside: boolean): Promise<Opened | undefined> {
  const { fileName } = entry
  const bytes = await contentAsWhole(open, entry)
  if (packingOf(bytes) !== 'zip') return undefined
  if (isInside) return { files: [], left: [fileName] }
  const reopened = async () => fromBufferPromise(await contentAsWhole(open, entry), zipOptions)
  const { files, left } = await openZip(async () => fromBufferPromise(bytes, zipOptions), true)
  return {
    // It is unpacked again when it is read, so that only one is held at a time.
    files: files.map(({ member }, index) => ({
      member: member === undefined ? fileName : `${fileName}/${member}`,
      async *chunks() {
        const again = await openZip(reopened, true)
        const file = again.files[index]
        if (file) yield* file.chunks()
      },
    })),
    left: left.map((name) => `${fileName}/${name}`),
  }
}

async function contentAsWhole(open: () => Promise<ZipFile>, entry: Entry): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of read(open, [entry])) {
    if (!(part instanceof Uint8Array)) continue
    size += part.length
    if (size > mostInside)
      throw new ContainerError(`"${entry.fileName}" in the zip archive is more than 256 MB; unpack the archive first`)
    parts.push(part.slice())
  }
  return Buffer.concat(parts)
}

function together(open: () => Promise<ZipFile>, entries: readonly Entry[]): OpenedFile {
  return { chunks: () => membersOf(open, entries) }
}

async function* membersOf(open: () => Promise<ZipFile>, entries: readonly Entry[]): AsyncGenerator<Chunk> {
  yield* read(open, entries, (entry) => ({ member: entry.fileName }))
}

async function* read(
  open: () => Promise<ZipFile>,
  entries: readonly Entry[],
  before?: (entry: Entry) => Chunk,
): AsyncGenerator<Chunk> {
  const zip = await opened(open)
  try {
    for (const entry of entries) {
      if (before) yield before(entry)
      yield* isPacked.test(entry.fileName) ? unpacked(contentOf(zip, entry)) : contentOf(zip, entry)
    }
  } finally {
    zip.close()
  }
}

const isPacked = /\.(gz|zst)$/i

async function* unpacked(content: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { value: first, done } = await content.next()
  if (done) return
  async function* whole() {
    yield first as Uint8Array
    yield* content
  }
  const packing = packingOf(first)
  yield* packing === 'gzip' ? gunzipped(whole()) : packing === 'zstd' ? unzstded(whole()) : whole()
}

const stored = 0
const deflated = 8
const zstd = 93

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const { compressionMethod: method, compressedSize, fileName } = entry
  const what = `"${fileName}" in the zip archive`
  if (entry.isEncrypted()) throw new ContainerError(`${what} is encrypted; unpack it first`)
  if (method !== stored && method !== deflated && method !== zstd) {
    throw new ContainerError(
      `${what} is packed by method ${method}, of which only 0, 8 and 93 can be read; unpack it first`,
    )
  }
  const stream = await zip
    .openReadStreamPromise(entry, method === zstd ? { decodeFileData: false } : {})
    .catch((error: unknown) => damaged(what, error))
  const content = method === zstd ? unzstded(stream, what) : bounded(stream, () => compressedSize, what)
  yield* checked(content, entry, what)
}

/** Ends with an error unless the bytes are those that were packed. */
async function* checked(
  unpacked: AsyncIterable<Uint8Array>,
  { uncompressedSize, crc32: wanted }: Entry,
  what: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let sum = 0
  for await (const part of unpacked) {
    bytes += part.length
    sum = crc32(part, sum)
    yield part
  }
  if (bytes !== uncompressedSize)
    throw new ContainerError(`${what} is damaged: expected ${uncompressedSize} bytes, found ${bytes}`)
  if (sum !== wanted) throw new ContainerError(`${what} is damaged: its checksum is not that of its content`)
}

async function listed(open: () => Promise<ZipFile>): Promise<Entry[]> {
  const zip = await opened(open)
  try {
    const entries: Entry[] = []
    for await (const entry of zip.eachEntry()) entries.push(entry)
    const packed = entries.reduce((sum, { compressedSize }) => sum + compressedSize, 0)
    if (packed > zip.fileSize) throw new Error('its members overlap')
    return entries
  } catch (error) {
    return damaged('the zip archive', error)
  } finally {
    zip.close()
  }
}

function opened(open: () => Promise<ZipFile>): Promise<ZipFile> {
  return open().catch((error: unknown) => damaged('the zip archive', error))
}

function damaged(what: string, error: unknown): never {
  throw new ContainerError(`${what} is damaged: ${(error as Error).message}`, { cause: error })
}

function namesOf(entries: readonly Entry[]): string {
  const names = entries.slice(0, 5).map(({ fileName }) => fileName)
  const more = entries.length > 5 ? ` and ${entries.length - 5} more` : ''
  return names.length === 0 ? 'nothing' : names.join(', ') + more
}
