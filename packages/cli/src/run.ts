import type { Act, Command } from './commands/index.js'
import type { GlobalFlags } from './context.js'
import { CliError, type ExitCode, exit } from './exit.js'
import type { Io } from './io/index.js'
import { parserError } from './parser-error.js'
import { buildProgram } from './program.js'
import { type Hidden, hidingIo } from './terminal/index.js'

/** Runs one command line, and gives the exit code. The only place that catches everything. */
export async function run(argv: readonly string[], world: Io): Promise<ExitCode> {
  let code: ExitCode = exit.ok
  const hidden: Hidden = { keys: new Set(), inStdout: 'keys' }
  const io = hidingIo(world, hidden)
  const learnKeys = async (config?: string) => {
    const { configuredKeys } = await import('./config/index.js')
    for (const key of await configuredKeys(world, config)) hidden.keys.add(key)
  }
  const act: Act = (work) => async (command, operands, own) => {
    const given = command.optsWithGlobals<GlobalFlags>()
    await learnKeys(given.config)
    if (showsSettings.test(wordsOf(command))) hidden.inStdout = 'secrets'
    const { fields } = given
    const select =
      fields === undefined
        ? undefined
        : (await import('./output/index.js')).selectorOf(fields, wordsOf(command), { ...given })
    const flags = select ? { ...given, json: true } : given
    const { createContext } = await import('./context.js')
    const context = { ...createContext(io, flags, argv, hidden.keys), ...(select && { select }) }
    try {
      code = (await work(context, operands, own)) ?? exit.ok
    } finally {
      await context.close()
    }
  }
  const json = wantsJson(argv)
  const program = await buildProgram(io, act, argv)
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
    const usage = parserError(error)
    if (usage?.shown) return usage.askedFor ? exit.ok : exit.usage
    const { exitCodeFor, reportError } = await import('./errors/index.js')
    const failed = exitCodeFor(error)
    const hint =
      usage?.hint ?? `\`${reached === program ? '' : 'svc '}${wordsOf(reached)} --help\` shows how it is used`
    await learnKeys()
    hidden.inStdout = 'secrets'
    reportError(io, usage ? new CliError(exit.usage, usage.message, { hint, cause: error }) : error, failed, json)
    return failed
  }
}

/** What these print is no data of the user's. */
const showsSettings = /^(auth|config|doctor|health)\b/

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
