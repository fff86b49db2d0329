import type { EventEmitter } from 'node:events'
import type { buildProgram } from '@svc/cli'
import { grouped } from '@svc/text'
import { exitCodes, topics } from '../../../packages/cli/src/commands/help/index.js'
import { markdownTable } from '../../helpers/markdown-table.js'

type Command = Awaited<ReturnType<typeof buildProgram>>
type Option = Command['options'][number]
type Argument = Command['registeredArguments'][number]

/** The pages of `docs/reference/cli`, by their file names: one for each command of the program, and the overview. */
export function commandPages(program: Command): Map<string, string> {
  const pages = program.commands.map((command) => [`${command.name()}.md`, commandPage(command)] as const)
  return new Map([['README.md', overview(program)], ...pages])
}

/** The topics with a page of the reference, each as a link to it. */
const pagesOfTopics: Readonly<Record<string, string>> = {
  'exit-codes': '[`exit-codes`](../exit-codes.md)',
  settings: '[`settings`](../settings.md)',
  environment: '[`environment`](../settings.md)',
  formats: '[`formats`](../formats.md)',
  checks: '[`checks`](../checks.md)',
}

/** The table of exit codes. */
export const exitCodeTable = (): string =>
  markdownTable([
    ['exit', 'meaning', 'next'],
    ...exitCodes.map((each) => [String(each.code), prose(each.meaning), prose(each.next)]),
  ])

const overview = (program: Command): string =>
  joined(
    '# `svc`',
    `${program.description()} \`svc COMMAND --help\` prints the page of a command.`,
    usage(program),
    '## Commands',
    ...groups(program.commands, (command) => command.helpGroup()).flatMap(([group, commands]) => [
      `### ${group}`,
      commandTable(commands, (command) => `${command.name()}.md`),
    ]),
    '## Options of every command',
    optionTable(program.createHelp().visibleOptions(program)),
    'Environment variables: [Settings](../settings.md). [Exit codes](../exit-codes.md). `svc help TOPIC` prints a page offline, about one of these:',
    `${Object.keys(topics)
      .map((topic) => pagesOfTopics[topic] ?? code(topic))
      .join(', ')}.`,
  )

function commandPage(command: Command): string {
  const sections = command.commands.map((each) => joined(`## \`${nameOf(each)}\``, ...body(each, '###')))
  const globals = 'Every command also takes the [options of `svc`](README.md#options-of-every-command).'
  return joined(`# \`${nameOf(command)}\``, ...body(command, '##'), globals, ...sections)
}

/** The parts of a command, under headings of a level. */
const body = (command: Command, level: string): string[] => [
  `${prose(command.description())}.`,
  usage(command),
  ...(command.commands.length > 0
    ? [commandTable(command.commands, (each) => `#${nameOf(each).replaceAll(' ', '-')}`)]
    : []),
  ...(command.registeredArguments.length > 0 ? [`${level} Arguments`, argumentTable(command.registeredArguments)] : []),
  ...groups(optionsOf(command), (option) => option.helpGroupHeading ?? 'Options:').flatMap(([group, options]) => [
    `${level} ${group}`,
    optionTable(options),
  ]),
  ...notesAndExamples(command, level),
]

const usage = (command: Command): string => fence('', command.createHelp().commandUsage(command))

/** The options that the help of a command shows; `--help` is an option of every command. */
const optionsOf = (command: Command): Option[] => command.options.filter(({ hidden }) => !hidden)

const commandTable = (commands: readonly Command[], linkTo: (command: Command) => string): string =>
  table(
    ['command', 'does'],
    commands.map((command) => [`[\`${nameOf(command)}\`](${linkTo(command)})`, prose(command.description())]),
  )

const argumentTable = (list: readonly Argument[]): string =>
  table(
    ['argument', 'how many', 'values'],
    list.map((argument) => [
      code(argument.name()),
      argument.variadic
        ? argument.required
          ? 'one or more'
          : 'any number'
        : argument.required
          ? 'one'
          : 'one or none',
      codes(argument.argChoices ?? []),
    ]),
  )

function optionTable(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const { meaning, value } = meaningOf(option)
    return [code(option.flags), prose(meaning), prose(value), codes(option.argChoices ?? [])]
  })
  return table(['option', 'meaning', 'default', 'choices'], rows)
}

/** The default may be a value of the option, or the end of its description. */
function meaningOf(option: Option): { meaning: string; value: string } {
  const { description, required, optional, defaultValue, defaultValueDescription, presetArg } = option
  const [, meaning = '', described = ''] = /^(.*?)(?: \(default: (.*)\))?$/.exec(description) ?? []
  const notes = [
    ...(option.mandatory ? ['required'] : []),
    ...(optional && presetArg !== undefined ? [`without a value: ${presetArg}`] : []),
  ]
  const value = (required || optional) && defaultValue !== undefined ? (defaultValueDescription ?? defaultValue) : ''
  return { meaning: [meaning, ...notes].join('; '), value: described || String(value) }
}

/** The texts that a command adds to its help. */
function notesAndExamples(command: Command, level: string): string[] {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  // A Command is an emitter, which its types do not say: `addHelpText` listens to this event.
  const emitter = command as unknown as EventEmitter
  emitter.emit('afterHelp', { error: false, command, write })
  const [notes = '', examples] = text.split('\nExamples:\n')
  const lines = examples?.trimEnd().replace(/^ {2}\$ /gm, '')
  return [...(notes.trim() && [prose(notes.trim())]), ...(lines ? [`${level} Examples`, fence('sh', lines)] : [])]
}

/** The items of each group in the order of the help, under its heading. */
const groups = <Item>(
  items: readonly Item[],
  headingOf: (item: Item) => string,
): [heading: string, items: Item[]][] => [...grouped(items, (item) => headingOf(item).replace(/:$/, ''))]

/** The name of a command with its parents, such as `svc projects list`. */
const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()

/** A table without the columns that are empty in every row. */
function table(names: string[], rows: string[][]): string {
  const isFilled = (_: string, column: number) => rows.some((cells) => cells[column] !== '')
  return markdownTable([names, ...rows].map((cells) => cells.filter(isFilled))).trimEnd()
}

const joined = (...parts: string[]): string => `${parts.map((part) => part.trimEnd()).join('\n\n')}\n`
const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** Code in a cell of a table. */
function code(text: string): string {
  const fences = text.includes('`') ? '``' : '`'
  const space = text.includes('`') ? ' ' : ''
  return `${fences}${space}${text.replaceAll('|', '\\|')}${space}${fences}`
}
const codes = (texts: readonly string[]): string => texts.map(code).join(', ')

/** Text of the program as Markdown; flags, variables and fields are code. */
const prose = (text: string): string =>
  text
    .split(/(`[^`]+`|--[a-z][a-z-]*(?:=\w+)?|\b[A-Za-z]+(?:_[A-Za-z]+)+\b)/)
    .map((part, at) => (at % 2 === 1 ? code(part.replaceAll('`', '')) : part.replace(/[\\<|*_[\]]/g, '\\$&')))
    .join('')
