import { type Command, InvalidArgumentError, Option } from 'commander'
import { reportIds, type Target, targetOf } from '../reports/index.js'
import { type GuardFlags, type RedactName, redactKinds } from '../secrets/index.js'
import { tools } from '../sessions/index.js'
import { isoTime, keyValue, moment, texts, upTo } from './arguments.js'

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
