import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { claudeSession, codexSession, geminiSession, jsonl } from '../../helpers/session-files.js'

/** A shell whose home is its working directory. Its clock stands at the first moment of 2026. */
function atHome(tty = false) {
  const shell = createShell()
  const list = (tool: string, files: Record<string, unknown> = {}, flags: string[] = [], more = {}) =>
    shell.svc(['convert', '--list-sessions', tool, ...flags], { files, tty, env: { HOME: shell.cwd, ...more } })
  return { ...shell, list }
}

const claude = (name: string) => `.claude/projects/-home-me-app/${name}.jsonl`
const conversations = {
  [claude('old')]: claudeSession('old', '2025-11-30T23:00:00Z', { said: ['Old things'] }),
  [claude('new')]: claudeSession('new', '2025-12-31T20:00:00Z', {
    said: ['New\nthings', 'Yes.'],
    cwd: '/home/me/app/web',
  }),
  '.claude/projects/-srv/other.jsonl': claudeSession('other', '2025-12-24T10:00:00Z', { cwd: '/home/me/application' }),
}
const names = (lines: Record<string, unknown>[]) => lines.map(({ path }) => /([^/]*)\.jsonl?$/.exec(String(path))?.[1])

describe('svc convert --list-sessions', () => {
  it('lists the sessions of Claude Code, the newest first', async () => {
    const { list, cwd } = atHome()
    const { code, out, err } = await list('claude-code', conversations)
    expect([code, err]).toEqual([0, ''])
    expect(out.split('\n').map((line) => line.split('\t'))).toEqual([
      [
        '2025-12-31T20:00:00.000Z',
        '2025-12-31T20:01:00.000Z',
        '/home/me/app/web',
        'New things',
        join(cwd, claude('new')),
      ],
      [
        '2025-12-24T10:00:00.000Z',
        '2025-12-24T10:00:00.000Z',
        '/home/me/application',
        'Where is it?',
        join(cwd, '.claude/projects/-srv/other.jsonl'),
      ],
      ['2025-11-30T23:00:00.000Z', '2025-11-30T23:00:00.000Z', '/home/me/app', 'Old things', join(cwd, claude('old'))],
      [''],
    ])
  })

  it('shows a person a table, with ~ for their home', async () => {
    const { list } = atHome(true)
    const [header, first] = (await list('claude-code', conversations)).out.split('\n')
    expect(header).toMatch(/^STARTED +LAST +PROJECT +TITLE +PATH$/)
    expect(first).toMatch(/^4 hours ago {2}3 hours ago .* ~\/\.claude\/projects\/-home-me-app\/new\.jsonl$/)
  })

  it('prints one object a line with --json', async () => {
    const { list, cwd } = atHome()
    const files = { '.codex/archived_sessions/rollout-a.jsonl': codexSession('a', '2025-12-01T10:00:00.000Z') }
    expect((await list('codex', files, ['--json'])).json()).toEqual({
      schema: 'svc/session@1',
      tool: 'codex',
      path: join(cwd, '.codex/archived_sessions/rollout-a.jsonl'),
      started: '2025-12-01T10:00:00.000Z',
      last: '2025-12-01T10:00:00.000Z',
      cwd: '/home/me/app',
      title: 'Fix it',
    })
  })

  it('finds those of Codex by day and in the archive, and those of Gemini of either form', async () => {
    const { list } = atHome()
    const at = '2025-12-01T10:00:00.000Z'
    const files = {
      '.codex/sessions/2025/12/01/rollout-a.jsonl': codexSession('a', '2025-12-01T11:00:00Z'),
      '.codex/archived_sessions/rollout-b.jsonl': codexSession('b', at),
      '.codex/sessions/2025/12/01/notes.jsonl': codexSession('c', at),
      '.codex/history.jsonl': codexSession('d', at),
      '.gemini/tmp/f00/chats/session-e.json': geminiSession('e', at, 'f00', ['Hello?', 'Hi.']),
      '.gemini/tmp/f00/chats/session-f.jsonl': jsonl([
        { sessionId: 'f', projectHash: 'f00', startTime: at },
        { id: '1', timestamp: '2025-12-02T10:00:00.000Z', type: 'user', content: [{ text: 'Again' }] },
      ]),
      '.gemini/tmp/f00/logs.json': [{ sessionId: 'e', type: 'user', message: 'Hello?' }],
    }
    expect(names((await list('codex', files, ['--json'])).lines())).toEqual(['rollout-a', 'rollout-b'])
    const found = (await list('gemini', {}, ['--json'])).lines()
    expect(found.map(({ title, last }) => [title, last])).toEqual([
      ['Again', '2025-12-02T10:00:00.000Z'],
      ['Hello?', at],
    ])
  })

  it('finds sessions of Gemini without a hash, and those of sub-agents in the folder of their session', async () => {
    const { svc, list, cwd } = atHome()
    const at = '2025-12-01T10:00:00.000Z'
    const { projectHash: _, ...older } = JSON.parse(geminiSession('e', at, 'f00', ['Hello?', 'Hi.']))
    const files = {
      '.gemini/tmp/p/chats/session-e.json': older,
      '.gemini/tmp/p/chats/d5c7438f-efb0/0la501.jsonl': jsonl([
        { sessionId: 'g', projectHash: 'f00', startTime: at, lastUpdated: at, kind: 'subagent' },
        { id: '1', timestamp: at, type: 'user', content: [{ text: 'Search' }] },
      ]),
    }
    const { lines, err } = await list('gemini', files, ['--json'])
    expect([lines().map(({ title }) => title), err]).toEqual([['Hello?'], 'note: 1 sub-agent session skipped\n'])
    const all = await svc(['convert', '--sessions', 'gemini', '--subagents'], { env: { HOME: cwd } })
    expect(all.lines().map(({ externalId }) => externalId)).toEqual(['e', 'g'])
  })

  it('searches the folder of the tool’s own variable', async () => {
    const { svc, list, cwd } = atHome()
    await svc(['health'], { files: { 'elsewhere/projects/p/s.jsonl': conversations[claude('new')] } })
    const own = { CLAUDE_CONFIG_DIR: join(cwd, 'elsewhere') }
    expect(names((await list('claude-code', conversations, ['--json'], own)).lines())).toEqual(['s'])
    const codex = { 'c/sessions/rollout-x.jsonl': codexSession('x', '2025-12-01T10:00:00Z') }
    expect(names((await list('codex', codex, ['--json'], { CODEX_HOME: join(cwd, 'c/') })).lines())).toEqual([
      'rollout-x',
    ])
    const gemini = { 'g/.gemini/tmp/p/chats/session-y.json': geminiSession('y', '2025-12-01T10:00:00Z', 'p', ['Hi']) }
    const at = { GEMINI_CLI_HOME: join(cwd, 'g') }
    expect(names((await list('gemini', gemini, ['--json'], at)).lines())).toEqual(['session-y'])
  })

  it('lists no session without a home folder or with an empty one, and prints the searched folders', async () => {
    const { list, cwd } = atHome()
    expect(await list('codex')).toMatchObject({
      code: 0,
      out: '',
      err: `note: no codex sessions in ${cwd}/.codex/sessions or ${cwd}/.codex/archived_sessions\n`,
    })
    expect(await list('gemini', {}, [], { HOME: '' })).toMatchObject({
      code: 0,
      out: '',
      err: 'note: cannot find gemini sessions: neither GEMINI_CLI_HOME nor HOME is set\n',
    })
  })

  it('skips and counts unreadable files and files that are no sessions', async () => {
    const { list, cwd } = atHome()
    const files = {
      ...conversations,
      [claude('foreign')]: jsonl([{ messages: [{ role: 'user', content: 'hi' }] }]),
      [claude('summary')]: jsonl([{ type: 'summary', summary: 'Tidying up', leafUuid: 'x' }]),
      [claude('empty')]: '',
      [claude('agent-1')]: claudeSession('new', '2025-12-31T20:00:00Z', { agent: '1' }),
      '.claude/projects/-home-me-app/new/subagents/agent-2.jsonl': claudeSession('new', '2025-12-31T20:00:00Z', {
        agent: '2',
      }),
      '.claude/projects/-locked/s.jsonl': conversations[claude('new')],
    }
    mkdirSync(join(cwd, claude('a-folder')), { recursive: true })
    const { code, lines, err } = await list('claude-code', files, ['--json'])
    expect([code, names(lines())]).toEqual([0, ['new', 's', 'other', 'old']])
    expect(err).toBe('note: 1 file in another format skipped\nnote: 2 files without messages skipped\n')
    chmodSync(join(cwd, '.claude/projects/-locked/s.jsonl'), 0)
    const locked = await list('claude-code', {}, ['--json'])
    // Nothing is locked to root.
    if (process.getuid?.() !== 0) expect(locked.err).toContain('note: 1 unreadable path skipped\n')
  })

  it('reads no more of a session than its ends', async () => {
    const { list } = atHome()
    const padding = `${'x'.repeat(1 << 17)}\n`
    const middle = `${padding}{"timestamp":"2025-12-30T10:00:00Z"}\n${padding}`
    const parts = [conversations[claude('old')], middle, claudeSession('x', '2025-12-25T10:00:00Z')]
    expect((await list('claude-code', { [claude('long')]: parts.join('') }, ['--json'])).json()).toMatchObject({
      started: '2025-11-30T23:00:00.000Z',
      last: '2025-12-25T10:00:00.000Z',
      title: 'Old things',
    })
  })

  it('refuses files, and other work, beside it', async () => {
    const { svc } = createShell()
    expect((await svc(['convert', 'a.json', '--list-sessions', 'codex'])).err).toContain(
      'svc: --list-sessions codex finds sessions by itself',
    )
    expect((await svc(['convert', '--list-sessions', 'aider'])).err).toContain(
      'Allowed choices are claude-code, codex, gemini, copilot, cursor, cline, opencode.',
    )
    for (const more of [
      ['--sessions', 'codex'],
      ['--out', 'x'],
      ['--name', 'x'],
    ]) {
      expect((await svc(['convert', '--list-sessions', 'codex', ...more])).code).toBe(2)
    }
  })
})

describe('the sessions that are listed', () => {
  it.each([
    [['--from-date', '7d'], ['new']],
    [['--from-date', '12h'], ['new']],
    [
      ['--from-date', '8d'],
      ['new', 'other'],
    ],
    [['--from-date', '30m'], []],
    [
      ['--from-date', '2025-12-24'],
      ['new', 'other'],
    ],
    [['--from-date', '2025-12-24T10:00:01Z'], ['new']],
    [['--to-date', '2025-11-30'], ['old']],
    [
      ['--to-date', '2025-12-24'],
      ['other', 'old'],
    ],
    [['--from-date', '2025-12-01', '--to-date', '5d'], ['other']],
    [
      ['--cwd', '/home/me/app'],
      ['new', 'old'],
    ],
    [['--cwd', '/home/me/app/web/'], ['new']],
    [
      ['--cwd', '/home/me', '--from-date', '8d'],
      ['new', 'other'],
    ],
    [['--cwd', '.'], []],
  ])('the sessions that are listed with %j are %j', async (flags, expected) => {
    const { list } = atHome()
    const { code, lines, err } = await list('claude-code', conversations, ['--json', ...flags])
    expect([code, names(lines())]).toEqual([0, expected])
    if (expected.length === 0)
      expect(err).toBe('note: none of 3 claude-code sessions matches --from-date, --to-date and --cwd\n')
  })

  it('the sessions that are listed are those of a folder that Gemini wrote down as a hash', async () => {
    const { list, cwd } = atHome()
    const hash = createHash('sha256').update(join(cwd, 'app')).digest('hex')
    const files = {
      [`.gemini/tmp/${hash}/chats/session-a.json`]: geminiSession('a', '2025-12-01T10:00:00Z', hash, ['Hi']),
      '.gemini/tmp/0/chats/session-b.json': geminiSession('b', '2025-12-01T10:00:00Z', '0', ['Hi']),
    }
    expect(names((await list('gemini', files, ['--json', '--cwd', 'app'])).lines())).toEqual(['session-a'])
  })

  it('the sessions that are listed are dated by their content, not by the time of the file', async () => {
    const { list, cwd } = atHome()
    await list('claude-code', conversations)
    utimesSync(join(cwd, claude('old')), new Date(), new Date())
    expect(names((await list('claude-code', {}, ['--json', '--from-date', '7d'])).lines())).toEqual(['new'])
  })

  it('the sessions that are listed are selected only by known times', async () => {
    const { list, svc } = atHome()
    for (const time of ['soon', '7', '2026-02-30', '-7d']) {
      expect(await list('codex', {}, [`--from-date=${time}`])).toMatchObject({
        code: 2,
        err: expect.stringContaining('such as 7d or 12h'),
      })
    }
    const { code, err } = await svc(['convert', '-', '--from-date', '7d'], { stdin: '[]' })
    expect([code, err]).toEqual([2, expect.stringContaining('svc: --from-date requires --sessions.')])
  })
})
