import { type Command, Help, type Option } from 'commander'
import type { Context } from '../context.js'
import type { ExitCode } from '../exit.js'

export type { Command }

/** Run a command with its arguments and its own flags. Without an exit code it succeeds. */
export type Action<Arguments extends unknown[], Flags> = (
  context: Context,
  args: Arguments,
  flags: Flags,
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that succeeds may return nothing
) => Promise<ExitCode | void>

/** Give a command its action; `run` provides the context and keeps the exit code. */
export type SetAction = <Arguments extends unknown[], Flags>(command: Command, action: Action<Arguments, Flags>) => void

/** Values of the first argument for the completion; others are accepted, too. */
export function offer({ registeredArguments: [argument] }: Command, values: readonly string[]): void {
  if (argument) argument.argChoices = [...values]
}

export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`

/** The headings of options that stand on the page of a topic (`svc help reading`), and not on that of their command. */
export const topicGroups = {
  reading: 'Reading:',
  sessions: 'Sessions of tools on this machine:',
  fields: 'Fields:',
  privacy: 'Privacy:',
  resuming: 'Resuming:',
  stored: 'Stored transcripts:',
  sharding: 'Sharding:',
  rules: 'Rules:',
  selection: 'Selection:',
  annotation: 'Annotation:',
  baselines: 'Baselines:',
  reports: 'Reports and exit code:',
} as const

export type FlagTopic = keyof typeof topicGroups

/** The topic of an option; undefined for one of the page of its command. */
export const topicOf = ({ helpGroupHeading }: Pick<Option, 'helpGroupHeading'>): FlagTopic | undefined =>
  (Object.keys(topicGroups) as FlagTopic[]).find((topic) => topicGroups[topic] === helpGroupHeading)

/** Terms and their descriptions in two columns, wrapped at 80. A term that is wider than its column has a line of its own. */
export function helpList(items: readonly (readonly [term: string, description: string])[]): string {
  const help = new Help()
  help.prepareContext({ helpWidth: 80 })
  const width = Math.max(...items.map(([term]) => term.length).filter((length) => length <= widestTerm))
  const line = (term: string, description: string) => help.formatItem(term, width, description, help)
  return items
    .map(([term, description]) =>
      term.length > width ? `  ${term}\n${line('', description)}` : line(term, description),
    )
    .join('\n')
}

const widestTerm = 26
