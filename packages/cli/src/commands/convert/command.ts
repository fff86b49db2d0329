import { type Command, Option } from 'commander'
import { tools } from '../../sessions/index.js'
import { type Act, does, examples } from '../act.js'
import { withIdentity, withReading, withSessions } from '../flags.js'
import { convert } from './run.js'
import { targets } from './targets.js'

export function convertCommand(command: Command, act: Act): void {
  withIdentity(
    withSessions(
      withReading(command)
        .addOption(
          new Option('--to <body>', 'what to make of each transcript: one JSON body a line')
            .choices(targets)
            .default('upload'),
        )
        .option('-o, --out <file>', 'file to write (default: standard output)')
        .option('--force', 'replace the file if it is there')
        .addOption(
          new Option('--detect', 'say of each file what it is, and convert nothing').conflicts(['to', 'out', 'force']),
        )
        .addOption(
          new Option('--list <tool>', 'list the sessions of a tool on this machine')
            .choices(tools)
            .conflicts(['to', 'out', 'force', 'detect', 'source']),
        ),
    ),
  ).addHelpText(
    'after',
    `
Sessions are looked for in ~/.claude/projects (or below CLAUDE_CONFIG_DIR), ~/.codex/sessions and
archived_sessions (or below CODEX_HOME), and ~/.gemini/tmp (or below GEMINI_CLI_HOME). A date is a day in UTC.

All of the input is read before anything is printed or put in place, so that the reader of a pipe gets everything or
nothing. Output that waits for that is kept in a temporary file once it is long, never in memory.
${examples(
  'svc convert session.jsonl > upload.jsonl',
  'svc convert talks/ --to annotation --out talks.jsonl',
  'svc convert --detect export.zip',
  'svc convert --list claude-code --since 7d',
  'svc convert --source codex --cwd . --since 2026-01-31',
)}`,
  )
  does(command, act, convert)
}
