import { dirname } from 'node:path'
import type { CheckReport } from '../checks/report.js'
import type { Context } from '../context.js'
import { CliError, exit } from '../exit.js'
import type { Io } from '../io.js'
import { printJson } from '../output.js'
import { withoutTurns } from './json.js'
import { type ReportId, rendererOf } from './table.js'
import { ownsStdout, refuseSharedTargets, type Target } from './targets.js'
import { terminal } from './terminal.js'

/** Refuses, before anything is asked, what could not be written later. */
export async function refuseUnwritable(context: Context, targets: readonly Target[]): Promise<void> {
  const { io, flags } = context
  refuseSharedTargets(targets, flags.json)
  for (const target of targets) {
    if (!('file' in target) || target.file === undefined) continue
    const code = await problemAt(io, target.file)
    if (code) throw unwritable(target.file, code)
  }
}

/** Why a file cannot be written, as the system would say it. */
async function problemAt(io: Io, file: string): Promise<string | undefined> {
  const folder = dirname(io.resolve(file))
  const kindOf = (path: string) => io.kindOf(path).catch(({ code }: NodeJS.ErrnoException) => code)
  if ((await kindOf(file)) === 'directory') return 'EISDIR'
  const kind = await kindOf(folder)
  if (kind === 'file' || kind === 'ENOTDIR') return 'ENOTDIR'
  return (await io.mayWrite(folder)) ? undefined : 'EACCES'
}

/** Where reports go, and whether JSON keeps what was said. */
export interface Delivery {
  report?: readonly Target[]
  withTurns?: boolean
}

/**
 * Writes every report, and shows the one for a person on stdout unless something else is there. One that cannot be
 * written keeps none of the others from it.
 */
export async function deliver(context: Context, report: CheckReport, flags: Delivery): Promise<void> {
  const { io, style } = context
  const { report: targets = [], withTurns } = flags
  const parts = async (id: ReportId) =>
    (await rendererOf[id]())(id === 'json' && !withTurns ? withoutTurns(report) : report)
  const failures: CliError[] = []
  for (const target of targets) {
    if (!('file' in target) || target.file === undefined) continue
    const { file } = target
    try {
      await io.makeFolder(dirname(io.resolve(file)))
      await io.writeFile(file, await parts(target.id), true)
    } catch (cause) {
      failures.push(unwritable(file, String((cause as NodeJS.ErrnoException).code), cause))
    }
  }
  const owner = targets.find(ownsStdout)
  if (context.flags.json) printJson(context, withTurns ? report : withoutTurns(report))
  else if (owner?.id === 'github') await tellGitHub(context, report)
  else if (!owner) for (const part of terminal(report, style.out, context.flags)) io.stdout.write(part)
  else for (const part of await parts(owner.id)) io.stdout.write(part)
  if (context.flags.json || owner) context.say(report.line)
  const [first] = failures
  if (!first) return
  throw failures.length === 1
    ? first
    : new CliError(exit.input, first.message, { details: failures.slice(1).map(({ message }) => message) })
}

async function tellGitHub({ io }: Context, report: CheckReport): Promise<void> {
  const { github, longestSummary, stepSummary } = await import('./github.js')
  for (const part of github(report)) io.stdout.write(part)
  const file = io.env.GITHUB_STEP_SUMMARY
  if (!file) return
  const before = await io.readEnds(file, 1).then(
    ({ size }) => size,
    () => 0,
  )
  await io.appendFile(file, [...stepSummary(report, longestSummary - before)].join(''))
}

const unwritable = (file: string, code: string, cause?: unknown): CliError =>
  new CliError(exit.input, `${file}: the report cannot be written (${code}).`, {
    cause,
    hint: 'name a file in a folder that can be written',
  })
