import { CliError, exit } from '../exit.js'
import type { Io, Output, TemporaryFile } from '../io/index.js'

/** So many characters are held before the file is made. */
const heldLength = 1 << 20

/**
 * Output that is printed only once all of the input is known to be good: in memory while it is short, then in a temporary
 * file. So that a reader of the pipe never gets half of it, and this process never holds all of it.
 */
export class Spool {
  readonly #io: Pick<Io, 'makeTemporary'>
  #file: TemporaryFile | undefined
  #held: string[] = []
  #length = 0

  constructor(io: Pick<Io, 'makeTemporary'>) {
    this.#io = io
  }

  async write(text: string): Promise<void> {
    this.#held.push(text)
    this.#length += text.length
    if (this.#length < heldLength) return
    this.#file ??= await this.#io.makeTemporary().catch(refused)
    await this.#file.append(this.#held.join('')).catch(refused)
    this.#held = []
    this.#length = 0
  }

  /** Prints everything that was written, no faster than it is read. */
  async printTo(output: Output): Promise<void> {
    for await (const part of this.parts()) {
      output.write(part)
      if (output.stream?.writableNeedDrain) await drained(output.stream)
    }
  }

  async *parts(): AsyncGenerator<string> {
    if (this.#file) yield* this.#file.read()
    if (this.#length > 0) yield this.#held.join('')
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }
}

/** Waits until a stream takes more, or nobody reads it any longer. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'error', 'close']
    const end = () => {
      for (const event of events) stream.off(event, end)
      resolve()
    }
    for (const event of events) stream.on(event, end)
  })
}

function refused(cause: NodeJS.ErrnoException): never {
  if (cause.code === undefined) throw cause
  throw new CliError(exit.input, `The temporary file for the output cannot be written (${cause.code}).`, {
    hint: 'make room in the folder for temporary files, or name another one with TMPDIR',
    cause,
  })
}
