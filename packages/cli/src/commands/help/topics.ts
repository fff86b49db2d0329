import { allVariables, settingNames, settings } from '../../settings.js'
import { type Command, type FlagTopic, helpList, topicOf } from '../action.js'
import { exitCodes } from './exit-codes.js'

/** The first lines of the pages that explain options. */
const flagTopics: Readonly<Record<FlagTopic, string>> = {
  reading: `How svc reads its input. svc help formats lists the formats that it finds by
itself. For rows of your own, give --map FIELD=COLUMN: id, role, content, time,
or user and assistant, and role:NAME=ROLE for who speaks. A refusal prints the
flags if svc can find them. "reading" and "exclude" in svc.config.json, and
"reading" in svc.checks.json, set --map, --importer and --exclude for everybody.`,
  sessions: `Sessions that a tool keeps on this machine, with --sessions TOOL.
svc convert --list-sessions TOOL lists them.`,
  fields: 'Fields of the transcripts; each overrides the field of the file.',
  privacy: `What must not be sent. Without --allow-secrets, svc refuses transcripts that
seem to contain credentials.`,
  resuming: `A ledger on your disk records each upload before it is sent. After a stop, run
the same command again: nothing is lost or stored twice. svc uploads shows it.`,
  stored: `Take stored transcripts of a project in place of files, chosen by these
filters. The dates see only transcripts with a source_timestamp.`,
  sharding: `Work on many machines: each takes one shard, and together they take everything
once. The shards of a check pass or fail together: svc report merge.`,
  rules: `Rules of a check. A flag overrides the same key of the policy file; see
svc help checks.`,
  selection: 'A check of some of the transcripts. The report says what was left out.',
  annotation: `How transcripts are annotated. Annotations cost money: svc keeps each in a
cache, and asks again only about what changed.`,
  baselines: `A baseline (--baseline FILE) accepts the findings of today, so that only new
ones fail. --against REPORT compares with the report of another check.`,
  reports: 'How much the reports of a check show, and how it ends.',
}

async function flagPage(topic: FlagTopic, program: Command): Promise<string> {
  const help = program.createHelp()
  const options = new Map<string, { meaning: string; of: string[] }>()
  for (const command of program.commands)
    for (const option of command.options.filter((each) => topicOf(each) === topic)) {
      const { of = [], meaning = help.optionDescription(option) } = options.get(option.flags) ?? {}
      options.set(option.flags, { meaning, of: [...of, command.name()] })
    }
  const commands = [...new Set([...options.values()].flatMap(({ of }) => of))]
  const rows = [...options].map(([flags, { meaning, of }]): [string, string] => [
    flags,
    of.length === commands.length ? meaning : `${meaning} (only ${of.join(', ')})`,
  ])
  return `${flagTopics[topic]}

Options of ${commands.map((name) => `svc ${name}`).join(', ')}:
${helpList(rows)}`
}

/** Pages of `svc help TOPIC`, which work offline. `program`: with all commands. */
export const topics: Readonly<Record<string, (program: () => Promise<Command>) => string | Promise<string>>> = {
  'exit-codes': () => helpList(exitCodes.map(({ code, meaning, next }) => [String(code), `${meaning} ${next}`])),
  settings: () => `Each setting is looked up on its own. The first source that has it wins:

  1. a flag, and the profile or file that --profile or --config selects
  2. an environment variable (see svc help environment)
  3. svc.config.json in this folder or a parent, once you trust it
     (svc config trust); it can set the base URLs and the project
  4. the default profile of your settings file (svc config path)

  setting               variable                name in a profile
${settingNames
  .map((name) => `  ${settings[name].title.padEnd(22)}${settings[name].variable.padEnd(24)}${name}`)
  .join('\n')}

svc config list --show-origin prints each setting with its source. svc auth
login stores a key, and svc config set NAME VALUE stores any other setting.`,
  environment: () => helpList(allVariables),
  async formats() {
    const { formats } = await import('@svc/transcripts')
    return `svc finds the format by the content of a file, never by its name. --format ID
sets it; svc convert --detect FILE prints it.

${helpList(formats.map(({ id, title }) => [id, title]))}`
  },
  async checks() {
    const { policyKeys } = await import('@svc/checks')
    const keys = Object.entries(policyKeys).filter(([name]) => name !== '$schema')
    return `svc check judges each transcript by flags or svc.checks.json in this folder or
above it in the repository; a flag overrides the same key of the file. Its keys:

${helpList(keys.map(([name, { meaning }]) => [name, meaning.replaceAll('`', '')]))}

svc.checks.ts exports the same keys, and functions as rules. svc runs it if
--policy names it, or if svc config trust has trusted it.

Example:
  { "annotator": "structural", "paths": ["transcripts"], "failOn": "poor" }`
  },
  ...Object.fromEntries(
    (Object.keys(flagTopics) as FlagTopic[]).map((topic) => [
      topic,
      async (program: () => Promise<Command>) => flagPage(topic, await program()),
    ]),
  ),
}
