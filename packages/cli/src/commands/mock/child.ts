import { constants } from 'node:os'
import { CliError, type ExitCode, exit } from '../../exit.js'
import type { Io } from '../../io/index.js'

/** Runs a command to its end and passes its exit code on: its own, or 128 and the number of the signal it died of. */
export async function runChild(io: Io, command: string[], env: Record<string, string | undefined>): Promise<ExitCode> {
  const [program = '', ...args] = command
  io.signal.throwIfAborted()
  const child = io.spawn(program, args, env)
  // A terminal sends Ctrl-C to every process on it, so there the command has it already.
  const forget = io.onSignal((signal) => {
    if (signal !== 'SIGINT' || !io.stdinIsTTY) child.kill(signal)
  })
  try {
    return await new Promise<ExitCode>((resolve, reject) => {
      child.once('error', (cause: NodeJS.ErrnoException) => {
        const why = cause.code === 'ENOENT' ? 'no such command' : (cause.code ?? cause.message)
        reject(new CliError(exit.usage, `${program}: cannot be run: ${why}.`, { cause }))
      })
      child.once('close', (code, signal) => {
        // Whatever number the child ends with is passed on, also one that svc itself never uses.
        resolve((code ?? 128 + constants.signals[signal ?? 'SIGTERM']) as ExitCode)
      })
    })
  } finally {
    forget()
  }
}
