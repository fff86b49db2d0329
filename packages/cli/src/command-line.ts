import type { Command } from './commands/action.js'
import { CliError, exit } from './exit.js'
import { nearest } from './nearest.js'

const isHelpFlag = (word: string) => word === '--help' || word === '-h'

/**
 * The command whose help a command line requests: `svc help X Y`, `svc X help Y`, `svc X Y --help`. Undefined if it
 * requests none. `help` is an ordinary argument of a command that has arguments.
 * @throws {CliError} if it names a command that does not exist
 */
export function helpRequest(program: Command, argv: readonly string[]): Command | undefined {
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
      const next = command.commands.find((each) => each.name() === word)
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
    hint: meant ? `did you mean ${meant}?` : `use one of ${names.join(', ')}`,
  })
}

/** Write combined short flags as separate ones (`-nq`, `-nj4`), because the parser knows only those of one command. */
export function splitShortFlags(program: Command, argv: readonly string[]): string[] {
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

function commandOf(program: Command, words: readonly string[]): Command {
  let command = program
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command
  return command
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}
