import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'
import { claudeSession } from '../../helpers/session-files.js'

const files = {
  '.claude/projects/-home-me-app/s.jsonl': claudeSession('s', '2025-12-31T20:00:00Z', { said: ['Where?', 'Here.'] }),
}
const tr = { id: 'tr_1', name: 'A', turns: [{ role: 'user', content: 'Where?' }], annotations: {} }

describe('the earlier names', () => {
  it.each([
    ['upload --source claude-code -n', 'upload --sessions claude-code -n'],
    ['upload -n --source=claude-code --since=7d', 'upload -n --sessions=claude-code --from-date=7d'],
    ['upload -n --until 2026-01-31 --source codex', 'upload -n --to-date 2026-01-31 --sessions codex'],
    ['upload a.json --source claude-code', 'upload a.json --sessions claude-code'],
    ['upload --source aider', 'upload --sessions aider'],
    ['convert --source claude-code', 'convert --sessions claude-code'],
    ['--json convert --list claude-code', '--json convert --list-sessions claude-code'],
    ['convert --list=claude-code --fields path', 'convert --list-sessions=claude-code --fields path'],
    ['convert --list codex --source codex', 'convert --list-sessions codex --sessions codex'],
    ['convert --list', 'convert --list-sessions'],
    ['transcripts show tr_1', 'transcripts read tr_1'],
    ['-q transcripts --json show tr_1 --fields id', '-q transcripts --json read tr_1 --fields id'],
    ['transcripts show', 'transcripts read'],
    ['help transcripts show', 'help transcripts read'],
    ['transcripts show --help', 'transcripts read --help'],
    ['transcripts show -hq', 'transcripts read -hq'],
  ])('the earlier "%s" means "%s" today', async (...lines) => {
    const [earlier, today] = await Promise.all(
      lines.map(async (line) => {
        const shell = createShell({ ...createSession(), fetch: async () => Response.json({ data: tr }) })
        const { code, out, err } = await shell.svc(line.split(' '), { files, env: { HOME: shell.cwd } })
        return { code, out: out.replaceAll(shell.cwd, '~'), err: err.replaceAll(shell.cwd, '~') }
      }),
    )
    expect(earlier).toEqual(today)
    expect((earlier?.out ?? '') + earlier?.err).not.toMatch(/--(source|list|since|until)\b(?!-)|transcripts show/)
  })

  it('the earlier names are neither in a help, nor in a completion, nor suggested', async () => {
    const { svc } = createShell()
    for (const argv of ['upload --help', 'convert --help', 'help transcripts', 'completion bash', 'completion fish']) {
      const { code, out } = await svc(argv.split(' '))
      expect(code).toBe(0)
      expect(out).not.toMatch(/--(source|list|since|until)[\s=,|)]|-l (source|list|since|until) /)
      expect(out).not.toMatch(/transcripts show|read\|show|transcripts'" -a show|list get (read )?show/)
    }
    expect((await svc(['transcripts', 'shwo'])).err).not.toContain('show')
    expect((await svc(['upload', '--sourc', 'codex'])).err).not.toMatch(/--source\b(?!-)/)
  })
})
