import { createHash, hash } from 'node:crypto'
import { grouped } from '@svc/text'
import type { Chunk } from '@svc/transcripts'
import type { InputFiles } from './files.js'
import { type Candidate, unreadable } from './find.js'
import { InputProblem } from './input-problem.js'

/** Bytes that are read from each end of a file. */
const endBytes = 1 << 14

/**
 * An id of the content of each file, by its path: whatever the file is called, and on which machine. It is a hash of the size
 * and both ends, and of the whole content where these are equal; the second of two equal files has another id.
 *
 * @throws {InputProblem} for standard input, a pipe, and a file that cannot be read
 */
export async function fileIds(
  io: Pick<InputFiles, 'readEnds' | 'openFile' | 'fileId' | 'checkpoint'>,
  candidates: readonly Candidate[],
): Promise<Map<string, string>> {
  const ends = new Map<string, string>()
  const small = new Set<string>()
  for (const { path, isFound } of candidates) {
    await io.checkpoint()
    if (!isFound && (path === '-' || io.fileId(path) === undefined)) throw notAFile(path)
    const { size, head, tail } = await io.readEnds(path, endBytes).catch((error: unknown) => unreadable(path, error))
    if (size <= 2 * endBytes) small.add(path)
    ends.set(path, createHash('sha256').update(`${size}\n`).update(head).update(tail).digest('hex'))
  }
  const ids = new Map<string, string>()
  for (const [end, paths] of grouped(ends.keys(), (path) => ends.get(path) ?? '')) {
    const copies = new Map<string, number>()
    for (const path of paths) {
      const content = paths.length === 1 || small.has(path) ? end : await wholeContent(io, path)
      const nth = (copies.get(content) ?? 0) + 1
      copies.set(content, nth)
      ids.set(path, hash('sha256', `${content} ${nth}`).slice(0, 16))
    }
  }
  return ids
}

async function wholeContent(io: Pick<InputFiles, 'openFile'>, path: string): Promise<string> {
  const whole = createHash('sha256')
  const { files } = await io.openFile(path)
  for (const { chunks } of files) for await (const chunk of chunks()) whole.update(hashedPart(chunk))
  return whole.digest('hex')
}

/** The part of a chunk that the hash of a file is made of. */
export function hashedPart(chunk: Chunk): string | Uint8Array {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk
  return 'member' in chunk ? chunk.member : ''
}

const notAFile = (path: string): InputProblem => {
  const what = path === '-' ? 'Standard input' : path
  return new InputProblem('unreadable', `${what} cannot be split by file: only one shard could read it.`, {
    hint: 'name files or folders, or remove --shard-by file',
  })
}
