import { reportForms } from '@svc/checks'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type GuardFlags, redactKinds, tools } from '../input/index.js'
import { type FileTarget, fileTargetOf, type Target, targetOf } from '../reports.js'
import { topicGroups } from './action.js'
import { isoTime, keyValue, moment, shard, someOf, texts, upTo } from './arguments.js'

/** An option of the help page of its command; the others of a group stand on the page of its topic. */
export const everyday = (flags: string, description: string): Option =>
  new Option(flags, description).helpGroup('Options:')

export interface PageFlags {
  page?: number
  limit?: number
  all?: boolean
  maxItems?: number
}

/** Flags of every paginated list. `most`: the longest page. */
export const withPaging = (command: Command, most = 100): Command =>
  command
    .option('--page <n>', 'page to show, from 1', upTo(Infinity))
    .option('--limit <n>', `items per page${most < Infinity ? `, at most ${most}` : ''} (default: 20)`, upTo(most))
    .addOption(new Option('--all', 'show all pages').conflicts('page'))
    .addOption(
      new Option('--max-items <n>', 'show at most this many items, over several pages')
        .argParser(upTo(Infinity))
        .conflicts('page'),
    )

export const withFilters = (command: Command): Command =>
  command
    .option('--project <id>', 'project (default: SVC_PROJECT)')
    .option('--q <text>', 'full-text search in the content')
    .option('--model-name <name>', 'only transcripts of this model')
    .option('--language <code>', 'only transcripts in this language')
    .option('--source-system <name>', 'only transcripts from this source system')
    .option('--annotation <key:value>', 'only transcripts with this annotation', annotationFilter)
    .option(
      '--from-date <time>',
      'only transcripts with a source timestamp from then or later, such as 7d or 2026-01-31',
      moment,
    )
    .option('--to-date <time>', 'only transcripts with a source timestamp from then or earlier', moment)

function annotationFilter(text: string): string {
  if (text.indexOf(':') > 0) return text
  throw new InvalidArgumentError('Expected key:value, such as outcome:poor.')
}

/** Flags of a command that takes stored transcripts in place of files. */
export const withStored = (command: Command): Command =>
  withFilters(
    command
      .addOption(everyday('--stored', 'take the stored transcripts of a project in place of files'))
      .optionsGroup(topicGroups.stored),
  ).optionsGroup('Options:')

export const withReading = (command: Command): Command =>
  command
    .addOption(everyday('--map <field=column>', 'column or field of your rows; repeatable').argParser(keyValue))
    .addOption(
      everyday('--exclude <glob>', "skip these files; repeatable; same as '!glob' among the paths").argParser(texts),
    )
    .optionsGroup(topicGroups.reading)
    .option('--format <id>', 'format of the input (default: detected)')
    .option('--importer <file>', 'program with a format of your own, which is tried first; repeatable', texts)
    .option('--strict', 'refuse transcripts that would lose content, and unknown or empty files')
    .option('--split', 'split transcripts that are too large')
    .option('--thinking', 'keep the reasoning of the model, as metadata of its turns')
    .option('--subagents', 'import the conversations of sub-agents as separate transcripts')
    .option('--branches', 'import every branch of an edited conversation')
    .addOption(new Option('--csv-escape <char>', 'escape character of CSV').choices(['\\', '\\\\', '"', '`', '^']))
    .option('--follow-links', 'also follow links that leave the named directory and its repository')
    .optionsGroup('Options:')

export const withSessions = (command: Command): Command =>
  command
    .addOption(everyday('--sessions <tool>', 'read the local sessions of this tool').choices(tools))
    .optionsGroup(topicGroups.sessions)
    .option('--from-date <time>', 'only sessions last active then or later, such as 7d or 2026-01-31', moment)
    .option('--to-date <time>', 'only sessions last active then or earlier', moment)
    .option('--cwd <dir>', 'only sessions in this directory or below')

export const withIdentity = (command: Command): Command =>
  command
    .addOption(everyday('--no-process', 'upload without analysis'))
    .optionsGroup(topicGroups.fields)
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
  withGuard(
    withReading(
      command
        .addOption(
          everyday('--annotator <id>', 'annotator id; run svc annotators list for all ids').makeOptionMandatory(
            isIn === 'flag',
          ),
        )
        .addOption(everyday('-n, --dry-run', 'check the input and print the plan without sending')),
    ),
  )
    .optionsGroup(topicGroups.annotation)
    .option('--options <file>', 'JSON file with request options')
    .option('--option <k=v>', 'one request option; a value that is valid JSON is parsed; repeatable', keyValue)
    .optionsGroup(topicGroups.sharding)
    .option('-j, --concurrency <n>', 'number of concurrent requests', upTo(64), 4)
    .option('--shard <i/n>', 'take only shard i of n', shard)

const kindsToRedact = someOf(redactKinds, '; write --redact=all if a path follows')

function namedPattern(text: string, before: GuardFlags['redactPattern'] = []) {
  const { name, source } = /^(?<name>[A-Za-z][\w-]*)=(?<source>.+)$/s.exec(text)?.groups ?? {}
  if (!name || !source) throw new InvalidArgumentError('Expected name=regex; a name is letters, digits, _ and -.')
  try {
    return [...before, { name, pattern: new RegExp(source, 'u') }]
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`)
  }
}

export const withGuard = (command: Command): Command =>
  withRedaction(
    command
      .optionsGroup(topicGroups.privacy)
      .option('--allow-secrets', 'send transcripts that seem to contain credentials'),
  )

export const withRedaction = (command: Command): Command =>
  command
    .optionsGroup(topicGroups.privacy)
    .addOption(
      new Option(
        '--redact [kinds]',
        `replace personal data by placeholders: --redact=all, or some of ${redactKinds.join(',')}`,
      )
        .preset('all')
        .argParser((text: string) => (text === 'all' ? redactKinds : kindsToRedact(text))),
    )
    .option('--redact-pattern <name=regex>', 'also replace matches, by [name-1]; repeatable', namedPattern)

export const withReports = (command: Command): Command =>
  command
    .addOption(
      everyday(
        '--report <format=file>',
        `write a report: ${reportForms.join(', ')} to a file or - (stdout), or github; repeatable`,
      ).argParser(target),
    )
    .optionsGroup(topicGroups.reports)
    .option('--show-all', 'print every failure, however many there are')
    .option('--with-turns', 'include turns in JSON reports, for the HTML of a merged report')
    .optionsGroup('Options:')

function target(text: string, before: readonly Target[] = []): readonly Target[] {
  const parsed = targetOf(text)
  if (parsed) return [...before, parsed]
  throw new InvalidArgumentError(`Expected FORMAT=FILE with one of ${reportForms.join(', ')}, or github.`)
}

export const formTargets =
  <Form extends string>(forms: readonly Form[]) =>
  (text: string, before: readonly FileTarget<Form>[] = []): readonly FileTarget<Form>[] => {
    const parsed = fileTargetOf(text, forms)
    if (parsed) return [...before, parsed]
    throw new InvalidArgumentError(`Expected FORMAT=FILE; formats: ${forms.join(', ')}.`)
  }
