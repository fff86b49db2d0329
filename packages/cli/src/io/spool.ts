import { CliError, exit } from '../exit.js'
import type { TemporaryFile } from './disk.js'
import type { Io, Output } from './io.js'
import { drained } from './stop.js'

/** Characters that are kept in memory before the file is created. */
const heldLength = 1 << 20

/**
 * Output that is printed only once all of the input is valid, so that the reader of a pipe never gets half of it. Kept in
 * memory while it is short, then in a temporary file.
 */
export class Spool {
  readonly #io: Pick<Io, 'makeTemporary' | 'checkpoint' | 'stop'>
  #file: TemporaryFile | undefined
  #held: string[] = []
  #length = 0

  constructor(io: Pick<Io, 'makeTemporary' | 'checkpoint' | 'stop'>) {
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

  /** Print everything, with back-pressure. Rejects with the reason of `Io.stop`. */
  async printTo(output: Output): Promise<void> {
    for await (const part of this.parts()) {
      output.write(part)
      await drained(output, this.#io.stop)
      await this.#io.checkpoint()
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

function refused(cause: NodeJS.ErrnoException): never {
  if (cause.code === undefined) throw cause
  throw new CliError(exit.input, `Cannot write the temporary file for the output (${cause.code}).`, {
    hint: 'free disk space in the temporary folder, or set TMPDIR to another folder',
    cause,
  })
}
