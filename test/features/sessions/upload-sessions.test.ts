import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { claudeSession, codexSession, jsonl } from '../../helpers/session-files.js'

const folder = '.claude/projects/-home-me-app'
const at = '2025-12-31T20:00:00Z'
const conversations = {
  [`${folder}/new.jsonl`]: claudeSession('new', at, { said: ['Where is it?', 'Here.'] }),
  [`${folder}/old.jsonl`]: claudeSession('old', '2025-11-30T23:00:00Z'),
}
const agents = {
  [`${folder}/new/subagents/agent-1.jsonl`]: claudeSession('new', at, { said: ['Look for it'], agent: '1' }),
  [`${folder}/new/subagents/agent-1.meta.json`]: { agentType: 'Explore' },
  [`${folder}/new/tool-results/toolu_1.json`]: [{ type: 'text', text: 'large' }],
  [`${folder}/agent-2.jsonl`]: claudeSession('new', at, { said: ['And there'], agent: '2' }),
  [`${folder}/agent-3.jsonl`]: claudeSession('old', at, { said: ['Elsewhere'], agent: '3' }),
  [`${folder}/sessions-index.json`]: { version: 1, entries: [] },
}
const silent = { [`${folder}/summary.jsonl`]: jsonl([{ type: 'summary', summary: 'Tidying up', leafUuid: 'x' }]) }

function atHome() {
  const shell = createShell()
  const svc = (argv: string[], files: Record<string, unknown> = {}) =>
    shell.svc(argv, { files, env: { HOME: shell.cwd } })
  return { ...shell, svc }
}
const ids = (lines: Record<string, unknown>[]) =>
  lines.flatMap(({ transcript }) => (transcript ? [(transcript as Record<string, unknown>).external_id] : [])).sort()

describe('svc upload --sessions', () => {
  it('uploads the sessions of a tool that are chosen', async () => {
    const { svc, server } = atHome()
    const { code, lines, err } = await svc(
      ['upload', '--sessions', 'claude-code', '--from-date', '7d', '--json'],
      conversations,
    )
    expect([code, lines().length]).toEqual([0, 2])
    expect(lines()[0]).toMatchObject({
      path: expect.stringMatching(/new\.jsonl$/),
      transcript: { name: 'Where is it?', external_id: 'new', source_system: 'claude-code', turn_count: 2 },
    })
    const posts = server.requests.filter(({ method }) => method === 'POST')
    expect([posts.length, err]).toEqual([1, expect.stringContaining('1 transcript uploaded')])
  })

  it('takes their sub-agents in either layout with --subagents, and those of no other session', async () => {
    const { svc } = atHome()
    const argv = ['upload', '--sessions', 'claude-code', '--from-date', '7d', '--json']
    expect(ids((await svc(argv, { ...conversations, ...agents })).lines())).toEqual(['new'])
    expect(ids((await svc([...argv, '--subagents'])).lines())).toEqual(['new/1', 'new/2'])
  })

  it('uploads nothing, and is done, when there is none', async () => {
    const { svc, server } = atHome()
    const { code, err } = await svc(['upload', '--sessions', 'codex', '--from-date', '1d'])
    expect([code, server.requests.length]).toEqual([0, 0])
    expect(err).toMatch(/^note: no codex sessions in .*\n0 transcripts uploaded to hp-/)
  })

  it('requires files or --sessions, and not both', async () => {
    const { svc } = atHome()
    expect(await svc(['upload', 'a.json', '--sessions', 'codex'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^svc: Files and --sessions codex cannot be used together\.\nhint: /),
    })
    expect(await svc(['upload'])).toMatchObject({ code: 2, err: expect.stringContaining('or --sessions claude-code') })
    expect((await svc(['upload', 'a.json', '--cwd', '.'])).err).toContain('svc: --cwd requires --sessions')
  })

  it('writes instead where an identical session exists', async () => {
    const { svc } = atHome()
    const files = { '.codex/sessions/2025/12/31/rollout-a.jsonl': codexSession('a', at) }
    const { code, json } = await svc(['convert', '--sessions', 'codex', '--to', 'upload'], files)
    expect(code).toBe(0)
    expect(json()).toMatchObject({ externalId: 'a', sourceSystem: 'codex' })
  })
})

describe('a folder of sessions that is uploaded', () => {
  it('skips and counts sub-agent files and logs without messages', async () => {
    const { svc } = atHome()
    const { code, lines, err } = await svc(['upload', '.claude/projects', '--json'], {
      ...conversations,
      ...agents,
      ...silent,
    })
    expect([code, ids(lines())]).toEqual([0, ['new', 'old']])
    expect(err).toContain('note: 3 files with only sub-agent conversations skipped (--subagents includes them): ')
    expect(err).toContain('note: 1 file without messages skipped: ')
    const all = await svc(['upload', '.claude/projects', '--json', '--subagents'])
    expect(ids(all.lines())).toEqual(['new/1', 'new/2', 'old/3'])
    expect(all.lines().at(-1)).toMatchObject({ uploaded: 3, already_uploaded: 2 })
  })

  it('a session of a sub-agent is an error if its folder contains nothing else, or if the command line names the file', async () => {
    const { svc, server } = atHome()
    const only = `${folder}/agent-3.jsonl`
    const files = { [only]: agents[only], 'good.jsonl': conversations[`${folder}/new.jsonl`] }
    for (const paths of [[folder], [only], ['good.jsonl', only]]) {
      const { code, err } = await svc(['upload', ...paths], files)
      expect(code).toBe(3)
      expect(err).toContain('agent-3.jsonl:1:1 only sub-agent messages found; --subagents includes them\n')
    }
    expect(server.requests).toHaveLength(0)
  })

  it('a folder of sessions that is uploaded may hold a folder beside a file of its name, as long as that is of transcripts', async () => {
    const { svc } = atHome()
    const conversation = { turns: [{ role: 'user', content: 'hi' }] }
    const files = {
      'in/a.jsonl': JSON.stringify(conversation),
      'in/a/b.json': conversation,
      'in/a/tool-results/c.json': { no: 1 },
    }
    const others = { 'in/tool-results/d.json': conversation }
    const { code, lines } = await svc(['upload', 'in', '--json', '-n'], { ...files, ...others })
    expect([
      code,
      lines()
        .slice(0, -1)
        .map(({ path }) => path),
    ]).toEqual([0, ['in/a/b.json', 'in/a.jsonl', 'in/tool-results/d.json']])
  })
})
