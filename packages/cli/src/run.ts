import type { Act, Command } from './commands/act.js'
import type { GlobalFlags } from './context.js'
import { CliError, type ExitCode, exit, exitCodeFor } from './exit.js'
import type { Io } from './io.js'
import { parserError } from './parser-error.js'
import { buildProgram } from './program.js'

/** Runs one command line, and gives the exit code. The only place that catches everything. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exit.ok
  const act: Act = (work) => async (command, operands, own) => {
    const given = command.optsWithGlobals<GlobalFlags>()
    const { fields } = given
    const select =
      fields === undefined
        ? undefined
        : (await import('./fields.js')).selectorOf(fields, wordsOf(command), { ...given })
    const flags = select ? { ...given, json: true } : given
    const { createContext } = await import('./context.js')
    const context = { ...createContext(io, flags, argv), ...(select && { select }) }
    try {
      code = (await work(context, operands, own)) ?? exit.ok
    } finally {
      await context.close()
    }
  }
  const json = wantsJson(argv)
  const program = buildProgram(io, act, argv[0])
  let reached = program
  const follow = (_: Command, next: Command): void => {
    reached = next.hook('preSubcommand', follow)
  }
  program.hook('preSubcommand', follow)
  // Thrown before any help is written: under --json there is one document, and no page beside it.
  program.addHelpText('beforeAll', ({ error, command }) => {
    if (error && json) throw unnamed(command)
    return ''
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    const failed = exitCodeFor(error)
    const usage = parserError(error)
    if (usage?.shown) return failed
    const hint =
      usage?.hint ?? `\`${reached === program ? '' : 'svc '}${wordsOf(reached)} --help\` shows how it is used`
    const { reportError } = await import('./report-error.js')
    reportError(io, usage ? new CliError(exit.usage, usage.message, { hint, cause: error }) : error, failed, json)
    return failed
  }
}

const unnamed = (command: Command) =>
  new CliError(exit.usage, 'No command is named.', {
    hint: `one of ${command.commands.map((each) => wordsOf(each)).join(', ')}`,
  })

/** Asked of the words themselves, because a command line that could not be parsed has no flags yet. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => /^--(json|fields)(=|$)/.test(word))
}

/** The words that name a command, as in `projects list`. */
function wordsOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${wordsOf(parent)} ${command.name()}` : command.name()
}
