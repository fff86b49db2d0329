import type { Format } from '@svc/transcripts'

const intro = `# Formats

\`svc upload\`, \`annotate\`, \`check\` and \`convert\` take a transcript file as it is, and so does
[\`@svc/transcripts\`](../../packages/transcripts/README.md). Below stand each format, where its files live, what is
accepted, kept and lost. A test writes this page from the table that the importers themselves use, and fails when it is
out of date. How to go about it: [Take the file you have](../guides/importing.md).

## How a format is found

By what is in the file, never by its name. Each format scores the first 50 records from 0 to 1. The format that knows
most records reads the file; of several, the one with the highest scores. Its confidence is its best score, times the
share of the records that it knows, and must be at least 0.5. A file below that is refused with the keys that were seen
and the formats that come nearest; a file that two formats know equally well, with the names of both. \`--format ID\`
reads a file as what you name, whatever the confidence. \`svc convert --detect\` says what a file is, and changes nothing.

A transcript in which no user, no assistant and no person of a help desk speaks is refused with the reason.

Where a document is of no format but holds a list or an object under a usual name (\`data\`, \`messages\`, \`items\`,
\`conversations\`, …, at most two deep), that is read; the fields beside it are counted as losses.

A file is one JSON document, several in a row, one a line (JSONL), an array, or a table with a header, separated by
commas, tabs, semicolons or bars. Its text is UTF-8 or UTF-16, with or without a byte order mark; line ends of Windows
and blank lines do no harm. Of a folder, those files are taken whose names end in \`.json\`, \`.jsonl\`, \`.ndjson\`,
\`.traj\`, \`.eval\`, \`.csv\`, \`.tsv\` or \`.zip\`, also with \`.gz\` or \`.zst\` behind it, and none that are hidden.

## What becomes of it

One ordered list of turns serves both surfaces: the upload and the annotation messages have the same indices.

| in the file | in the upload | in the annotation request |
| --- | --- | --- |
| words of the end user | \`user\` | the same, visible |
| words of a model, with or without calls | \`assistant\`, \`toolCalls\` with name and arguments | the words, then \`[tool_call NAME] {…}\` for each call; visible |
| calls without words | the same; the content is a marker, \`metadata.synthetic_content\` says so | the calls; not visible |
| answer of a tool | a \`tool\` turn for each, its name found by the id of the call; \`metadata.unmatched\` where there is no such call | \`[tool_result NAME] …\`; not visible |
| system or developer prompt, injected context, summary of a compaction | \`system\`, with a \`metadata.kind\` | not visible |
| person of a help desk | \`human_agent\` | visible |
| bot of a help desk | \`assistant\` | visible |
| internal note | the role of its author, \`metadata.kind\` is \`note\` | not visible |
| image, audio, video, file | a placeholder such as \`[image: image/png, 34 KB]\`, its facts in \`metadata.media\` | the placeholder |
| thinking | left out; with \`--thinking\` in \`metadata.thinking\` | never |
| talk of a sub-agent | left out; with \`--subagents\` a transcript of its own, \`metadata.parent_session\` | the same |
| branch that was edited away or asked again | left out; with \`--branches\` a transcript of its own | the same |
| error, interruption | metadata of the turn before, or a \`system\` turn | not visible |

- The order is that of the file; traces are ordered by time, tables by the column that counts the messages.
- A time may be ISO 8601, or seconds, milliseconds, microseconds or nanoseconds since 1970. A time without a zone is
  taken for UTC; one before 2000, or more than a day ahead, is left out. \`sourceTimestamp\` is the time that the file
  gives the talk, else that of its first turn, never that of the file on disk.
- \`modelName\` is the model that said most; where there are several, \`metadata.models\` has all. \`sourceSystem\` is the
  format's id, unless the file names another.
- Of equal keys of one JSON object the last counts, as everywhere in JavaScript. Tool arguments and answers with a whole
  number beyond 2^53 are kept as text; elsewhere such a number is rounded, and counted.
- Lone surrogates become U+FFFD, U+0000 goes, and values nested deeper than 512 levels are cut. A name that is too long
  is cut; such an id ends in a hash of the whole, so that different ones stay different.

## What could not be carried

Each transcript has a list of losses, one for each kind: \`code\`, \`what\`, \`why\` and \`count\`.

| code | means |
| --- | --- |
| \`dropped\` | it is gone |
| \`cut\` | a part of it is gone |
| \`merged\` | several are one |
| \`changed\` | it is there in another form |
| \`invented\` | the service wants it and the file has not, such as the name of a tool |

\`svc\` tells them with their reasons in one line on stderr, and with \`--verbose\` in a line for each transcript; with
\`--json\` they are the \`losses\` of each object, and of the whole report of \`check\`. With \`--strict\` any loss is an error:
exit code 3, and nothing is sent or written. A log may end in a line that is cut, or have one that is broken: that is a
loss. In all other files it is an error.

## Limits

The service takes 1 to 1000 turns, 1 MB a turn, and about 5 MB a body. A transcript beyond that is refused, before
anything is sent. With \`--split\` it becomes several of at most 1000 turns, 1 000 000 bytes a turn and 4 500 000 bytes of
JSON. They are cut before a turn of the user where one is near, and never between a call and its answer unless what
lies between is more than a part may hold. What is too long in a turn (its content, the arguments of a call, an answer)
keeps its beginning and its end, and says in between how much went. The
parts are linked: \`metadata.part\` has \`index\`, \`count\`, \`first_turn\` and \`last_turn\`, \`metadata.source_total_turns\` the
number of all turns, the name ends in \` (part 2/3)\`, the external id in \`#2/3\`.

One record (a line, an element of the array, a document) may have 256 MB. A file may have any number of them: it is read
as it comes.

## Archives

Files packed by gzip or zstd are unpacked, also from standard input. A zip may be stored, deflated or packed by zstd; members
are taken by the same endings as the files of a folder, each as a file of its own, also those that are packed, and the
members of a zip in the zip, up to three deep. An export is read as one file, one for each folder that holds one: the
\`conversations*.json\` of ChatGPT and claude.ai, the samples of an Inspect log. What is not read is told in a note. Refused
are encrypted members, damaged archives, those without transcripts, and what zstd packed with a window of more than 8 MB
(\`--long\`, or the levels from 20). An archive is also refused, as a whole with those inside it, when it has more than
100 000 members, unpacks to more than 16 GiB, or to more than 256 MiB and 200 times its size, and when one inside it has
more than 256 MiB. Unpack it first, and name the folder.

## Tables

Columns are known by their usual names, in any case, with blanks, hyphens or underscores. \`--map\` says what they do not
say, once for each: \`--map role=Sender --map "content=Message text"\`. A table needs \`role\` and \`content\`; the fields are
FIELDS.

Roles have their usual names, too: \`customer\` is the user, \`bot\` the assistant, \`agent\` a human agent. Who else speaks
is said by \`--map "role:Ada=user"\`, and \`--map role:agent=assistant\` says that agents are models. Dialogues of speakers
take the same options.

## What is refused

Every problem is told at once, with line, column and JSON pointer, and what to do; nothing of the input is sent.

- A file that is empty, or in which nobody says anything. An empty result is never a success. Only in an export of many
  are conversations without a turn left out, and in a folder or a zip logs in which
  nobody speaks, empty files and those that no format knows, with a note, as long as it holds a transcript.
- Broken JSON, but for lines of a log; bytes that are neither UTF-8 nor UTF-16, but for those of a log.
- A file that no format knows, or that two know equally well.
- A role that nobody knows, in tables and dialogues.
- A talk printed into one text, where it cannot be told who speaks: examples of tau-bench with \`messages_display\`.
- Traces whose program did not capture content, and Inspect logs without samples.

## The formats

In every format the words, who says them, tool calls and their answers are kept. Definitions of tools, settings of
requests and counts of tokens are lost, and media but for a placeholder. "On request" means by \`--branches\` or
\`--subagents\`.
`

type Told = Pick<Format, 'id' | 'title' | 'found' | 'accepts' | 'keeps' | 'loses'>

/** The reference page of the formats. */
export function formatsPage(formats: readonly Told[], fields: readonly string[]): string {
  const named = fields.map((field) => `\`${field}\``)
  const text = intro.replace('FIELDS', `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`)
  const index = formats.map(({ id, title }) => `| [\`${id}\`](#${id}) | ${title} |`)
  return [text, '| id | |', '| --- | --- |', ...index, '', ...formats.map(section)].join('\n')
}

const section = ({ id, title, found, accepts, keeps, loses }: Told): string => `### \`${id}\`

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
