import type { Format } from '@svc/transcripts'

const intro = `# Formats

\`svc upload\`, \`annotate\`, \`check\` and \`convert\` read transcript files as they are, and so does
[\`@svc/transcripts\`](../../packages/transcripts/README.md). This page lists each format, where its files are found, which
shapes are accepted, and which data is kept or lost. A test generates it from the table of the importers. For a guide, see
[Import files](../guides/importing.md).

## Detection

\`svc\` finds the format by the content of a file, never by its name. Each format scores the first 50 records from 0 to 1. The
format that recognizes most records wins; on a tie, the one with the highest scores. Its confidence is its best score times the
share of records that it recognizes, and must be at least 0.5. \`svc\` refuses a file below that and lists the keys that it
found and the nearest formats. It also refuses a file that two formats recognize equally well, and names both.
\`--format ID\` sets the format, whatever the confidence. \`svc convert --detect\` prints the format and changes nothing.

\`svc\` refuses a transcript without a user, an assistant or a human agent, and gives the reason.

If a document has no known format but contains a list or an object under a common name (\`data\`, \`messages\`, \`items\`,
\`conversations\`, …, at most two levels deep), \`svc\` reads that and counts the other fields as losses.

A file is one JSON document, several in a row, one per line (JSONL), an array, or a table with a header, separated by
commas, tabs, semicolons or bars. Its text is UTF-8 or UTF-16, with or without a byte order mark; Windows line ends and
blank lines are accepted. In a folder, \`svc\` reads the files whose names end in \`.json\`, \`.jsonl\`, \`.ndjson\`, \`.traj\`,
\`.eval\`, \`.csv\`, \`.tsv\` or \`.zip\`, also followed by \`.gz\` or \`.zst\`, and skips hidden files.

## Conversion

The result is one ordered list of turns for both surfaces: the upload and the annotation messages have the same indices.

| in the file | in the upload | in the annotation request |
| --- | --- | --- |
| text of the end user | \`user\` | the same, visible |
| text of a model, with or without calls | \`assistant\`, \`toolCalls\` with name and arguments | the text, then \`[tool_call NAME] {…}\` for each call; visible |
| calls without text | the same; the content is a marker, \`metadata.synthetic_content\` is set | the calls; not visible |
| result of a tool | a \`tool\` turn for each, named by the id of its call; \`metadata.unmatched\` if there is no such call | \`[tool_result NAME] …\`; not visible |
| system or developer prompt, injected context, summary of a compaction | \`system\`, with a \`metadata.kind\` | not visible |
| human agent of a help desk | \`human_agent\` | visible |
| bot of a help desk | \`assistant\` | visible |
| internal note | the role of its author, \`metadata.kind\` is \`note\` | not visible |
| image, audio, video, file | a placeholder such as \`[image: image/png, 34 KB]\`, its facts in \`metadata.media\` | the placeholder |
| thinking | skipped; with \`--thinking\` in \`metadata.thinking\` | never |
| conversation of a sub-agent | skipped; with \`--subagents\` a separate transcript, \`metadata.parent_session\` | the same |
| branch that was edited or regenerated | skipped; with \`--branches\` a separate transcript | the same |
| error, interruption | metadata of the turn before, or a \`system\` turn | not visible |

- Turns keep the order of the file; traces are ordered by time, tables by the column that numbers the messages.
- A time is ISO 8601, or seconds, milliseconds, microseconds or nanoseconds since 1970. A time without a zone is UTC; a time
  before 2000, or more than a day in the future, is skipped. \`sourceTimestamp\` is the time of the conversation in the file, else
  the time of its first turn, never the time of the file on disk.
- \`modelName\` is the model with the most content; if there are several, \`metadata.models\` lists all. \`sourceSystem\` is the
  id of the format, unless the file names another.
- Of duplicate keys in a JSON object the last one counts, as everywhere in JavaScript. Tool arguments and results that contain a whole
  number beyond 2^53 are kept as text; elsewhere such a number is rounded and counted as a loss.
- Lone surrogates become U+FFFD, U+0000 is removed, and values nested deeper than 512 levels are cut. A name that is too long is
  cut; an id that is too long ends in a hash of the whole, so different ids stay different.

## Losses

Each transcript has a list of losses, one for each kind: \`code\`, \`what\`, \`why\` and \`count\`.

| code | meaning |
| --- | --- |
| \`dropped\` | removed |
| \`cut\` | a part is removed |
| \`merged\` | several became one |
| \`changed\` | kept in another form |
| \`invented\` | required by the service but missing in the file, such as the name of a tool |

\`svc\` prints them with their reasons in one line on stderr, and with \`--verbose\` in a line for each transcript; with
\`--json\` they are the \`losses\` of each object, and of the whole report of \`check\`. With \`--strict\` any loss is an error:
exit code 3, and nothing is sent or written. A log may end in an incomplete line, or contain an invalid one: that counts as a
loss. In all other files it is an error.

## Limits

The service accepts 1 to 1000 turns, 1 MB per turn, and about 5 MB per body. \`svc\` refuses a larger transcript before
it sends anything. With \`--split\` it becomes several transcripts of at most 1000 turns, 1 000 000 bytes per turn and 4 500 000
bytes of JSON. \`svc\` splits before a user turn if one is near, and never between a call and its result unless the data between
them is larger than a part. A text that is too long for a turn (its content, the arguments of a call, a result) keeps its
beginning and its end, and states in between how much was removed. The parts are linked: \`metadata.part\` has \`index\`,
\`count\`, \`first_turn\` and \`last_turn\`, \`metadata.source_total_turns\` is the number of all turns, the name ends in
\` (part 2/3)\`, the external id in \`#2/3\`.

One record (a line, an element of the array, a document) may have 256 MB. A file may have any number of records, because
\`svc\` reads it as a stream.

## Archives

\`svc\` unpacks gzip and zstd files, also from standard input. A zip may be stored, deflated or compressed with zstd. \`svc\` reads
members with the same endings as in a folder, each as a separate file, also compressed ones, and the members of a zip in
the zip, up to three levels deep. It reads an export as one file for each folder that contains one: the
\`conversations*.json\` of ChatGPT and claude.ai, the samples of an Inspect log. A note lists the members that it skips.
\`svc\` refuses encrypted members, damaged archives, archives without transcripts, and zstd data with a window of more than
8 MB (\`--long\`, or levels from 20). It also refuses an archive, together with the archives inside, if it has more than 100 000
members, if it unpacks to more than 16 GiB, or to more than 256 MiB and 200 times its size, and if an archive inside it has more
than 256 MiB. Unpack such an archive first, and use the folder.

## Tables

\`svc\` recognizes columns by their common names, in any case, with spaces, hyphens or underscores. \`--map\` names the others,
once for each: \`--map role=Sender --map "content=Message text"\`. A table needs \`role\` and \`content\`; the fields are
FIELDS.

Roles have common names, too: \`customer\` is the user, \`bot\` the assistant, \`agent\` a human agent. Map other speakers with
\`--map "role:Ada=user"\`; \`--map role:agent=assistant\` declares that agents are models. Dialogues with speaker names
accept the same options.

## Refused files

\`svc\` reports all problems at once, with line, column, JSON pointer and the next step, and sends nothing of the input. It refuses

- an empty file, or a file without messages: an empty result is never a success. In an export, conversations without a turn are
  skipped; in a folder or a zip, logs without messages, empty files and files of unknown format are skipped with a note, as long
  as one transcript is left;
- invalid JSON, except for lines of a log; bytes that are neither UTF-8 nor UTF-16, except in a log;
- a file that no format recognizes, or that two formats recognize equally well;
- an unknown role in a table or dialogue;
- a conversation printed into one text without speakers: examples of tau-bench with \`messages_display\`;
- traces whose program did not capture content, and Inspect logs without samples.

## All formats

Every format keeps the content, the roles, tool calls and their results. Tool definitions, request settings and token counts are
lost, and media except for a placeholder. "On request" means with \`--branches\` or \`--subagents\`.
`

type FormatDescription = Pick<Format, 'id' | 'title' | 'found' | 'accepts' | 'keeps' | 'loses'>

/** The reference page of the formats. */
export function formatsPage(formats: readonly FormatDescription[], fields: readonly string[]): string {
  const named = fields.map((field) => `\`${field}\``)
  const text = intro.replace('FIELDS', `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`)
  const index = formats.map(({ id, title }) => `| [\`${id}\`](#${id}) | ${title} |`)
  return [text, '| id | |', '| --- | --- |', ...index, '', ...formats.map(section)].join('\n')
}

const section = ({ id, title, found, accepts, keeps, loses }: FormatDescription): string => `### \`${id}\`

${title}

- **Found:** ${found}
- **Accepted:** ${marked(accepts)}
- **Kept:** ${keeps}
- **Lost:** ${loses}
`

/** Shapes and names of fields as code, and the words between them as words. */
function marked(accepts: string): string {
  let depth = 0
  let text = ''
  for (const character of accepts) {
    if (/[[{]/.test(character) && depth++ === 0) text += '`'
    text += character
    if (/[\]}]/.test(character) && --depth === 0) text += '`'
  }
  return text.replace(/(`[^`]*`)|\w+(?:_\w+|\.\*)+|chatId/g, (found, code?: string) => code ?? `\`${found}\``)
}
