import type { Command } from 'commander'
import type { Context } from '../context.js'
import type { ExitCode } from '../exit.js'

export type { Command }

/** Run a command with its arguments and its own flags. Undefined means success. */
export type Action<Arguments extends unknown[], Flags> = (
  context: Context,
  args: Arguments,
  flags: Flags,
) => Promise<ExitCode | undefined>

/** Give a command its action; `run` provides the context and keeps the exit code. */
export type SetAction = <Arguments extends unknown[], Flags>(command: Command, action: Action<Arguments, Flags>) => void

/** Help lines that show command lines as they are typed. */
export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
