import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../duration.js'
import { reportIds, type Target, targetOf } from '../reports/index.js'
import { type GuardFlags, type RedactName, redactKinds } from '../secrets/index.js'
import { type Moment, tools } from '../sessions/index.js'
import { parseShard, type Shard } from '../shard.js'

export interface PageFlags {
  page?: number
  limit?: number
  all?: boolean
}

/** Flags of every paginated list. */
export const withPaging = (command: Command): Command =>
  command
    .option('--page <n>', 'page to show, from 1', upTo(Infinity))
    .option('--limit <n>', 'items per page, at most 100 (default: 20)', upTo(100))
    .addOption(new Option('--all', 'show all pages').conflicts('page'))

/** Flags of every command that reads transcripts. */
export const withReading = (command: Command): Command =>
  command
    .option('--format <id>', 'format of the input (default: detected)')
    .option('--strict', 'refuse transcripts that would lose content')
    .option('--split', 'split transcripts that are too large')
    .option('--thinking', 'keep the reasoning of the model, as metadata of its turns')
    .option('--subagents', 'import the conversations of sub-agents as separate transcripts')
    .option('--branches', 'import every branch of an edited conversation')
    .option('--map <field=column>', 'table column that holds a field; repeatable', keyValue)
    .option('--exclude <glob>', "skip files with this name or path; repeatable; same as '!glob' among the paths", texts)
    .option('--follow-links', 'also follow links that leave the named directory and its repository')

/** Flags that select local sessions. */
export const withSessions = (command: Command): Command =>
  command
    .addOption(new Option('--source <tool>', 'read the local sessions of this tool').choices(tools))
    .option('--since <time>', 'only sessions active since then, such as 7d or 2026-01-31', moment)
    .option('--until <time>', 'only sessions that ended before then', moment)
    .option('--cwd <dir>', 'only sessions in this directory or below')

/** Flags that set or override fields of a transcript. */
export const withIdentity = (command: Command): Command =>
  command
    .option('--no-process', 'upload without analysis')
    .option('--name <name>', 'name of the transcript (default: its own name or its file name)')
    .option('--model-name <name>', 'model that produced the conversation')
    .option('--language <code>', 'language code')
    .option('--source-system <name>', 'system that the conversation comes from')
    .option('--external-id <id>', 'your id for the conversation')
    .option('--external-user-id <id>', 'your id for the user')
    .option('--metadata <k=v>', 'metadata to add to the metadata of the file; repeatable', keyValue)
    .option('--source-timestamp <time>', 'time of the conversation (ISO 8601)', isoTime)

/** Flags of every command that annotates. A policy may name the annotator instead of the flag. */
export const withAnnotator = (command: Command, isIn: 'flag' | 'flag or policy' = 'flag'): Command =>
  withGuard(withReading(command))
    .addOption(
      new Option('--annotator <id>', 'annotator id; run svc annotators list for all ids').makeOptionMandatory(
        isIn === 'flag',
      ),
    )
    .option('--options <file>', 'JSON file with request options')
    .option('--option <k=v>', 'one request option; a value that is valid JSON is parsed; repeatable', keyValue)
    .option('-j, --concurrency <n>', 'number of concurrent requests', upTo(64), 4)
    .option('-n, --dry-run', 'check the input and print the plan without sending')

function kindsToRedact(text: string): readonly RedactName[] {
  const names = text.split(',').map((name) => name.trim())
  const kinds = redactKinds.filter((kind) => names.includes(kind))
  if (kinds.length === new Set(names).size) return kinds
  throw new InvalidArgumentError(`Expected some of ${redactKinds.join(',')}; write --redact=all if a path follows.`)
}

/** Parse one `name=regex`, and add it to those before. */
function namedPattern(text: string, before: GuardFlags['redactPattern'] = []) {
  const { name, source } = /^(?<name>[A-Za-z][\w-]*)=(?<source>.+)$/s.exec(text)?.groups ?? {}
  if (!name || !source) throw new InvalidArgumentError('Expected name=regex; a name is letters, digits, _ and -.')
  try {
    return [...before, { name, pattern: new RegExp(source, 'u') }]
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`)
  }
}

/** Flags that keep credentials and personal data from being sent. */
export const withGuard = (command: Command): Command =>
  command
    .option('--allow-secrets', 'send transcripts that seem to contain credentials')
    .addOption(
      new Option(
        '--redact [kinds]',
        `replace personal data by placeholders: --redact=all, or some of ${redactKinds.join(',')}`,
      )
        .preset('all')
        .argParser((text: string) => (text === 'all' ? redactKinds : kindsToRedact(text))),
    )
    .option('--redact-pattern <name=regex>', 'also replace matches, by [name-1]; repeatable', namedPattern)

/** Flags of every command that writes check reports. */
export const withReports = (command: Command): Command =>
  command
    .optionsGroup('Reports:')
    .option(
      '--report <format=file>',
      `write a report: ${reportIds.join(', ')} to a file or - (stdout), or github; repeatable`,
      target,
    )
    .option('--show-all', 'print every failure, however many there are')
    .option('--with-turns', 'include turns in JSON reports, for the HTML of a merged report')

function target(text: string, before: readonly Target[] = []): readonly Target[] {
  const parsed = targetOf(text)
  if (parsed) return [...before, parsed]
  throw new InvalidArgumentError(`Expected FORMAT=FILE with one of ${reportIds.join(', ')}, or github.`)
}

/** Milliseconds from `30s`, `2m`, `500ms` or a number of seconds. */
export function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('Expected a duration such as 500ms, 30s or 2m.')
  return ms
}

/** A time from `7d`, `12h` or `30m` before now, or from an ISO 8601 date or time. */
function moment(text: string): Moment {
  const agoMs = /[a-z]$/.test(text) ? parseDuration(text) : undefined
  if (agoMs !== undefined) return { agoMs }
  try {
    return { at: isoTime(text) }
  } catch {
    throw new InvalidArgumentError('Expected a duration such as 7d or 12h, or a date such as 2026-01-31.')
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

/** Bytes from `32MB`, `500kB` or a number of bytes. */
export function bytes(text: string): number {
  const [, number, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(text) ?? []
  const value = Number(number) * { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }[unit.toLowerCase() as 'b']
  if (value >= 1) return Math.floor(value)
  throw new InvalidArgumentError('Expected a size such as 500kB or 32MB.')
}

/** The third of eight shards from `3/8`. */
export function shard(text: string): Shard {
  const parsed = parseShard(text)
  if (parsed) return parsed
  throw new InvalidArgumentError('Expected a shard such as 1/8, from 1/8 to 8/8.')
}

/** The key and value of an annotation, as in `outcome:poor`. */
export function annotationFilter(text: string): string {
  if (text.indexOf(':') > 0) return text
  throw new InvalidArgumentError('Expected key:value, such as outcome:poor.')
}

/** Parse one `key=value`, and add it to those before. */
export function keyValue(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Expected key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

/** Add a text to those before. */
export const texts = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

/** An ISO 8601 date or time. */
export function isoTime(text: string): string {
  const [, day] = /^(\d{4}-\d{2}-\d{2})/.exec(text) ?? []
  // Date.parse reads 30 February as 2 March.
  const exists = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day)
  if (!exists || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('Expected an ISO 8601 time such as 2026-01-31T10:00:00Z.')
  }
  return text
}
