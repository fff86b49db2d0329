import { Worker } from 'node:worker_threads'

/** So much of a file is read, at most; one that is not whole by then is not given. In bytes. */
const maxBytes = 32 << 10

/** Where each file ends in `bytes`; -1 where it is not given. */
interface Answer {
  ends: Int32Array
  bytes: Uint8Array
}

/** A thread that reads small files whole. Where there can be none, it gives nothing. */
export interface Reader {
  /** The bytes of each file, in the order of the paths; undefined where it is larger, or cannot be read. */
  read(paths: readonly string[]): Promise<(Uint8Array | undefined)[]>
  close(): void
}

export function createReader(): Reader {
  const waiting: ((answer?: Answer) => void)[] = []
  let thread: Worker | undefined
  const fail = () => {
    thread = undefined
    for (const tell of waiting.splice(0)) tell()
  }
  try {
    thread = new Worker(`(${serve})(${maxBytes}, require)`, { eval: true, execArgv: [], resourceLimits })
    thread.unref()
    thread.on('error', fail)
    thread.on('message', (answer: Answer) => {
      waiting.shift()?.(answer)
      if (waiting.length === 0) thread?.unref()
    })
  } catch {
    // Node may have been told to allow none.
  }
  return {
    async read(paths) {
      if (!thread) return []
      thread.ref()
      thread.postMessage(paths)
      const answer = await new Promise<Answer | undefined>((resolve) => waiting.push(resolve))
      return answer ? cut(answer) : []
    },
    close() {
      void thread?.terminate()
      fail()
    },
  }
}

/** It holds a list of paths and what is read at once. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }

function cut({ ends, bytes }: Answer): (Uint8Array | undefined)[] {
  // A Buffer is searched many times as fast as an array of bytes.
  const files = Buffer.from(bytes.buffer)
  let start = 0
  return Array.from(ends, (end) => {
    if (end < 0) return undefined
    const file = files.subarray(start, end)
    start = end
    return file
  })
}

/** What the thread does. It is given to it as text, and so uses nothing but what it is called with. */
function serve(most: number, require: NodeJS.Require): void {
  const { parentPort } = require('node:worker_threads') as typeof import('node:worker_threads')
  const { closeSync, openSync, readSync, statSync } = require('node:fs') as typeof import('node:fs')
  let scratch = new Uint8Array(1 << 20)
  const readInto = (path: string, at: number): number => {
    if (scratch.length < at + most) {
      const larger = new Uint8Array(scratch.length * 2)
      larger.set(scratch)
      scratch = larger
    }
    const file = openSync(path, 'r')
    try {
      return readSync(file, scratch, at, most, null)
    } finally {
      closeSync(file)
    }
  }
  parentPort?.on('message', (paths: string[]) => {
    const ends = new Int32Array(paths.length).fill(-1)
    let end = 0
    for (const [at, path] of paths.entries()) {
      try {
        const found = statSync(path)
        // To open a pipe takes as long as its writer likes, and what is read of it is gone.
        if (!found.isFile() || found.size >= most) continue
        const bytes = readInto(path, end)
        if (bytes < most) ends[at] = end += bytes
      } catch {
        // Whoever opens it says what is wrong with it.
      }
    }
    const bytes = scratch.slice(0, end)
    parentPort?.postMessage({ ends, bytes }, [ends.buffer, bytes.buffer])
  })
}
