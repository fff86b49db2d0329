import { Command, Option } from 'commander'
import { type Act, duration } from './commands/index.js'
import type { Io, Output } from './io/index.js'
import { version } from './version.js'

const footer = `
Environment:
  SVC_API_KEY             key for both surfaces; SVC_ANNOTATION_API_KEY and SVC_WORKSPACE_API_KEY are one surface's
  SVC_BASE_URL            base URL of the annotation surface
  SVC_PUBLIC_BASE_URL     base URL of the workspace surface, with its version prefix
  SVC_PROJECT             project to use where --project is not given
  SVC_FORCE_TTY           width; print to a pipe what a terminal so wide would show

Exit codes:
  0 done   2 usage   3 input   4 key   5 not found   6 refused   8 some items failed   10 unknown write
  75 temporary, run again   100 check failed   101 check could not judge   130, 143 stopped   1 bug
`

/** A command as the list of commands shows it, and what adds its flags and its action. */
interface Entry {
  usage: string
  description: string
  load(): Promise<(command: Command, act: Act) => void>
}

const commands: readonly Entry[] = [
  {
    usage: 'upload [path...]',
    description: 'Upload transcripts: files, directories (recursive), - for standard input, or local sessions',
    load: async () => (await import('./commands/upload/index.js')).uploadCommand,
  },
  {
    usage: 'uploads',
    description: 'The ledger of uploads: what was sent, and what became of it',
    load: async () => (await import('./commands/uploads/index.js')).uploadsCommand,
  },
  {
    usage: 'annotate <path>',
    description: 'Annotate transcripts: a file, a directory (recursive), or - for standard input',
    load: async () => (await import('./commands/annotate/index.js')).annotateCommand,
  },
  {
    usage: 'check [path...]',
    description: 'Annotate transcripts and fail when they are judged too bad',
    load: async () => (await import('./commands/check/index.js')).checkCommand,
  },
  {
    usage: 'report',
    description: 'Merge and compare the JSON reports of svc check',
    load: async () => (await import('./commands/report/index.js')).reportCommand,
  },
  {
    usage: 'convert [path...]',
    description: 'Convert transcripts on this machine, say what a file is, or list local sessions; needs no key',
    load: async () => (await import('./commands/convert/index.js')).convertCommand,
  },
  {
    usage: 'projects',
    description: 'Projects: containers of transcripts',
    load: async () => (await import('./commands/projects/index.js')).projectsCommand,
  },
  {
    usage: 'transcripts',
    description: 'Uploaded transcripts',
    load: async () => (await import('./commands/transcripts/index.js')).transcriptsCommand,
  },
  {
    usage: 'annotators',
    description: 'The public registry of annotators',
    load: async () => (await import('./commands/annotators/index.js')).annotatorsCommand,
  },
  {
    usage: 'health',
    description: 'Ask whether the annotation surface is up; needs no key',
    load: async () => (await import('./commands/health/index.js')).healthCommand,
  },
  {
    usage: 'api <method> <path>',
    description: 'Send one request as you write it, with your key, and print what comes back',
    load: async () => (await import('./commands/api/index.js')).apiCommand,
  },
  {
    usage: 'auth',
    description: 'The API keys that svc uses',
    load: async () => (await import('./commands/auth/index.js')).authCommand,
  },
  {
    usage: 'config',
    description: 'The settings that svc uses, and where they come from',
    load: async () => (await import('./commands/config/index.js')).configCommand,
  },
  {
    usage: 'doctor',
    description: 'Look for what keeps svc from working: settings, network, certificates, clock, keys, folders',
    load: async () => (await import('./commands/doctor/index.js')).doctorCommand,
  },
  {
    usage: 'completion <shell>',
    description: 'Print a script that completes svc as you press Tab, without starting it',
    load: async () => (await import('./commands/completion/index.js')).completionCommand,
  },
  {
    usage: 'mock [command...]',
    description: 'Serve both surfaces on this machine, for a command after -- or until stopped',
    load: async () => (await import('./commands/mock/index.js')).mockCommand,
  },
]

/**
 * The command tree. The commands that the words of the command line name are loaded, so that help needs little; without
 * words, and for completion, all of them are.
 */
export async function buildProgram(io: Io, act: Act, words?: readonly string[]): Promise<Command> {
  const program = new Command('svc')
    .description('Upload conversation transcripts, annotate them, and gate on the result.')
    .version(version, '-V, --version', 'print the version')
    .option('--json', 'print JSON on stdout, also for errors')
    .option(
      '--fields <a,b>',
      'print only these fields, as JSON; along dots into what they hold; an empty list shows all',
    )
    .option('-q, --quiet', 'say nothing on stderr but errors and warnings')
    .option(
      '-v, --verbose',
      'say more on stderr: what of each transcript could not be carried; each request of svc mock',
    )
    .option('--debug', 'trace each request on stderr, without keys')
    .addOption(new Option('--color <when>', 'colour the output').choices(['auto', 'always', 'never']).default('auto'))
    .option('--timeout <duration>', 'longest time for one attempt, as in 30s', duration)
    .option('--deadline <duration>', 'longest time for the whole run, as in 5m', duration)
    .option('--max-wait <duration>', 'longest wait that the service may ask for, as in 60s', duration)
    .option('--profile <name>', 'profile of your settings to use; it wins over the environment')
    .option('--config <file>', 'file of settings to use; it wins over the environment')
    .option('--no-input', 'never ask anything')
    .addHelpText('after', footer)
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`.replace(/ \[(options|command)\]/g, ''),
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => helpWidthOn(io.stdout),
      getErrHelpWidth: () => helpWidthOn(io.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // Errors are told in one place, with their hint: see report-error.ts.
      outputError: () => {},
    })
  const isNamed = (name: string) => !words || words.includes(name) || words.includes('completion')
  for (const { usage, description, load } of commands) {
    const command = program.command(usage).description(description)
    if (isNamed(command.name())) (await load())(command, act)
  }
  return program
}

/** The columns that help takes where it has room: a longer line is hard to read, and a log is no terminal. */
const helpWidth = 100

/** The columns that help may take on a stream. */
const helpWidthOn = ({ isTTY, columns }: Output): number => (isTTY ? Math.min(columns, helpWidth) : helpWidth)
