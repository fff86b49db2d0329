import { count, escapeJson } from '@svc/text'
import { fileIn, type WrittenFile } from '@svc/transcripts'
import { type Command, Option } from 'commander'
import { withReadingSettings } from '../../config/index.js'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import {
  addCounts,
  conversationsIn,
  diagnosticsOf,
  guardWrites,
  type Input,
  inputOf,
  invalidInput,
  type LocatedViolation,
  lossReporter,
  originOf,
  ownKeys,
  type ReadReport,
  redactionLine,
  refuseSharedIdentity,
  sessionFolders,
  streamBufferBytes,
  tools,
  violationLines,
} from '../../input/index.js'
import { Spool } from '../../io/index.js'
import { jsonLine } from '../../output/index.js'
import { isStdout } from '../../reports.js'
import { writeWarning } from '../../terminal.js'
import { type Action, examples, type SetAction } from '../action.js'
import { withIdentity, withReading, withRedaction, withSessions } from '../flags.js'
import { type Converted, type ConvertFlags, converted, refuseIdentity, targets } from './body.js'
import { detectFiles } from './detect.js'
import { listSessions } from './list.js'

export const convert: Action<[string[]], ConvertFlags> = async (context, [paths], given) => {
  const flags = withReadingSettings(context.io, given, await context.settings())
  if (flags.listSessions || flags.detect || flags.to !== 'upload') refuseIdentity(flags)
  if (flags.listSessions) return listSessions(context, paths, flags.listSessions, flags)
  const out = await placeFor(context, flags)
  const input = await inputOf(context.io, paths, flags, { now: context.now(), keepBytes: streamBufferBytes })
  for (const note of input.notes) context.say(`note: ${note}`)
  if (out !== undefined) await guardWrites(context.io, [{ what: '--out', path: out }], input.candidates)
  if (input.failure) throw input.failure
  if (flags.detect) return detectFiles(context, input, flags)
  const printed = new Spool(context.io)
  const file = fileIn(flags.to, escapeJson)
  try {
    const items = convertedIn(context, input, flags)
    const made = await (out === undefined
      ? hold(context, printed, items, file)
      : write(context, printed, items, { file, out, mayReplace: flags.force === true }))
    await printed.printTo(context.io.stdout)
    report(context, made, flags.to, out)
  } finally {
    await printed.close()
  }
}

/** The file to write, checked before anything is read; undefined for standard output. */
async function placeFor({ io }: Context, { out, force }: ConvertFlags): Promise<string | undefined> {
  if (out === undefined && force) throw new CliError(exit.usage, '--force requires --out.', { hint: 'add --out FILE' })
  if (out === undefined || isStdout(out)) return undefined
  const kind = await io.kindOf(out).catch(() => undefined)
  if (kind === 'directory')
    throw new CliError(exit.usage, `${out} is a directory.`, { hint: 'name a file in it, such as out.jsonl' })
  // Nothing in a pipe or a device, such as /dev/null, is replaced.
  if (kind === 'file' && !force && !(await io.writeTarget(out)).isThrough) throw alreadyThere(out)
  return out
}

const alreadyThere = (path: string) =>
  new CliError(exit.usage, `The file ${path} already exists.`, {
    hint: 'add --force to replace it, or choose another name',
  })

/** Yield the bodies one at a time. Throws at the end if any input is invalid. */
async function* convertedIn(
  context: Context,
  { sources, skipped }: Input,
  flags: ConvertFlags,
): AsyncGenerator<Converted, void, undefined> {
  const readReport: ReadReport = { problems: [], notes: [], skipped }
  const losses = lossReporter(context.say, context.flags.verbose)
  const redacted: Record<string, number> = {}
  const keys = flags.redact ? ownKeys(await context.settings()) : []
  const violations: LocatedViolation[] = []
  const warnings: LocatedViolation[] = []
  let transcripts = 0
  for await (const conversation of conversationsIn(sources, flags, context.now(), readReport)) {
    const item = converted(conversation, flags, keys)
    addCounts(redacted, item.redacted)
    transcripts++
    violations.push(...item.violations)
    warnings.push(...item.warnings)
    losses.see(item.conversation)
    // After the first problem, the rest is read only to report its problems.
    if (readReport.problems.length + violations.length === 0) yield item
  }
  if (flags.to === 'upload') refuseSharedIdentity(transcripts, flags)
  for (const note of readReport.notes) context.say(`note: ${note}`)
  for (const warning of await violationLines(warnings)) writeWarning(context.io, warning)
  const problems = [...readReport.problems, ...(await diagnosticsOf(violations))]
  if (problems.length > 0) throw invalidInput(problems, 'written', readReport.hint, readReport.add)
  losses.end()
  const line = redactionLine(redacted)
  if (line !== undefined) context.say(line)
}

type Items = AsyncIterable<Converted>

interface Made {
  transcripts: number
  turns: number
}

const plus = ({ transcripts, turns }: Made, { conversation }: Converted): Made => ({
  transcripts: transcripts + 1,
  turns: turns + conversation.transcript.turns.length,
})

/** Hold the bodies back until all of the input is valid. */
async function hold(context: Context, printed: Spool, items: Items, file: WrittenFile): Promise<Made> {
  let made: Made = { transcripts: 0, turns: 0 }
  for await (const item of items) {
    made = plus(made, item)
    await printed.write(context.flags.json ? jsonLine(context, convertedJson(item, true)) : file.add(item.body))
  }
  await printed.write(file.end())
  return made
}

async function write(
  context: Context,
  printed: Spool,
  items: Items,
  { file, out, mayReplace }: { file: WrittenFile; out: string; mayReplace: boolean },
): Promise<Made> {
  const { io, flags } = context
  const held = new Spool(io)
  let made: Made = { transcripts: 0, turns: 0 }
  let ofInput: unknown
  async function* lines() {
    try {
      for await (const item of items) {
        made = plus(made, item)
        if (flags.json) await printed.write(jsonLine(context, convertedJson(item, false)))
        yield file.add(item.body)
      }
      yield file.end()
    } catch (error) {
      ofInput = error
      throw error
    }
  }
  try {
    const { isThrough } = await io.writeTarget(out)
    // A pipe or a device is written to as it is: it gets everything, or nothing.
    if (isThrough) for await (const line of lines()) await held.write(line)
    await io.writeFile(out, isThrough ? held.parts() : lines(), mayReplace)
    return made
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || error === ofInput) throw error
    if (code === 'EEXIST') throw alreadyThere(out)
    const why = code === 'ENOENT' ? 'the directory does not exist' : `it is not writable (${code})`
    throw new CliError(exit.input, `${out}: ${why}.`, { cause: error })
  } finally {
    await held.close()
  }
}

function report(context: Context, made: Made, to: ConvertFlags['to'], out: string | undefined): void {
  if (context.flags.json) {
    const sum = { to, ...made, ...(out !== undefined && { out }) }
    context.io.stdout.write(jsonLine(context, { schema: 'svc/convert-summary@1', ...sum }))
  }
  const where = out === undefined ? '' : ` in ${out}`
  const counts = `${count(made.transcripts, 'transcript')} with ${count(made.turns, 'turn')}`
  context.say(`${counts} converted to ${wordsOf(to)}${where}`)
}

const wordsOf = (to: ConvertFlags['to']) =>
  to === 'upload' ? 'upload bodies' : to === 'annotation' ? 'annotation transcripts' : `the format ${to}`

function convertedJson({ conversation, name, body }: Converted, withBody: boolean): object {
  const { format, turns, losses } = conversation.transcript
  const origin = originOf(conversation, name)
  return { schema: 'svc/convert@1', ...origin, format, turns: turns.length, losses, ...(withBody && { body }) }
}

export function convertCommand(command: Command, setAction: SetAction): void {
  withRedaction(
    withIdentity(
      withSessions(
        withReading(command)
          .addOption(
            new Option('--to <form>', 'request body or format to write, one JSON line each; with inspect, one log')
              .choices(targets)
              .default('upload'),
          )
          .option('-o, --out <file>', 'file to write, or - (default: stdout)')
          .option('--force', 'replace an existing file')
          .addOption(
            new Option('--detect', 'print the format of each file without converting').conflicts([
              'to',
              'out',
              'force',
            ]),
          )
          .addOption(
            new Option('--list-sessions <tool>', 'list the local sessions of this tool')
              .choices(tools)
              .conflicts(['to', 'out', 'force', 'detect', 'sessions']),
          ),
      ),
    ),
  ).addHelpText(
    'after',
    `
Session directories: ${sessionFolders} Dates are in UTC.

All input is read before any output is written, so that a pipe gets everything or nothing.
Long output waits in a temporary file, not in memory.
${examples(
  'svc convert session.jsonl > upload.jsonl',
  'svc convert conversations/ --to annotation --out conversations.jsonl',
  'svc convert export.zip --to openai-chat --out messages.jsonl',
  'svc convert conversations/ --redact=all --to markdown-chat | less',
  'svc convert --detect export.zip',
  'svc convert --list-sessions claude-code --from-date 7d',
  'svc convert --sessions codex --cwd . --from-date 2026-01-31',
)}`,
  )
  setAction(command, convert)
}
