import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { type Session, type SessionFlags, selectSessions, type Tool } from '../../input/index.js'
import { printJsonLine, printRows } from '../../output/index.js'

export async function listSessions(
  context: Context,
  paths: readonly string[],
  tool: Tool,
  flags: SessionFlags,
): Promise<void> {
  if (paths.length > 0) {
    throw new CliError(exit.usage, `--list-sessions ${tool} finds sessions by itself and takes no paths.`, {
      hint: 'omit the paths, or use --detect to find their format',
    })
  }
  const { sessions, notes } = await selectSessions(context.io, tool, flags, context.now())
  for (const note of notes) context.say(`note: ${note}`)
  if (context.flags.json) for (const session of sessions) printJsonLine(context, sessionJson(session))
  else {
    const { isTTY } = context.io.stdout
    const { HOME: home } = context.io.env
    // The shorter form that a person would type.
    const brief = (path: string) =>
      isTTY && home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
    await printRows(
      context,
      [
        { title: 'STARTED', drop: 1, isTime: true },
        { title: 'LAST', drop: 3, isTime: true },
        { title: 'PROJECT', least: 12, drop: 2 },
        { title: 'TITLE', least: 24 },
        'PATH',
      ],
      sessions.map(({ started, last, cwd, title, path }) => [
        isoOf(started) ?? '',
        isoOf(last) ?? '',
        brief(cwd ?? ''),
        title,
        brief(path),
      ]),
    )
  }
}

const sessionJson = ({ tool, path, started, last, cwd, title }: Session): object => ({
  schema: 'svc/session@1',
  tool,
  path,
  started: isoOf(started),
  last: isoOf(last),
  cwd: cwd ?? null,
  title,
})

const isoOf = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString())
