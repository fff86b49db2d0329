import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildProgram, type DocumentKind, documents, fieldsOf, type Io } from '@svc/cli'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const packages = fileURLToPath(new URL('../../../packages', import.meta.url))
const sources = ['cli', 'bulk', 'checks'].map((name) => join(packages, name, 'src'))
const conversation = (text: string) => [
  { role: 'user', content: text },
  { role: 'assistant', content: 'I cannot help you with that.' },
]
const files = {
  'conversation.json': conversation('hi'),
  'conversations.jsonl': `${JSON.stringify(conversation('one'))}\n${JSON.stringify(conversation('two'))}\n`,
}

/** Those of files, and the one of a failure, which any command may print. */
const elsewhere = [
  'svc/config@1',
  'svc/baseline@2',
  'svc/ledger@2',
  'svc/waiting@1',
  'svc/reject@1',
  'svc/unread@1',
  'svc/label@1',
  'svc/error@1',
]
/** These print what they were asked for, which is no document of theirs. */
const without = ['api', 'completion', 'skill']

type Command = Awaited<ReturnType<typeof buildProgram>>
const leaves = (command: Command, above: string[] = []): string[] =>
  command.commands.length === 0
    ? [above.join(' ')]
    : command.commands.flatMap((each) => leaves(each, [...above, each.name()]))

describe('docs/reference/json.md', () => {
  const row = ([schema, { by, rows, lines }]: [string, DocumentKind]) => {
    const commands = by.map((words) => `\`${words}\``).join(', ')
    const shape = lines === 'summary' ? 'summary' : lines ? 'lines' : rows ? `list: \`${rows}\`` : 'document'
    return `| \`${schema}\` | ${commands} | ${shape} |`
  }

  it('shows every kind of document', async () => {
    const page = `# JSON of \`svc\`

With \`--json\`, standard output contains only JSON. Each document has a \`schema\` that names its shape. Fields may be added at any
time; if one is removed or changes its meaning, the number in the name grows, as from \`@1\` to \`@2\`.

\`--fields a,b.c\` prints only these fields, with null for a field that a record lacks; dots select nested fields. Of a list, it selects
the fields of each record. \`--fields ''\` ends the command with 2 and the list of its fields.

A failure is \`svc/error@1\` with \`error\`: an object of \`kind\`, \`code\`, \`message\`, \`details\` (an array of texts), \`exit\`, and, if there are any,
\`hint\`, \`next\` (the command to run next, as an array of its words), \`status\` and \`requestId\`. \`code\` is the narrowest name of the cause, such as
\`ECONNREFUSED\` or the type that the service gave; \`svc explain KIND\` explains a kind. A failed item has the same \`error\` in its line, and
an incomplete list of \`--all\` beside its \`data\`.

| shape | output |
| --- | --- |
| document | one object |
| lines | one object, or one per line |
| summary | the last line after several lines |
| list | one object with an array of records |

In \`svc/upload-run@1\`, \`sent\` counts the uploads that the run recorded before it sent them, each once. The other numbers count results: a
lost upload can count twice as \`unknown\`, and later as \`done\`.

A job that uploads reads these fields of \`svc/upload@1\` and \`svc/upload-summary@1\`:

| field | meaning |
| --- | --- |
| \`result\` | \`uploaded\`, \`already_uploaded\`, \`skipped_changed\`, \`skipped_duplicate\`, \`unknown\`, \`failed\` or \`not_sent\` ([meanings](../../packages/bulk/README.md#results)), with \`--dry-run\` also \`planned\`; an upload whose request was not made has no line |
| \`same_as\` | of \`skipped_duplicate\`: path and record of the earlier transcript with the same content |
| \`failed\` | not stored; another run stores it only after a correction |
| \`not_sent\` | not stored, and left for another run; null if the input was not read to its end |
| \`unknown\` | of this input, may be stored |
| \`earlier_unknown\` | the same, of earlier runs and not in this input; null, not 0, unless \`not_sent\` is 0 |
| \`invalid\` | left out by \`--continue-on-invalid\`, of which a file that is refused as a whole counts once, whatever is in it; each shard counts all of them, also those of the other shards |
| \`skipped_files\` | files in folders and archives that hold no transcript and were skipped; notes on stderr name the first of them |
| \`from_same_record\` | of \`already_uploaded\`: stored from the same record, whose content now reads differently |
| \`stored_not_analysed\` | of \`uploaded\`: stored with the \`processing_status\` \`error\` |

| schema | command of \`svc\` | shape |
| --- | --- | --- |
${Object.entries(documents).map(row).join('\n')}
`
    await expect(page).toMatchFileSnapshot('../../../docs/reference/json.md')
  })
})

describe('a JSON document', () => {
  it('a JSON document of a name that the sources give is in the table', () => {
    const paths = sources.flatMap((source) =>
      readdirSync(source, { recursive: true, encoding: 'utf8' }).map((path) => join(source, path)),
    )
    const names = paths
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/'(svc\/[a-z-]+@\d+)'/g)])
      .map(([, name]) => name ?? '')
    expect([...new Set(names)].sort()).toEqual([...Object.keys(documents), ...elsewhere].sort())
  })

  it('a JSON document is printed by every command but those that print something else', async () => {
    const printing = Object.values(documents).flatMap(({ by }) => by)
    const all = leaves(await buildProgram({} as Io, () => {}))
    expect(all.filter((words) => !printing.includes(words) && !without.includes(words))).toEqual([])
    expect(printing.filter((words) => !all.includes(words))).toEqual([])
  })

  it('a JSON document has the fields of the table, and no others', async () => {
    const { svc, project, cwd } = createShell()
    writeFileSync(join(cwd, 'svc.config.json'), JSON.stringify({ project }))
    const seen = new Set<string>()
    const ask = async (words: string, ...more: string[]) => {
      const { out } = await svc([...words.split(' '), ...more, '--json'], {
        files,
        env: { SVC_CONFIG: join(cwd, 'c.json') },
      })
      const printed = out.split('\n').length > 2 ? out.trimEnd().split('\n') : [out]
      for (const document of printed.map((line) => JSON.parse(line))) {
        const kind = documents[document.schema]
        const known = kind ? (await fieldsOf(kind)).own : []
        expect(kind?.by, JSON.stringify([words, document])).toContain(words)
        const { schema: _, ...fields } = document
        const records = kind?.rows ? fields[kind.rows] : [fields]
        for (const record of records) {
          expect([document.schema, Object.keys(record).filter((name) => !known.includes(name))]).toEqual([
            document.schema,
            [],
          ])
        }
        seen.add(document.schema)
      }
      return JSON.parse(printed[0] ?? '')
    }
    await ask('health')
    await ask('annotators list')
    await ask('projects list')
    await ask('projects create', '--name', 'P')
    await ask('projects get', project)
    const { id, key } = await ask('upload', 'conversation.json')
    await ask('upload', 'conversations.jsonl', '--dry-run')
    await ask('upload', 'conversations.jsonl')
    await ask('transcripts list')
    await ask('transcripts get', id)
    await ask('uploads list')
    await ask('uploads list', '--runs')
    await ask('uploads show', key)
    await ask('uploads rebuild')
    await ask('uploads reconcile')
    await ask('uploads forget', key, '--yes')
    await ask('annotate', 'conversation.json', '--annotator', 'structural')
    await ask('annotate', 'conversations.jsonl', '--annotator', 'structural', '--dry-run')
    await ask('check', 'conversations.jsonl', '--annotator', 'structural')
    const report = join(cwd, 'report.json')
    await svc(['check', 'conversations.jsonl', '--annotator', 'structural', '--report', `json=${report}`], { files })
    await ask('report merge', report)
    const again = join(cwd, 'again.json')
    await svc([
      'check',
      'conversations.jsonl',
      '--annotator',
      'structural',
      '--sample',
      '1',
      '--report',
      `json=${again}`,
    ])
    await ask('report compare', report, again)
    await ask('convert', 'conversations.jsonl')
    await ask('convert', '--detect', 'conversations.jsonl')
    await ask('auth status')
    await ask('auth logout')
    await ask('config list')
    await ask('config get', 'project')
    await ask('config set', 'project', project)
    await ask('config path')
    await ask('config trust', '--yes')
    expect(seen.size).toBeGreaterThan(22)
  })

  it('a JSON document is cut down by --fields, and a field that there is not is refused before anything is done', async () => {
    const { svc, project, server } = createShell()
    expect((await svc(['projects', 'list', '--fields', 'id,name'])).json()).toEqual({
      schema: 'svc/projects@1',
      data: [{ id: project, name: 'Test project' }],
      pagination: { page: 1, limit: 20, total: 1 },
      processing_time_ms: 0,
    })
    const { lines } = await svc(['upload', 'conversations.jsonl', '--fields', 'result,transcript.turn_count'], {
      files,
    })
    expect(lines().slice(0, 2)).toEqual(
      Array(2).fill({ schema: 'svc/upload@1', result: 'uploaded', transcript: { turn_count: 2 } }),
    )
    expect(lines()[2]).toMatchObject({ schema: 'svc/upload-summary@1', uploaded: 2 })
    const before = server.world.project(project)?.record.transcript_count
    for (const argv of [
      ['upload', 'conversation.json'],
      ['projects', 'create', '--name', 'Q'],
    ]) {
      const { code, json } = await svc([...argv, '--fields', 'nope'], { files })
      expect(code).toBe(2)
      expect(json()).toMatchObject({
        schema: 'svc/error@1',
        error: { kind: 'usage', exit: 2, hint: expect.stringContaining('the fields are ') },
      })
    }
    expect((await svc(['health', '--fields', ''])).json()).toMatchObject({
      error: { hint: 'the fields are status, substrate' },
    })
    expect(server.world.project(project)?.record.transcript_count).toBe(before)
    expect(server.world.projects().length).toBe(1)
  })

  it('carries the status and the request id of a refusal', async () => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req-7' }
    const fetch = async () => new Response('{}', { status: 401, headers })
    const { svc, project } = createShell({ ...createSession(), fetch })
    const { json } = await svc(['projects', 'get', project, '--json'])
    expect(json()).toMatchObject({ error: { kind: 'authentication', exit: 4, status: 401, requestId: 'req-7' } })
  })

  it('names the cause of an error by the narrowest code, also in the line of an item', async () => {
    const { svc } = createShell()
    const refused = await svc(['projects', 'get', 'hp-none', '--json'])
    expect(refused.json()).toMatchObject({ error: { kind: 'not_found', code: 'not_found_error', status: 404 } })
    const untrusted = Object.assign(new Error('x'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })
    const away = createShell({ ...createSession(), fetch: () => Promise.reject(untrusted) })
    expect((await away.svc(['projects', 'list', '--json'])).json()).toMatchObject({
      error: { kind: 'connection', code: 'SELF_SIGNED_CERT_IN_CHAIN', exit: 3 },
    })
    const body = { error: 'unprocessable', detail: 'no' }
    const refusing = createShell({ ...createSession(), fetch: async () => Response.json(body, { status: 422 }) })
    const argv = ['annotate', 'conversations.jsonl', '--annotator', 'a', '--json']
    const item = { code: 'unprocessable', status: 422, exit: 6, hint: expect.stringContaining('correct the fields') }
    expect((await refusing.svc(argv, { files })).lines()).toMatchObject([{ error: item }, { error: item }])
  })

  it('a JSON document is one also on failure, whatever fails', async () => {
    const { svc } = createShell()
    for (const argv of [
      ['uplod'],
      ['projects'],
      ['projects', 'get', 'x'],
      ['annotate', 'no.json', '--annotator', 'a'],
      ['upload', '--timeout', 'x'],
    ]) {
      const { code, json } = await svc([...argv, '--json'])
      expect(json()).toMatchObject({ schema: 'svc/error@1', error: { exit: code } })
    }
  })
})
