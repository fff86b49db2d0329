import { closeSync, constants, openSync, readSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const partBytes = 1 << 16

/**
 * The bytes of a named pipe, waiting for its first writer. An ordinary open would hold a thread until somebody writes,
 * and no signal ends a process whose thread is held. Rejects with the signal's reason.
 */
export async function* pipeParts(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const buffer = new Uint8Array(partBytes)
  let hadWriter = false
  try {
    for (;;) {
      signal.throwIfAborted()
      const bytes = readNow(file, buffer)
      if (bytes === 0 && hadWriter) return
      hadWriter ||= bytes !== 0
      if (bytes) yield buffer.slice(0, bytes)
      else await setTimeout(20)
    }
  } finally {
    closeSync(file)
  }
}

/** The number of bytes read; 0 where nobody has the pipe open for writing, undefined where its writer has written nothing. */
function readNow(file: number, buffer: Uint8Array): number | undefined {
  try {
    return readSync(file, buffer)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}
