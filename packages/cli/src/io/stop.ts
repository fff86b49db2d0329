import type { Chunk } from '@svc/transcripts'
import type { Opened } from '@svc/transcripts/containers'
import { checkpoints } from './checkpoints.js'
import type { Io, Output } from './io.js'

/** The same Io, whose input ends with the reason of `stop`, also while it waits for a person or a pipe. */
export function stoppable(io: Io, stop: AbortSignal, monotonic: () => number): Io {
  const checkpoint = checkpoints(stop, io.environment?.turn)
  const late = latePeriod(stop, monotonic)
  const inTime = <T>(work: Promise<T>) => beforeStop(work, stop)
  const overrides: Partial<Io> = {
    stop,
    checkpoint,
    openStdin: async (keepBytes) => checked(await inTime(io.openStdin(keepBytes)), { stop, checkpoint, late }),
    openFile: async (path) => checked(await inTime(io.openFile(path)), { stop, checkpoint, late }),
    readStdin: () => inTime(io.readStdin()),
    async readFile(path, bound) {
      await checkpoint()
      return inTime(io.readFile(path, bound))
    },
    lock: (path) => inTime(io.lock(path)),
    ask: (question, hidden) => inTime(io.ask(question, hidden)),
  }
  return Object.create(io, Object.getOwnPropertyDescriptors(overrides))
}

interface Checks {
  stop: AbortSignal
  checkpoint(): Promise<void>
  /** The checkpoint of what is read after the stop. */
  late(): Promise<void>
}

const checked = ({ files, left }: Opened, checks: Checks): Opened => ({
  files: files.map((file) => ({ ...file, chunks: () => checkedChunks(file.chunks(), checks) })),
  left,
})

async function* checkedChunks(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  { stop, checkpoint, late }: Checks,
): AsyncGenerator<Chunk, void, undefined> {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  const isLate = stop.aborted
  try {
    for (;;) {
      await (isLate ? late() : checkpoint())
      const next = Promise.resolve(iterator.next())
      const { done, value } = await (isLate ? next : beforeStop(next, stop))
      if (done) return
      yield value
    }
  } finally {
    const ended = Promise.resolve(iterator.return?.())
    // A read that waits for its writer ends with the process only.
    if (stop.aborted) ended.catch(() => {})
    else await ended
  }
}

/** The time for all reading after a stop, such as the search for the lines of findings, in milliseconds. */
const lateMs = 300

function latePeriod(stop: AbortSignal, monotonic: () => number): () => Promise<void> {
  let until: number | undefined
  return async () => {
    until ??= monotonic() + lateMs
    if (monotonic() > until) stop.throwIfAborted()
  }
}

/** The result of the work, or the rejection with the reason of `stop` if that comes first. */
export function beforeStop<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(stop.reason)
    const forget = () => stop.removeEventListener('abort', end)
    if (stop.aborted) end()
    else stop.addEventListener('abort', end, { once: true })
    work.then(resolve, reject).finally(forget)
  })
}

/** Resolves when an output accepts more without keeping it in memory, is closed, or the run is to stop. */
export function drained({ stream }: Output, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!stream?.writableNeedDrain || stop.aborted) return resolve()
    const events = ['drain', 'error', 'close']
    const end = () => {
      for (const event of events) stream.off(event, end)
      stop.removeEventListener('abort', end)
      resolve()
    }
    for (const event of events) stream.on(event, end)
    stop.addEventListener('abort', end)
  })
}
