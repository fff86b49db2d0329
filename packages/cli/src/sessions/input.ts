import type { Context } from '../context.js'
import { CliError, exit } from '../exit.js'
import { findInput, findSessionInput, type Input, type InputFlags, type InputReading } from '../input/index.js'
import { count } from '../terminal/index.js'
import { type Found, findSessions, type Moment, momentAt, subagentsOf } from './find.js'
import type { Tool } from './homes.js'

/** Which sessions on this machine are meant. */
export interface SessionFlags {
  since?: Moment
  until?: Moment
  cwd?: string
}

/** The sessions to take in place of files. */
export interface SourceFlags extends SessionFlags, InputFlags {
  source?: Tool
  subagents?: boolean
}

/** What there is to read: the files that are named, or the sessions of a tool. Never both, and never neither. */
export async function inputOf(
  context: Context,
  paths: readonly string[],
  flags: SourceFlags,
  reading: InputReading = {},
): Promise<Input> {
  const { source } = flags
  if (source === undefined) {
    refuseSessionFlags(flags, '--source')
    if (paths.length > 0) return findInput(context.io, paths, { ...inputFlagsOf(flags), ...reading })
    throw new CliError(exit.usage, 'No transcripts are named.', {
      hint: 'give files, directories, or - for standard input; or --source claude-code, codex or gemini',
    })
  }
  if (paths.length === 0) return sessionsOf(context, source, flags)
  throw new CliError(exit.usage, `Both files and --source ${source} are given.`, {
    hint: 'give one of them; `svc convert --list` shows the files of sessions, which can be named',
  })
}

async function sessionsOf(context: Context, source: Tool, flags: SourceFlags): Promise<Input> {
  const { sessions, subagents } = await selectSessions(context, source, flags)
  const files = sessions.map(({ path }) => path)
  if (flags.subagents) {
    files.push(...subagents.map(({ path }) => path))
    if (source === 'claude-code') files.push(...(await subagentsOf(context.io, sessions)))
  }
  return findSessionInput(context.io, files, `--source ${source}`, inputFlagsOf(flags))
}

const inputFlagsOf = ({ exclude, followLinks }: InputFlags): InputFlags => ({
  ...(exclude && { exclude }),
  ...(followLinks && { followLinks }),
})

/** The sessions of a tool that the flags choose; what there is to say of the others is said. */
export async function selectSessions(context: Context, tool: Tool, flags: SourceFlags): Promise<Found> {
  const { io } = context
  const now = context.now()
  const wish = {
    since: flags.since && momentAt(flags.since, now, 'start'),
    until: flags.until && momentAt(flags.until, now, 'end'),
    cwd: flags.cwd === undefined ? undefined : io.resolve(flags.cwd),
  }
  const found = await findSessions(io, tool, wish, now)
  const left = flags.subagents ? 0 : found.subagents.length
  if (left > 0) found.notes.push(`${count(left, 'talk')} of sub-agents left out`)
  for (const note of found.notes) context.say(`note: ${note}`)
  return found
}

/** Times and folders choose among sessions; files are chosen by their names. */
function refuseSessionFlags({ since, until, cwd }: SessionFlags, instead: string): void {
  const [flag] = [since && '--since', until && '--until', cwd !== undefined && '--cwd'].filter(Boolean)
  if (!flag) return
  throw new CliError(exit.usage, `${flag} chooses among sessions, and none are asked for.`, {
    hint: `leave ${flag} out, or give ${instead} claude-code, codex or gemini`,
  })
}
