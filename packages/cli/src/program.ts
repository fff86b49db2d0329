import { Command, Option } from 'commander'
import type { Act } from './commands/act.js'
import { annotateCommand } from './commands/annotate/command.js'
import { annotatorsCommand } from './commands/annotators/command.js'
import { apiCommand } from './commands/api/command.js'
import { authCommand } from './commands/auth/command.js'
import { checkCommand } from './commands/check/command.js'
import { completionCommand } from './commands/completion/command.js'
import { configCommand } from './commands/config/command.js'
import { convertCommand } from './commands/convert/command.js'
import { doctorCommand } from './commands/doctor/command.js'
import { duration } from './commands/flags.js'
import { healthCommand } from './commands/health/command.js'
import { mockCommand } from './commands/mock/command.js'
import { projectsCommand } from './commands/projects/command.js'
import { reportCommand } from './commands/report/command.js'
import { transcriptsCommand } from './commands/transcripts/command.js'
import { uploadCommand } from './commands/upload/command.js'
import { uploadsCommand } from './commands/uploads/command.js'
import type { Io, Output } from './io/io.js'
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

const commands: Record<string, (program: Command, act: Act) => void> = {
  upload: uploadCommand,
  uploads: uploadsCommand,
  annotate: annotateCommand,
  check: checkCommand,
  report: reportCommand,
  convert: convertCommand,
  projects: projectsCommand,
  transcripts: transcriptsCommand,
  annotators: annotatorsCommand,
  health: healthCommand,
  api: apiCommand,
  auth: authCommand,
  config: configCommand,
  doctor: doctorCommand,
  completion: completionCommand,
  mock: mockCommand,
}

/**
 * The command tree. Its leaves are loaded when they run, so that help needs little; and where the first word of the
 * command line is known to name a command, nothing is drawn up but that; for completion all of it is.
 */
export function buildProgram(io: Io, act: Act, first?: string): Command {
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
  const alone = first !== undefined && first !== 'completion' && Object.hasOwn(commands, first)
  const named = alone ? [commands[first]] : Object.values(commands)
  for (const draw of named) draw?.(program, act)
  return program
}

/** The columns that help takes where it has room: a longer line is hard to read, and a log is no terminal. */
const helpWidth = 100

/** The columns that help may take on a stream. */
const helpWidthOn = ({ isTTY, columns }: Output): number => (isTTY ? Math.min(columns, helpWidth) : helpWidth)
