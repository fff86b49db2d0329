import type { Command } from 'commander'
import type { Context } from '../context.js'
import type { ExitCode } from '../exit.js'

export type { Command }

/** What a command does with its context, its operands and its own flags. No code means success. */
export type Work<Operands extends unknown[], Flags> = (
  context: Context,
  operands: Operands,
  flags: Flags,
) => Promise<ExitCode | undefined>

/** Turns what a command does into what the parser calls; `run` gives it the world and keeps the exit code. */
export type Act = <Operands extends unknown[], Flags>(
  work: Work<Operands, Flags>,
) => (command: Command, operands: Operands, flags: Flags) => Promise<void>

/** Gives a command its action. */
export function does<Operands extends unknown[], Flags>(command: Command, act: Act, work: Work<Operands, Flags>): void {
  command.action(() => act(work)(command, command.processedArgs as Operands, command.opts() as Flags))
}

/** Lines under a command's help, as they are typed. */
export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
