import { count } from '@svc/text'
import type { Context } from '../../../cli/src/context.js'
import { CliError, exit } from '../../../cli/src/exit.js'
import { findInput, findSessionInput, type Input, type InputFlags, type InputReading } from '../index.js'
import { type Found, findSessions, type Moment, momentAt, subagentsOf } from './find.js'
import type { Tool } from './head.js'

export interface SessionFlags {
  fromDate?: Moment
  toDate?: Moment
  cwd?: string
}

export interface SourceFlags extends SessionFlags, InputFlags {
  source?: Tool
  subagents?: boolean
}

/** The input of a command: either the named files or the sessions of a tool. */
export async function inputOf(
  context: Context,
  paths: readonly string[],
  flags: SourceFlags,
  reading: InputReading = {},
): Promise<Input> {
  const { source } = flags
  if (source === undefined) {
    refuseSessionFlags(flags)
    if (paths.length > 0) return findInput(context.io, paths, { ...inputFlagsOf(flags), ...reading })
    throw new CliError(exit.usage, 'Missing input.', {
      hint: 'add files, directories, or - for standard input; or --source claude-code, codex or gemini',
    })
  }
  if (paths.length === 0) return sessionsOf(context, source, flags)
  throw new CliError(exit.usage, `Files and --source ${source} cannot be used together.`, {
    hint: 'use one of them; `svc convert --list` shows the session files',
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

/** Find the sessions of a tool that match the flags, with notes about the others. */
export async function selectSessions(context: Context, tool: Tool, flags: SourceFlags): Promise<Found> {
  const { io } = context
  const now = context.now()
  const filter = {
    since: flags.fromDate && momentAt(flags.fromDate, now, 'start'),
    until: flags.toDate && momentAt(flags.toDate, now, 'end'),
    cwd: flags.cwd === undefined ? undefined : io.resolve(flags.cwd),
  }
  const found = await findSessions(io, tool, filter, now)
  const left = flags.subagents ? 0 : found.subagents.length
  if (left > 0) found.notes.push(`${count(left, 'sub-agent session')} skipped`)
  for (const note of found.notes) context.say(`note: ${note}`)
  return found
}

function refuseSessionFlags({ fromDate, toDate, cwd }: SessionFlags): void {
  const [flag] = [fromDate && '--from-date', toDate && '--to-date', cwd !== undefined && '--cwd'].filter(Boolean)
  if (!flag) return
  throw new CliError(exit.usage, `${flag} requires --source.`, {
    hint: `add --source claude-code, codex or gemini; or remove ${flag}`,
  })
}
