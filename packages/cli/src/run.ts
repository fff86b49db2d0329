import type { Act } from './commands/act.js'
import { createContext, type GlobalFlags } from './context.js'
import { type ExitCode, exit, exitCodeFor } from './exit.js'
import type { Io } from './io.js'
import { parserError } from './parser-error.js'
import { buildProgram } from './program.js'
import { reportError } from './report-error.js'

/** Runs one command line, and gives the exit code. The only place that catches everything. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exit.ok
  const act: Act = (work) => async (command, operands, flags) => {
    const context = createContext(io, command.optsWithGlobals<GlobalFlags>(), argv)
    try {
      code = (await work(context, operands, flags)) ?? exit.ok
    } finally {
      await context.close()
    }
  }
  const program = buildProgram(io, act, argv[0])
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    const failed = exitCodeFor(error)
    const json = wantsJson(argv)
    const usage = parserError(error)
    if (!usage?.shown || (json && !usage.askedFor)) reportError(io, error, failed, json)
    return failed
  }
}

/** Asked of the words themselves, because a command line that could not be parsed has no flags yet. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json')
}
