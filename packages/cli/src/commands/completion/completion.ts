import { type Action, type Command, examples, type SetAction } from '../action.js'
import {
  type CompletedCommand,
  type CompletedFlag,
  type CompletedValue,
  completionScripts as scripts,
} from './scripts.js'

export function completionCommand(command: Command, setAction: SetAction): void {
  command.registeredArguments[0]?.choices(Object.keys(scripts))
  command.addHelpText(
    'after',
    `
The script lists the commands and flags of this version: print it again after an update.
Projects and annotators are those of the last answers of the service; nothing is sent.
${examples(
  'svc completion bash > ~/.local/share/bash-completion/completions/svc',
  'svc completion zsh > ~/.zfunc/_svc',
  'svc completion fish > ~/.config/fish/completions/svc.fish',
  'svc completion pwsh >> $PROFILE',
)}`,
  )
  const complete: Action<[keyof typeof scripts], object> = async ({ io }, [shell]) => {
    if (command.parent) io.stdout.write(scripts[shell](commandsOf(command.parent)))
  }
  setAction(command, complete)
}

function commandsOf(command: Command, path = '', globalFlags = flagsOf(command)): CompletedCommand[] {
  const isRoot = path === ''
  const [argument] = command.registeredArguments
  const completed = {
    path,
    subcommands: command.commands.map((each) => ({ name: each.name(), description: brief(each.description()) })),
    flags: [
      ...(isRoot ? [] : flagsOf(command)),
      ...globalFlags.filter(({ names }) => isRoot || !names.includes('--version')),
      { names: ['-h', '--help'], value: undefined, description: 'display help' },
    ],
    argument: argument && valueNamed(argument.argChoices, argument.name()),
  }
  const nested = command.commands.flatMap((each) => commandsOf(each, `${path} ${each.name()}`.trim(), globalFlags))
  return [completed, ...nested]
}

const flagsOf = ({ options }: Command): CompletedFlag[] =>
  options
    .filter(({ hidden }) => !hidden)
    .map(({ short, long, required, argChoices, flags, description }) => ({
      names: [...new Set([short, long].filter((name) => name !== undefined))],
      value: required ? valueNamed(argChoices, flags) : undefined,
      description: brief(description),
    }))

/** Choices that a shell interprets, such as a quote, are not offered. */
const valueNamed = (choices: readonly string[] | undefined, name: string): CompletedValue =>
  choices
    ? { choices: choices.filter((word) => /^[\w.,:/-]+$/.test(word)) }
    : (kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'any')

/** The kind of values that the name of an argument, or a flag with the name of its value, stands for. */
const kinds: readonly (readonly [RegExp, CompletedValue])[] = [
  [/\b(file|dir|path)\b/, 'path'],
  [/^(--project <id>|projectId)$/, 'projects'],
  [/^--annotator </, 'annotators'],
]

/** The start of a description, without characters that a shell interprets. */
const brief = (text: string): string =>
  text
    .split(/[;(:]|\. /)[0]
    ?.replace(/[^A-Za-z0-9 ,./-]/g, '')
    .trim() ?? ''
