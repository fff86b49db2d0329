import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../duration.js'
import { reportIds, type Target, targetOf } from '../reports/targets.js'
import { type GuardFlags, type RedactName, redactKinds } from '../secrets/guard.js'
import type { Moment } from '../sessions/find.js'
import { tools } from '../sessions/homes.js'
import { parseShard, type Shard } from '../shard.js'

/** `30s`, `2m`, `500ms` or a number of seconds, in milliseconds. */
export function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Expected a duration such as 500ms, 30s or 2m.')
  return ms
}

/** `7d`, `12h` or `30m` before the present, or an ISO 8601 date or time. */
export function moment(text: string): Moment {
  const agoMs = /[a-z]$/.test(text) ? parseDuration(text) : undefined
  if (agoMs !== undefined) return { agoMs }
  try {
    return { at: isoTime(text) }
  } catch {
    throw new InvalidArgumentError('Expected a time span such as 7d or 12h, or a date such as 2026-01-31.')
  }
}

/** A whole number from 1 up to `max`. */
export const upTo =
  (max: number) =>
  (text: string): number => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= 1 && value <= max) return value
    throw new InvalidArgumentError(
      max === Infinity ? 'Expected a whole number from 1.' : `Expected a whole number from 1 to ${max}.`,
    )
  }

/** `32MB`, `500kB` or a number of bytes. */
export function bytes(text: string): number {
  const [, number, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(text) ?? []
  const value = Number(number) * { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }[unit.toLowerCase() as 'b']
  if (value >= 1) return Math.floor(value)
  throw new InvalidArgumentError('Expected a size such as 500kB or 32MB.')
}

/** `3/8`: the third of eight. */
export function shard(text: string): Shard {
  const parsed = parseShard(text)
  if (parsed) return parsed
  throw new InvalidArgumentError('Expected a shard such as 1/8, from 1/8 to 8/8.')
}

/** `key=value`, gathered over repetitions. */
export function keyValue(text: string, gathered: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Expected key=value.')
  return { ...gathered, [text.slice(0, at)]: text.slice(at + 1) }
}

/** A text, gathered over repetitions. */
export const texts = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** An ISO 8601 date or time. */
export function isoTime(text: string): string {
  const [, day] = /^(\d{4}-\d{2}-\d{2})/.exec(text) ?? []
  // Date.parse takes 30 February for 2 March.
  const exists = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day)
  if (!exists || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('Expected an ISO 8601 time such as 2026-01-31T10:00:00Z.')
  }
  return text
}

export interface PageFlags {
  page?: number
  limit?: number
  all?: boolean
}

/** The flags of every list. */
export const withPaging = (command: Command): Command =>
  command
    .option('--page <n>', 'page to show, from 1', upTo(Infinity))
    .option('--limit <n>', 'items of a page, at most 100 (default: 20)', upTo(100))
    .addOption(new Option('--all', 'every page').conflicts('page'))

/** The flags of everything that reads transcripts. */
export const withReading = (command: Command): Command =>
  command
    .option('--format <id>', 'format of the files (default: what they look like)')
    .option('--strict', 'refuse what cannot be carried whole')
    .option('--split', 'make several transcripts of one that is too large')
    .option('--thinking', 'keep what the model thought, as metadata of its turns')
    .option('--subagents', 'take the talks of sub-agents as transcripts of their own')
    .option('--branches', 'take every branch of an edited talk')
    .option('--map <field=column>', 'column of a table that holds a field, repeatable', keyValue)
    .option(
      '--exclude <glob>',
      "leave out files of this name or path; repeatable; also as '!glob' among the paths",
      texts,
    )
    .option('--follow-links', 'follow links out of a folder and its repository, too')

/** The flags of everything that chooses among the sessions on this machine. */
export const withSessions = (command: Command): Command =>
  command
    .addOption(new Option('--source <tool>', 'take the sessions of a tool on this machine').choices(tools))
    .option('--since <time>', 'only sessions that went on since then, as in 7d or 2026-01-31', moment)
    .option('--until <time>', 'only sessions that had ended by then', moment)
    .option('--cwd <dir>', 'only sessions held in this folder or below it')

/** The flags that say what the file does not say of a transcript, or say it otherwise. */
export const withIdentity = (command: Command): Command =>
  command
    .option('--no-process', 'upload without analysis')
    .option('--name <name>', 'name of the transcript (default: its own, else its file)')
    .option('--model-name <name>', 'model of the conversation')
    .option('--language <code>', 'language code')
    .option('--source-system <name>', 'system that the conversation comes from')
    .option('--external-id <id>', 'your id of the conversation')
    .option('--external-user-id <id>', 'your id of its user')
    .option('--metadata <k=v>', 'metadata to store, repeatable; added to what the file has', keyValue)
    .option('--source-timestamp <time>', 'time of the conversation, ISO 8601', isoTime)

/** The flags of everything that annotates; where there is a policy, it may name the annotator. */
export const withAnnotator = (command: Command, isIn: 'flag' | 'flag or policy' = 'flag'): Command =>
  withGuard(withReading(command))
    .addOption(
      new Option('--annotator <id>', 'annotator of the registry; `svc annotators list` shows them').makeOptionMandatory(
        isIn === 'flag',
      ),
    )
    .option('--options <file>', 'JSON file with the request options')
    .option('--option <k=v>', 'one request option; its value is read as JSON where it is JSON', keyValue)
    .option('-j, --concurrency <n>', 'requests at a time', upTo(64), 4)
    .option('-n, --dry-run', 'check the input and say what would be sent')

function kindsToRedact(text: string): readonly RedactName[] {
  const names = text.split(',').map((name) => name.trim())
  const kinds = redactKinds.filter((kind) => names.includes(kind))
  if (kinds.length === new Set(names).size) return kinds
  throw new InvalidArgumentError(`Expected some of ${redactKinds.join(',')}; write --redact=all before a path.`)
}

/** `name=regex`, gathered over repetitions. */
function namedPattern(text: string, gathered: GuardFlags['redactPattern'] = []) {
  const { name, source } = /^(?<name>[A-Za-z][\w-]*)=(?<source>.+)$/s.exec(text)?.groups ?? {}
  if (!name || !source) throw new InvalidArgumentError('Expected name=regex; a name is letters, digits, _ and -.')
  try {
    return [...gathered, { name, pattern: new RegExp(source, 'u') }]
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`)
  }
}

/** The flags of everything that sends what people said. */
export const withGuard = (command: Command): Command =>
  command
    .option('--allow-secrets', 'send what looks like a credential, too')
    .addOption(
      new Option('--redact [kinds]', `hide personal data: --redact=all, or some of ${redactKinds.join(',')}`)
        .preset('all')
        .argParser((text: string) => (text === 'all' ? redactKinds : kindsToRedact(text))),
    )
    .option('--redact-pattern <name=regex>', 'hide what matches, too, as [name-1]; repeatable', namedPattern)

/** The flags of everything that reports how a check went. */
export const withReports = (command: Command): Command =>
  command
    .optionsGroup('Reports:')
    .option(
      '--report <format=file>',
      `write a report: ${reportIds.join(', ')} to a file or - for standard output, or github; repeatable`,
      target,
    )
    .option('--with-turns', 'keep what was said in JSON reports, for the HTML of a merged one')

function target(text: string, before: readonly Target[] = []): readonly Target[] {
  const parsed = targetOf(text)
  if (parsed) return [...before, parsed]
  throw new InvalidArgumentError(`Expected FORMAT=FILE with one of ${reportIds.join(', ')}, or github.`)
}
