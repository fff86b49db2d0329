import {
  type AddHelpTextContext,
  type AddHelpTextPosition,
  Command,
  CommanderError,
  type ErrorOptions,
  Help,
  Option,
} from 'commander'
import { type FlagTopic, helpList, type SetAction, topicGroups, topicOf } from './commands/action.js'
import { duration } from './commands/arguments.js'
import type { Io, Output } from './io/index.js'
import { ownVariables } from './settings.js'
import { version } from './version.js'

const footer = `
Environment:
${helpList(ownVariables)}

Exit codes:
  0 done   1 bug   2 usage   3 input   4 key   5 not found   6 refused
  8 some items failed   10 result of a write unknown   75 temporary, run again
  100 check failed   101 check could not judge   130, 143 stopped by a signal

Help topics, as in svc help formats:
${helpList([
  ['about svc', 'exit-codes, settings, environment, formats, checks'],
  ['options', Object.keys(topicGroups).join(', ')],
])}
`

interface Entry {
  /** The heading of this command and those after it in the help. */
  group?: string
  usage: string
  description: string
  load(): Promise<(command: Command, setAction: SetAction) => void>
}

const commands: readonly Entry[] = [
  {
    group: 'Transcripts:',
    usage: 'upload [path...]',
    description: 'Upload transcripts from files, directories (recursive), standard input (-) or local sessions',
    load: async () => (await import('./commands/upload/upload.js')).uploadCommand,
  },
  {
    usage: 'uploads',
    description: 'List and reconcile past uploads, as the ledger records them',
    load: async () => (await import('./commands/uploads/uploads.js')).uploadsCommand,
  },
  {
    usage: 'convert [path...]',
    description: 'Convert transcripts, detect their format or list local sessions; works offline',
    load: async () => (await import('./commands/convert/convert.js')).convertCommand,
  },
  {
    group: 'Gate:',
    usage: 'annotate [path...]',
    description: 'Annotate the transcripts of files, directories (recursive), standard input (-) or a project',
    load: async () => (await import('./commands/annotate.js')).annotateCommand,
  },
  {
    usage: 'check [path...]',
    description: 'Annotate transcripts, and fail if they break the rules of a policy',
    load: async () => (await import('./commands/check/check.js')).checkCommand,
  },
  {
    usage: 'report',
    description: 'Merge and compare the JSON reports of svc check, and draw samples to label',
    load: async () => (await import('./commands/report/report.js')).reportCommand,
  },
  {
    group: 'Service:',
    usage: 'projects',
    description: 'List, show and create projects',
    load: async () => (await import('./commands/projects.js')).projectsCommand,
  },
  {
    usage: 'transcripts',
    description: 'List, read and pull uploaded transcripts',
    load: async () => (await import('./commands/transcripts/transcripts.js')).transcriptsCommand,
  },
  {
    usage: 'annotators',
    description: 'List the annotators of the service',
    load: async () => (await import('./commands/annotators.js')).annotatorsCommand,
  },
  {
    usage: 'health',
    description: 'Check the health of the annotation surface; needs no key',
    load: async () => (await import('./commands/health.js')).healthCommand,
  },
  {
    usage: 'api <method> <path>',
    description: 'Send one authenticated request and print the response',
    load: async () => (await import('./commands/api.js')).apiCommand,
  },
  {
    group: 'Set-up:',
    usage: 'init',
    description: 'Set up addresses, key, project and policy, each checked against the service',
    load: async () => (await import('./commands/init.js')).initCommand,
  },
  {
    usage: 'auth',
    description: 'Store, show and remove API keys',
    load: async () => (await import('./commands/auth.js')).authCommand,
  },
  {
    usage: 'config',
    description: 'Show and change settings',
    load: async () => (await import('./commands/config/config.js')).configCommand,
  },
  {
    usage: 'doctor',
    description: 'Diagnose settings, network, certificates, clock, keys and folders',
    load: async () => (await import('./commands/doctor/doctor.js')).doctorCommand,
  },
  {
    usage: 'completion <shell>',
    description: 'Print a completion script for your shell',
    load: async () => (await import('./commands/completion/completion.js')).completionCommand,
  },
  {
    group: 'Tests:',
    usage: 'mock [command...]',
    description: 'Run the reference server while the command after -- runs, or until stopped',
    load: async () => (await import('./commands/mock/mock.js')).mockCommand,
  },
  {
    usage: 'contract',
    description: 'Try the rules of the interface on a service, and save how it reads the rest',
    load: async () => (await import('./commands/contract.js')).contractCommand,
  },
  {
    group: 'Help:',
    usage: 'explain <code>',
    description: 'Explain an exit code, an HTTP status or an error, and what to do next; works offline',
    load: async () => (await import('./commands/help/index.js')).explainCommand,
  },
  {
    usage: 'skill',
    description: 'Print how an agent uses svc without a terminal, as a SKILL.md; works offline',
    load: async () => (await import('./commands/skill.js')).skillCommand,
  },
]

/**
 * Build the command tree. Only the commands that the command line names get their flags and action, so that help and
 * small commands start fast; without a command line, and for completion, all commands do.
 */
export async function buildProgram(io: Io, setAction: SetAction, argv?: readonly string[]): Promise<Command> {
  const program = new LocatedCommand('svc')
    .description('Upload conversation transcripts, annotate them, and fail a build if the outcomes get worse.')
    .version(version, '-V, --version', 'print the version')
    .option('--json', 'print JSON on stdout, including errors')
    .option(
      '--fields <a,b>',
      'print only these fields, as JSON; use dots for nested fields; an empty list prints the available fields',
    )
    .option('-q, --quiet', 'print ids in place of tables, and only errors and warnings on stderr')
    .option('-v, --verbose', 'print what each transcript loses in conversion, and each request of svc mock')
    .option('--debug', 'print each HTTP request on stderr, without keys')
    .addOption(new Option('--color <when>', 'color the output').choices(['auto', 'always', 'never']).default('auto'))
    .option('--timeout <duration>', 'time limit of one attempt, such as 30s (default: 60s; 4m to annotate)', duration)
    .option('--deadline <duration>', 'time limit of the whole run, such as 5m (default: none)', duration)
    .option('--max-wait <duration>', 'longest Retry-After to wait for, such as 5m (default: 60s)', duration)
    .option('--profile <name>', 'profile to use; overrides the environment')
    .option('--config <file>', 'settings file to use; overrides the environment')
    .option('--no-input', 'never prompt')
    .addHelpText('after', footer)
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({
      visibleOptions: (command) =>
        allOptions(command)
          .filter((option) => topicOf(option) === undefined)
          .toSorted((a, b) => rankOf(a) - rankOf(b)),
      formatHelp: (command, help) => Help.prototype.formatHelp.call(help, command, help) + moreOptions(command),
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.replace(/ \[(options|command)\]/g, ''),
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => helpWidthOn(io.stdout),
      getErrHelpWidth: () => helpWidthOn(io.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  const isNamed = (name: string) => !argv || argv.includes(name) || argv.includes('completion')
  for (const { group, usage, description, load } of commands) {
    if (group) program.commandsGroup(group)
    const command = program.command(usage).description(description)
    if (isNamed(command.name())) (await load())(command, setAction)
  }
  return program.helpCommand(true)
}

const allOptions = (command: Command) => Help.prototype.visibleOptions.call(new Help(), command)

/** The options that stand first, whatever declares them. */
const firstOptions = ['--annotator', '--fail-on', '--policy', '--report']
const rankOf = ({ long = '' }: Option): number =>
  firstOptions.includes(long) ? firstOptions.indexOf(long) : firstOptions.length

/** The options of a command that the pages of topics explain, by their names. */
function moreOptions(command: Command): string {
  const names = new Map<FlagTopic, string[]>()
  for (const option of allOptions(command)) {
    const topic = topicOf(option)
    if (topic) names.set(topic, [...(names.get(topic) ?? []), option.long ?? option.flags])
  }
  if (names.size === 0) return ''
  const rows = [...names].map(([topic, flags]) => [topic, flags.join(' ')] as const)
  return `\nMore options, which svc help TOPIC explains:\n${helpList(rows)}\n`
}

/** The name of a command with its parents, such as `projects list`. */
export function nameOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name()
}

/** A command whose errors name it. `run` reports them, with a hint. */
class LocatedCommand extends Command {
  override createCommand(name?: string): Command {
    return new LocatedCommand(name)
  }

  /** Paragraphs are wrapped; lists, and those with an indented line, stay as they are. */
  override addHelpText(position: AddHelpTextPosition, text: string): this
  override addHelpText(position: AddHelpTextPosition, text: (context: AddHelpTextContext) => string): this
  override addHelpText(position: AddHelpTextPosition, text: string | ((context: AddHelpTextContext) => string)): this {
    return typeof text === 'string' ? super.addHelpText(position, wrapped(text)) : super.addHelpText(position, text)
  }

  override error(message: string, { code = 'commander.error' }: ErrorOptions = {}): never {
    throw Object.assign(new CommanderError(2, code, message), {
      command: this.parent ? `svc ${nameOf(this)}` : this.name(),
    })
  }
}

const wrapped = (text: string): string =>
  text
    .split(/(\n{2,}|^\n+|\n+$)/)
    .map((part) => (/^\s|^- /m.test(part) ? part : new Help().boxWrap(part.replaceAll('\n', ' '), helpWidth)))
    .join('')

/** The width of help in columns: longer lines are hard to read. */
const helpWidth = 80

const helpWidthOn = ({ isTTY, columns }: Output): number => (isTTY ? Math.min(columns, helpWidth) : helpWidth)
