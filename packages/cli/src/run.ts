import { nearest } from '@svc/text'
import type { Action, Command, SetAction } from './commands/action.js'
import type { Context, GlobalFlags } from './context.js'
import { CliError, type ExitCode, exit } from './exit.js'
import { argumentsOf, endSoon, type Io, OutputEnded, realIo } from './io/index.js'
import { parserError } from './parser-error.js'
import { buildProgram, nameOf } from './program.js'
import { exitOfStop, type Stopping } from './stopping.js'
import { hidingIo } from './terminal.js'

/** Run one command line and return its exit code. The only place that catches every error. */
export async function run(argv: readonly string[], processIo: Io): Promise<ExitCode> {
  await removeReadyFile(argv, processIo)
  const io = hidingIo(processIo, { keys: new Set(), inStdout: 'keys' })
  const named: NamedCommand[] = []
  const setAction: SetAction = (command, action) =>
    command.action(() => {
      refuseEmpty(command)
      const args = command.processedArgs as Parameters<typeof action>[1]
      const flags = command.opts() as Parameters<typeof action>[2]
      named.push({ command, run: (context) => action(context, args, flags) })
    })
  const program = await buildProgram(io, setAction, argv)
  // With --json an error is one document: commander must not print help beside it.
  program.addHelpText('beforeAll', ({ error, command }) => {
    if (error && wantsJson(argv)) throw missingCommand(command)
    return ''
  })
  try {
    const topic = await helpTopic(argv, () => buildProgram(io, setAction))
    if (topic !== undefined) {
      io.stdout.write(`${topic}\n`)
      return exit.ok
    }
    const page = helpRequest(program, argv)
    if (page) {
      page.outputHelp()
      return exit.ok
    }
    await program.parseAsync(splitShortFlags(program, argv), { from: 'user' })
  } catch (error) {
    const usage = parserError(error)
    if (usage?.shown) return usage.askedFor ? exit.ok : exit.usage
    const failure = usage
      ? (keyFlagError(argv) ??
        new CliError(exit.usage, usage.message, {
          hint: dashHint(io, argv) ?? usage.hint ?? `run \`${usage.command} --help\` for usage`,
          cause: error,
        }))
      : error
    const { configuredKeys } = await import('./config/index.js')
    const flags = program.opts<GlobalFlags>()
    const keys = new Set(await configuredKeys(processIo, flags.config))
    return report(failure, processIo, { flags, keys, argv })
  }
  const [command] = named
  return command ? runCommand(command, processIo, argv) : exit.ok
}

/** Words for a value that cannot be empty: as a path, an empty one would be this folder. */
const placeWord = /^(?:path|file|dir|report|old|new|glob|url|id|\w+Id)$/

/** An empty path, id or address is mostly that of a variable which is not set. */
function refuseEmpty(command: Command): void {
  const refuse = (what: string) => command.error(`error: ${what} is empty.\n(Is a variable not set?)`)
  for (const [at, argument] of command.registeredArguments.entries())
    if (placeWord.test(argument.name()) && [command.processedArgs[at]].flat().includes('')) refuse(argument.name())
  const values = command.optsWithGlobals()
  for (let of: Command | null = command; of; of = of.parent)
    for (const option of of.options) {
      const [, word = ''] = /<(\w+)/.exec(option.flags) ?? []
      if (placeWord.test(word) && [values[option.attributeName()]].flat().includes('')) refuse(option.long ?? word)
    }
}

/** The command that a command line names, with its arguments and flags. */
interface NamedCommand {
  command: Command
  run(context: Context): ReturnType<Action<unknown[], unknown>>
}

async function runCommand({ command, run }: NamedCommand, processIo: Io, argv: readonly string[]): Promise<ExitCode> {
  const name = nameOf(command)
  const flags = command.optsWithGlobals<GlobalFlags>()
  const { configuredKeys } = await import('./config/index.js')
  const keys = new Set(await configuredKeys(processIo, flags.config))
  const { color, fields } = flags
  const io = hidingIo(processIo, { keys, inStdout: showsSettings.test(name) ? 'secrets' : 'keys', color })
  try {
    const select =
      fields === undefined
        ? undefined
        : await (await import('./output/index.js')).selectorOf(fields, name, { ...flags })
    const { createContext } = await import('./context.js')
    const context = createContext({
      ...{ io, argv, keys, select, stopsWithOutput: readingCommands.test(name) },
      flags: select ? { ...flags, json: true } : flags,
    })
    try {
      const code = await run(context)
      // A stopped run must not exit with 0.
      if (code === undefined) io.signal.throwIfAborted()
      return code ?? exit.ok
    } catch (error) {
      throw context.reported(error)
    } finally {
      await context.close()
    }
  } catch (error) {
    return report(error, processIo, { flags, keys, argv })
  }
}

interface Reporting {
  flags: GlobalFlags
  keys: ReadonlySet<string>
  argv: readonly string[]
}

/** Report the error that ends a command line, and return its exit code. */
async function report(error: unknown, processIo: Io, { flags, keys, argv }: Reporting): Promise<ExitCode> {
  const { exitCodeFor, reportError } = await import('./errors.js')
  const io = hidingIo(processIo, { keys, inStdout: 'secrets', color: flags.color })
  const code = exitCodeFor(error)
  if (!(error instanceof OutputEnded)) reportError(io, error, code, { json: wantsJson(argv), argv })
  // Any other reason is reported where the stream fails.
  else if (error.isReaderGone && !flags.quiet) io.stderr.write('Stopped: nothing reads the output any more.\n')
  return code
}

async function helpTopic(
  [word, name = '', ...more]: readonly string[],
  program: () => Promise<Command>,
): Promise<string | undefined> {
  if (word !== 'help' || more.length > 0) return undefined
  const { topics } = await import('./commands/help/index.js')
  return Object.hasOwn(topics, name) ? topics[name]?.(program) : undefined
}

/** Commands whose only effect is their output: they stop when it can no longer be written. Annotations cost money. */
const readingCommands =
  /^(annotate|annotators|api|convert|doctor|health|projects (list|get)|transcripts (list|get|read)|uploads (list|show))\b/

/** Commands that print settings and checks, but no user data: secrets in their output are hidden. */
const showsSettings = /^(auth|config|doctor|health)\b/

const missingCommand = (command: Command) =>
  new CliError(exit.usage, 'Missing command.', {
    hint: `use one of ${command.commands.map((each) => nameOf(each)).join(', ')}`,
  })

/** Read from the words: a command line that cannot be parsed has no flags. */
function wantsJson(argv: readonly string[]): boolean {
  return beforeDashes(argv).some((word) => /^--(json|fields)(=|$)/.test(word))
}

/**
 * Remove the ready file of an earlier `svc mock`, which says that this one serves already. Read from the words, before anything is
 * loaded: a script may wait for the file by now, also where the command line cannot be used.
 */
async function removeReadyFile(argv: readonly string[], io: Io): Promise<void> {
  const words = beforeDashes(argv)
  if (!words.includes('mock') || words.some(isHelpFlag)) return
  const at = words.findLastIndex((word) => /^--ready-file(=|$)/.test(word))
  const file = words[at] === '--ready-file' ? words[at + 1] : words[at]?.slice('--ready-file='.length)
  // A file that cannot be written is reported by the command.
  if (file) await io.removeFile(file).catch(() => {})
}

const isHelpFlag = (word: string) => word === '--help' || word === '-h'

/**
 * The command whose help a command line requests: `svc help X Y`, `svc X help Y`, `svc X Y --help`. Undefined if it
 * requests none. `help` is an ordinary argument of a command that has arguments.
 * @throws {CliError} if it names a command that does not exist
 */
function helpRequest(program: Command, argv: readonly string[]): Command | undefined {
  const words = beforeDashes(argv)
  let command = program
  let isHelp = words.some(isHelpFlag)
  for (const word of words) {
    if (command.commands.length === 0) break
    if (word === 'help') isHelp = true
    else if (word.startsWith('-')) {
      // It may take the next word as its value.
      if (!isHelpFlag(word)) break
    } else {
      const next = commandNamed(command, word)
      if (!next && isHelp) throw unknownCommand(command, word)
      if (!next) return undefined
      command = next
    }
  }
  return isHelp ? command : undefined
}

function unknownCommand(parent: Command, word: string): CliError {
  const names = parent.commands.map((each) => each.name())
  const meant = nearest(word, names)
  return new CliError(exit.usage, `Unknown command "${word}".`, {
    hint: meant
      ? `did you mean ${meant}?`
      : parent.parent
        ? `use one of ${names.join(', ')}`
        : '`svc --help` lists the commands and the help topics',
  })
}

/** Write combined short flags as separate ones (`-nq`, `-nj4`), because the parser knows only those of one command. */
function splitShortFlags(program: Command, argv: readonly string[]): string[] {
  const words = beforeDashes(argv)
  const command = commandOf(program, words)
  const options = [...program.options, ...command.options]
  const split = (word: string): string[] => {
    const rest = word.slice(2)
    const option = options.find(({ short }) => short === word.slice(0, 2))
    if (!option || rest === '' || word.startsWith('--')) return [word]
    return option.required || option.optional ? [`-${word[1]}`, rest] : [`-${word[1]}`, ...split(`-${rest}`)]
  }
  return [...words.flatMap((word) => (word.startsWith('-') ? split(word) : word)), ...argv.slice(words.length)]
}

const commandNamed = (parent: Command, name: string): Command | undefined =>
  parent.commands.find((each) => each.name() === name)

function commandOf(program: Command, words: readonly string[]): Command {
  let command = program
  for (const word of words) command = commandNamed(command, word) ?? command
  return command
}

/** The error of a key on a command line that cannot be used, without its value: no flag takes a key. */
function keyFlagError(argv: readonly string[]): CliError | undefined {
  const flag = beforeDashes(argv).flatMap((word) => /^--(?:api-?)?(?:key|token)(?==|$)/i.exec(word)?.[0] ?? [])[0]
  const hint = 'set SVC_API_KEY, or store the key with `svc auth login`; others could read it in a list of processes'
  return flag === undefined ? undefined : new CliError(exit.usage, `No option takes a key: remove ${flag}.`, { hint })
}

/** The next step if a word that the parser took for a flag is a file, as a pattern of the shell gives it. */
function dashHint(io: Io, argv: readonly string[]): string | undefined {
  const file = beforeDashes(argv).find((word) => /^-./.test(word) && io.isThere(word))
  return file && `${file} is a file: write ./${file}, or -- before the paths`
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}

export async function main(host: NodeJS.Process, { end, ...signals }: Stopping): Promise<void> {
  // Stopped while this file was loaded: nothing has begun.
  if (signals.signal.aborted) host.exit(exitOfStop(signals.signal.reason))
  const argv = argumentsOf(host)
  const io = realIo(host, cwdOf(host), signals)
  let hasCrashed = false
  const crash = (error: unknown) => {
    // Of several errors the first is reported: the others may follow from it.
    if (!hasCrashed) void endWith(error, host, io, argv)
    hasCrashed = true
  }
  host.on('uncaughtException', crash).on('unhandledRejection', crash)
  // Code of an importer may end the process.
  const failEarly = () => {
    host.exitCode ||= exit.bug
  }
  host.on('exit', failEarly)
  const code = await run(argv, io)
  host.off('exit', failEarly)
  // An output that could not be written has set it already.
  host.exitCode ??= code
  end()
  // Output that nobody reads would keep the process.
  if (code === exit.interrupted || code === exit.terminated) endSoon(host, lastMs)
}

/** The time to write out what was printed, after a run that was stopped, in milliseconds. */
const lastMs = 500

/** End the process with an error that no code caught. Node would print the line of the bundle that threw it. */
async function endWith(error: unknown, host: NodeJS.Process, processIo: Io, argv: readonly string[]): Promise<void> {
  try {
    const { reportError } = await import('./errors.js')
    const { configuredKeys } = await import('./config/index.js')
    const io = hidingIo(processIo, { keys: new Set(await configuredKeys(processIo, undefined)), inStdout: 'secrets' })
    reportError(io, error, exit.bug, { json: wantsJson(argv) })
  } catch {
    host.stderr.write(`svc: ${String(error)}\nhint: this is a bug in svc; please report it\n`)
  }
  host.exit(exit.bug)
}

/** The working directory may have been removed; a path in it then fails where it is opened. */
function cwdOf(host: NodeJS.Process): string {
  try {
    return host.cwd()
  } catch {
    return host.env.PWD || '/'
  }
}
