import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openFile } from '../containers/index.js'
import { parse } from '../importer/index.js'
import { sqliteSessions } from './index.js'

const folder = mkdtempSync(join(tmpdir(), 'sqlite-'))
afterAll(() => rmSync(folder, { recursive: true }))

let number = 0

/** The path of a database with these statements, whose program goes on running: the rows are in its log. */
function databaseOf(...statements: string[]): string {
  const path = join(folder, `${++number}.db`)
  const database = new Database(path)
  onTestFinished(() => {
    database.close()
  })
  database.exec(['PRAGMA journal_mode = WAL', 'PRAGMA wal_autocheckpoint = 0', ...statements].join(';'))
  return path
}

const json = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`

const opencode = () =>
  databaseOf(
    'CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER)',
    'CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)',
    'CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)',
    "INSERT INTO session VALUES ('ses_1', 'p', NULL, '/app', 'Fix it', '1.2.0', 1767348000000, 1767348060000)",
    "INSERT INTO session VALUES ('ses_2', 'p', 'ses_1', '/app', 'Search', '1.2.0', 1767348010000, 1767348070000)",
    "INSERT INTO session VALUES ('ses_3', 'p', NULL, '/app', 'Empty', '1.2.0', 1767348010000, 1767348080000)",
    `INSERT INTO message VALUES ('msg_2', 'ses_1', 1767348010000, 0, ${json({ role: 'assistant', modelID: 'm-1', time: { created: 1767348010000 } })})`,
    `INSERT INTO message VALUES ('msg_1', 'ses_1', 1767348000000, 0, ${json({ role: 'user', time: { created: 1767348000000 } })})`,
    `INSERT INTO message VALUES ('msg_3', 'ses_2', 1767348010000, 0, ${json({ role: 'user', time: { created: 1767348010000 } })})`,
    `INSERT INTO part VALUES ('prt_3', 'msg_2', 'ses_1', 0, 0, ${json({ type: 'text', text: 'Done.' })})`,
    `INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', 0, 0, ${json({ type: 'tool', callID: 't-1', tool: 'bash', state: { status: 'completed', input: { command: 'ls' }, output: 'a.ts' } })})`,
    `INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 0, 0, ${json({ type: 'text', text: 'It’s broken' })})`,
    `INSERT INTO part VALUES ('prt_4', 'msg_3', 'ses_2', 0, 0, ${json({ type: 'text', text: 'Search it' })})`,
  )

const cursor = () =>
  databaseOf(
    'CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)',
    `INSERT INTO cursorDiskKV VALUES ('composerData:c-1', CAST(${json({
      composerId: 'c-1',
      name: 'Find it',
      createdAt: 1767348000000,
      fullConversationHeadersOnly: [
        { bubbleId: 'b-1', type: 1 },
        { bubbleId: 'b-2', type: 2 },
      ],
    })} AS BLOB))`,
    `INSERT INTO cursorDiskKV VALUES ('composerData:c-2', ${json({ composerId: 'c-2', createdAt: 1767349000000, fullConversationHeadersOnly: [] })})`,
    `INSERT INTO cursorDiskKV VALUES ('bubbleId:c-1:b-2', ${json({ bubbleId: 'b-2', type: 2, text: 'Here.' })})`,
    `INSERT INTO cursorDiskKV VALUES ('bubbleId:c-1:b-1', ${json({ bubbleId: 'b-1', type: 1, text: 'Where is it?' })})`,
    `INSERT INTO cursorDiskKV VALUES ('bubbleId:c-1:b-9', ${json({ bubbleId: 'b-9', type: 1, text: 'Left' })})`,
  )

const hermes = () =>
  databaseOf(
    'CREATE TABLE sessions (id TEXT, source TEXT, model TEXT, system_prompt TEXT, started_at REAL, ended_at REAL, title TEXT, cwd TEXT)',
    'CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL, reasoning TEXT, active INTEGER)',
    "INSERT INTO sessions VALUES ('s-1', 'cli', 'm-1', 'You are Hermes.', 1767348000.5, NULL, 'Look', '/app')",
    "INSERT INTO messages VALUES (1, 's-1', 'user', 'Which folder?', NULL, NULL, NULL, 1767348001, NULL, 1)",
    `INSERT INTO messages VALUES (2, 's-1', 'assistant', '', NULL, ${json([{ id: 'c-1', type: 'function', function: { name: 'shell', arguments: '{"command":"pwd"}' } }])}, NULL, 1767348002, 'Hm.', 1)`,
    "INSERT INTO messages VALUES (3, 's-1', 'tool', '/app', 'c-1', NULL, 'shell', 1767348003, NULL, 1)",
    "INSERT INTO messages VALUES (4, 's-1', 'user', 'Wrong way', NULL, NULL, NULL, 1767348004, NULL, 0)",
  )

/** The transcripts of a file, with what each lost. */
async function readAll(path: string) {
  const { files } = await openFile(path)
  return files.map((file) => {
    const [text] = file.chunks() as string[]
    const { format, transcripts } = parse(text ?? '')
    return { member: file.member, format, ...transcripts[0] }
  })
}

describe('sessions in SQLite', () => {
  it('reads the sessions of opencode, with what its program has only in its log', async () => {
    const [second, first] = await readAll(opencode())
    expect(second).toMatchObject({ member: 'ses_2.json', metadata: { parent_session: 'ses_1' } })
    expect(first).toMatchObject({ member: 'ses_1.json', format: 'opencode', name: 'Fix it', externalId: 'ses_1' })
    expect(first?.turns?.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'user: It’s broken',
      'assistant: Done.',
      'tool: a.ts',
    ])
    expect(first?.losses).toEqual([])
  })

  it('lists the sessions with messages, the newest first, with their facts', async () => {
    const sessions = await sqliteSessions(opencode())
    const times = { started: 1767348010000, changed: 1767348070000 }
    expect(sessions?.map(({ session }) => session.id)).toEqual(['ses_2', 'ses_1'])
    expect(sessions?.[0]?.session).toEqual({ id: 'ses_2', title: 'Search', cwd: '/app', parent: 'ses_1', ...times })
  })

  it('reads the chats of Cursor with the messages that they name, in their order', async () => {
    const [chat, ...others] = await readAll(cursor())
    expect(others).toEqual([])
    expect(chat).toMatchObject({ format: 'cursor-chat', name: 'Find it', externalId: 'c-1' })
    expect(chat?.turns?.map(({ content }) => content)).toEqual(['Where is it?', 'Here.'])
  })

  it('reads the sessions of Hermes, and counts the messages before a rewind', async () => {
    const [session] = await readAll(hermes())
    expect(session).toMatchObject({ format: 'hermes', name: 'Look', externalId: 's-1', metadata: { cwd: '/app' } })
    expect(session?.turns?.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'system: You are Hermes.',
      'user: Which folder?',
      'assistant: [tool call: shell]',
      'tool: /app',
    ])
    expect(session?.losses?.map(({ what }) => what)).toContain('field "rewound_messages"')
  })

  it('reads what a session gets after the list was made', async () => {
    const path = opencode()
    const [, session] = (await sqliteSessions(path)) ?? []
    const writer = new Database(path)
    writer.exec(`INSERT INTO part VALUES ('prt_9', 'msg_2', 'ses_1', 0, 0, ${json({ type: 'text', text: 'More.' })})`)
    writer.close()
    expect(session?.chunks().join('')).toContain('More.')
  })

  it('a database of another program has no sessions', async () => {
    expect(await sqliteSessions(databaseOf('CREATE TABLE session (id TEXT)'))).toBeUndefined()
  })

  it('a damaged database is refused, and a file that is none has no sessions', async () => {
    const path = opencode()
    const writer = new Database(path)
    writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    writer.close()
    const bytes = readFileSync(path).fill(7, 4096)
    const [damaged, none] = [join(folder, 'damaged.db'), join(folder, 'none.db')]
    writeFileSync(damaged, bytes)
    writeFileSync(none, 'SQLite format 3\0')
    await expect(sqliteSessions(damaged)).rejects.toThrow('the database cannot be read: ')
    expect(await sqliteSessions(none)).toBeUndefined()
  })
})
