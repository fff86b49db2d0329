import { mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { opencodeSession } from '../../helpers/opencode-files.js'
import { createShell } from '../../helpers/run-cli.js'
import { jsonl } from '../../helpers/session-files.js'
import { sqlJson, writeDatabase } from '../../helpers/sqlite-files.js'

const at = Date.parse('2025-12-31T20:00:00.000Z')
const iso = (ms: number) => new Date(at + ms).toISOString()

const chat = (sessionId: string, text = 'Fix it') => ({
  version: 3,
  responderUsername: 'GitHub Copilot',
  sessionId,
  creationDate: at,
  requests: [{ requestId: 'r', message: { text }, response: [{ value: 'Done.' }], timestamp: at + 1_000 }],
})
const events = jsonl([
  { type: 'session.start', data: { sessionId: 'c-1', context: { cwd: '/home/me/app' } }, id: '1', timestamp: iso(0) },
  { type: 'user.message', data: { content: 'Fix it' }, id: '2', timestamp: iso(1_000) },
  { type: 'assistant.message', data: { content: 'Done.' }, id: '3', timestamp: iso(2_000) },
])
const cursor = jsonl([
  { role: 'user', message: { content: [{ type: 'text', text: 'Fix it' }] } },
  { role: 'assistant', message: { content: [{ type: 'text', text: 'Done.' }] } },
])
const task = [
  { role: 'user', content: [{ type: 'text', text: '<task>Fix it</task>' }], ts: at },
  { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], ts: at + 1_000 },
]
const tasks = (user: string, extension: string, id: string) => ({
  [`${user}/globalStorage/${extension}/tasks/${id}/api_conversation_history.json`]: task,
  [`${user}/globalStorage/${extension}/tasks/${id}/ui_messages.json`]: [
    { ts: at, type: 'say', say: 'text', text: 'Fix it' },
  ],
})

function atHome() {
  const shell = createShell()
  const list = (tool: string, files: Record<string, unknown>, env: Record<string, string> = {}) =>
    shell.svc(['convert', '--list-sessions', tool, '--json'], { files, env: { HOME: shell.cwd, ...env } })
  const found = async (...given: Parameters<typeof list>) =>
    (await list(...given)).lines().map(({ path, title }) => [String(path).slice(shell.cwd.length + 1), title])
  return { ...shell, list, found }
}

const workspace = 'workspaceStorage/0a1b/chatSessions/s-1.json'
const state = '.config/Cursor/User/globalStorage/state.vscdb'

describe('the sessions of Copilot', () => {
  it.each([
    ['.config/Code/User', {}],
    ['.config/Code - Insiders/User', {}],
    ['xdg/Code/User', { XDG_CONFIG_HOME: 'xdg' }],
    ['roaming/Code/User', { APPDATA: 'roaming' }],
    ['data/Code/User', { VSCODE_APPDATA: 'data', APPDATA: 'roaming' }],
    ['portable/user-data/User', { VSCODE_PORTABLE: 'portable' }],
    ['Library/Application Support/Code/User', {}],
  ])('are found in %s', async (user, variables) => {
    const { found, cwd } = atHome()
    const env = Object.fromEntries(Object.entries(variables).map(([name, path]) => [name, join(cwd, path)]))
    expect(await found('copilot', { [`${user}/${workspace}`]: chat('s-1') }, env)).toEqual([
      [`${user}/${workspace}`, 'Fix it'],
    ])
  })

  it('are those of the editor with their folder, of windows without one, and of the command line', async () => {
    const { list } = atHome()
    const user = '.config/Code/User'
    const { lines, err } = await list('copilot', {
      [`${user}/${workspace}`]: chat('s-1'),
      [`${user}/workspaceStorage/0a1b/workspace.json`]: { folder: 'file:///home/me/my%20app' },
      [`${user}/globalStorage/emptyWindowChatSessions/s-2.json`]: chat('s-2', 'Another'),
      [`${user}/workspaceStorage/0a1b/chatSessions/s-3.jsonl`]: jsonl([{ kind: 0, v: { requests: [] } }]),
      '.copilot/session-state/c-1/events.jsonl': events,
      '.copilot/session-state/c-1/workspace.yaml': 'id: c-1',
    })
    expect(lines().map(({ title, cwd, started, last }) => [title, cwd, started, last])).toEqual([
      ['Fix it', '/home/me/app', iso(0), iso(2_000)],
      ['Another', null, iso(0), iso(1_000)],
      ['Fix it', '/home/me/my app', iso(0), iso(1_000)],
    ])
    expect(err).toBe('note: 1 file in another format skipped\n')
  })

  it('are those in logs of changes of the editor, which are read', async () => {
    const { found, svc, cwd } = atHome()
    const path = `.config/Code/User/${workspace}l`
    const log = jsonl([
      { kind: 0, v: { ...chat('s-1'), requests: [] } },
      { kind: 2, k: ['requests'], v: chat('s-1').requests },
    ])
    expect(await found('copilot', { [path]: log })).toEqual([[path, 'Fix it']])
    expect((await svc(['convert', join(cwd, path)])).json()).toMatchObject({ externalId: 's-1', turns: [{}, {}] })
  })

  it('are found where COPILOT_HOME says', async () => {
    const { found, cwd } = atHome()
    const files = { 'own/session-state/c-1/events.jsonl': events }
    expect(await found('copilot', files, { COPILOT_HOME: join(cwd, 'own') })).toHaveLength(1)
  })

  it('show the times of a conversation of the editor that is larger than the read part', async () => {
    const { list } = atHome()
    const large = { ...chat('s-1', 'x'.repeat(200_000)), customTitle: 'Long' }
    const { json } = await list('copilot', { [`.config/Code/User/${workspace}`]: large })
    expect(json()).toMatchObject({ started: iso(0), last: iso(1_000) })
  })
})

describe('the sessions of Cursor', () => {
  const folder = '.cursor/projects/home-me-app/agent-transcripts'

  it('are its transcripts, dated by the change of their file, and named by it', async () => {
    const { svc, list, cwd } = atHome()
    await list('cursor', { [`${folder}/u-1/u-1.jsonl`]: cursor })
    utimesSync(join(cwd, folder, 'u-1/u-1.jsonl'), at / 1_000, at / 1_000)
    const { json, err } = await list('cursor', {
      [`${folder}/u-1/subagents/u-2.jsonl`]: cursor,
    })
    expect(json()).toMatchObject({ title: 'Fix it', last: iso(0), started: null })
    expect(err).toBe('note: 1 sub-agent session skipped\n')
    const { lines } = await svc(['convert', '--sessions', 'cursor', '--subagents'], { env: { HOME: cwd } })
    expect(
      lines()
        .map(({ externalId }) => externalId)
        .sort(),
    ).toEqual(['u-1', 'u-2'])
  })

  it('are also the chats in its database, and not those in a folder that a note names', async () => {
    const { list, svc, cwd } = atHome()
    mkdirSync(join(cwd, '.cursor/chats'), { recursive: true })
    writeDatabase(join(cwd, state), [
      'CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)',
      `INSERT INTO cursorDiskKV VALUES ('composerData:c-1', ${sqlJson({ composerId: 'c-1', name: 'Fix it', createdAt: at, conversation: [{ bubbleId: 'b-1', type: 1, text: 'Fix it' }] })})`,
    ])
    const { lines, err } = await list('cursor', {})
    expect(lines()).toMatchObject([
      { path: `${cwd}/${state}/c-1.json`, title: 'Fix it', started: iso(0), last: iso(0) },
    ])
    expect(err).toBe(`note: ${cwd}/.cursor/chats: these conversations are not read; export them from cursor\n`)
    const { json } = await svc(['convert', '--sessions', 'cursor'], { env: { HOME: cwd } })
    expect(json()).toMatchObject({ externalId: 'c-1', sourceSystem: 'cursor-chat' })
  })

  it('are not those of a damaged database, which a note names', async () => {
    const { list, cwd } = atHome()
    const { code, err } = await list('cursor', { [state]: 'SQLite format 3\0' })
    expect([code, err]).toEqual([
      0,
      `note: ${cwd}/${state}: no session that can be read\nnote: no cursor sessions in ${cwd}/.cursor/projects\n`,
    ])
  })
})

describe('the sessions of Cline', () => {
  it('are the tasks of Cline, Roo Code and Kilo Code in each editor and of the command line, each once', async () => {
    const { found, svc, cwd } = atHome()
    const files = {
      ...tasks('.config/Code/User', 'saoudrizwan.claude-dev', '1'),
      ...tasks('.config/Cursor/User', 'rooveterinaryinc.roo-cline', '2'),
      ...tasks('.vscode-server/data/User', 'kilocode.kilo-code', '3'),
      '.cline/data/tasks/4/api_conversation_history.json': task,
    }
    expect((await found('cline', files)).map(([path]) => String(path).split('/').at(-2)).sort()).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
    const { lines } = await svc(['convert', '--sessions', 'cline'], { env: { HOME: cwd } })
    expect(
      lines()
        .map(({ externalId }) => externalId)
        .sort(),
    ).toEqual(['1', '2', '3', '4'])
  })

  it('are the sessions of its CLI, with their own ids and without the files beside them', async () => {
    const { found, svc, cwd } = atHome()
    const folder = '.cline/data/sessions/s-1'
    const messages = [
      { role: 'user', content: [{ type: 'text', text: '<user_input mode="act">Fix it</user_input>' }], ts: at },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], ts: at + 1_000 },
    ]
    const manifest = { version: 1, session_id: 's-1', workspace_root: '/app', messages_path: 's-1.messages.json' }
    const files = {
      [`${folder}/s-1.messages.json`]: { version: 1, agent: 'lead', sessionId: 's-1', messages },
      [`${folder}/s-1.json`]: manifest,
    }
    expect(await found('cline', files)).toEqual([[`${folder}/s-1.messages.json`, 'Fix it']])
    const { json } = await svc(['convert', '--sessions', 'cline'], { env: { HOME: cwd } })
    expect(json()).toMatchObject({ externalId: 's-1', turns: [{ content: 'Fix it' }, { content: 'Done.' }] })
    const { err } = await svc(['convert', join(cwd, '.cline/data/sessions')])
    expect(err).toContain('1 companion file skipped')
  })

  it.each([
    ['CLINE_DIR', 'own', 'own/data/tasks/1'],
    ['CLINE_DATA_DIR', 'own', 'own/tasks/1'],
  ])('are found where %s says', async (name, value, folder) => {
    const { found, cwd } = atHome()
    const files = { [`${folder}/api_conversation_history.json`]: task }
    expect(await found('cline', files, { [name]: join(cwd, value) })).toHaveLength(1)
  })
})

describe('the sessions of opencode', () => {
  const storage = '.local/share/opencode/storage'

  it('have the title, folder and times of their own file', async () => {
    const { list, svc, cwd } = atHome()
    const { lines } = await list('opencode', opencodeSession(storage))
    expect(lines()).toMatchObject([{ title: 'Fix it', cwd: '/home/me/app', started: iso(0), last: iso(60_000) }])
    const { json } = await svc(['convert', '--sessions', 'opencode'], { env: { HOME: cwd } })
    expect(json()).toMatchObject({ externalId: 'ses_1', sourceSystem: 'opencode' })
  })

  it('are found where XDG_DATA_HOME says, without those that are empty or of a sub-agent', async () => {
    const { list, cwd } = atHome()
    const own = opencodeSession('own/opencode/storage')
    const session = own['own/opencode/storage/session/p1/ses_1.json'] as object
    const files = {
      ...own,
      ...opencodeSession('own/opencode/storage', { id: 'ses_2' }),
      'own/opencode/storage/session/p1/ses_2.json': { ...session, id: 'ses_2', parentID: 'ses_1' },
      'own/opencode/storage/session/p1/ses_3.json': { ...session, id: 'ses_3' },
    }
    const { lines, err } = await list('opencode', files, { XDG_DATA_HOME: join(cwd, 'own') })
    expect([lines().length, err]).toEqual([
      1,
      'note: 1 file without messages skipped\nnote: 1 sub-agent session skipped\n',
    ])
  })

  it('are also those of its database, of which only the chosen ones are read', async () => {
    const { list, svc, cwd } = atHome()
    const insert = (id: string, parent: string, ms: number) => [
      `INSERT INTO session VALUES ('${id}', ${parent}, '/home/me/app', 'Fix ${id}', ${at}, ${at + ms})`,
      `INSERT INTO message VALUES ('msg_${id}', '${id}', ${at}, ${sqlJson({ role: 'user', time: { created: at } })})`,
      `INSERT INTO part VALUES ('prt_${id}', 'msg_${id}', '${id}', ${sqlJson({ type: 'text', text: 'Fix it' })})`,
    ]
    writeDatabase(join(cwd, '.local/share/opencode/opencode.db'), [
      'CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER)',
      'CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)',
      'CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)',
      ...insert('ses_1', 'NULL', 1_000),
      ...insert('ses_2', 'NULL', 3_600_000),
      ...insert('ses_3', "'ses_1'", 2_000),
    ])
    const { lines, err } = await list('opencode', {})
    expect(lines()).toMatchObject([
      { title: 'Fix ses_2', cwd: '/home/me/app', last: iso(3_600_000) },
      { title: 'Fix ses_1' },
    ])
    expect(err).toBe('note: 1 sub-agent session skipped\n')
    const { json } = await svc(['convert', '--sessions', 'opencode', '--from-date', iso(3_000_000)], {
      env: { HOME: cwd },
    })
    expect(json()).toMatchObject({ externalId: 'ses_2', sourceSystem: 'opencode' })
  })
})

it.each(['copilot', 'cursor', 'cline', 'opencode'])('finds no sessions of %s without a home folder', async (tool) => {
  const { list } = atHome()
  const { code, err } = await list(tool, {}, { HOME: '' })
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/^note: cannot find \w+ sessions: (neither .* nor HOME is set|HOME is not set)\n$/),
  ])
})
