import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openFile } from '@svc/transcripts/containers'
import { afterAll, describe, expect, it } from 'vitest'
import { endBytes } from './session-file.js'
import { findSessions } from './sessions.js'

const home = mkdtempSync(join(tmpdir(), 'find-'))
afterAll(() => rmSync(home, { recursive: true }))

const filesOf = (env: Record<string, string>): Parameters<typeof findSessions>[0] => ({
  env,
  checkpoint: async () => {},
  isThere: existsSync,
  openFile,
  readDirectory: async (path) =>
    readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? 'directory' : 'file',
    })),
  async readEnds(path, bytes) {
    const all = readFileSync(path)
    return { head: all.subarray(0, bytes), tail: all.subarray(-bytes), size: all.length, modified: 0 }
  },
})

const bulk = 'x'.repeat(endBytes * 2)
const line = (type: string, content: string, timestamp: string, more: object = {}) =>
  `${JSON.stringify({ cwd: '/app', sessionId: 's', type, message: { role: type, content }, uuid: timestamp, timestamp, ...more })}\n`

async function only(name: string, text: string, since?: string) {
  const path = join(home, name, 'projects/app/s.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  const io = filesOf({ CLAUDE_CONFIG_DIR: join(home, name) })
  const wish = { since: since === undefined ? undefined : Date.parse(since), until: undefined, cwd: undefined }
  const { sessions } = await findSessions(io, 'claude-code', wish, Date.parse('2026-01-01T00:00:00Z'))
  const [session] = sessions
  return (
    session && { title: session.title, cwd: session.cwd, last: session.last && new Date(session.last).toISOString() }
  )
}

describe('a session with much at its ends', () => {
  const first = line('user', 'Hi', '2025-12-01T10:00:00.000Z')
  const begun = first + line('assistant', 'Hm', '2025-12-01T11:00:00.000Z').repeat(1000)

  it.each([
    ['stands before it', line('user', 'ok', '2025-12-20T10:00:00.000Z', { toolUseResult: { file: bulk } })],
    [
      'stands in a line above it',
      line('user', 'ok', '2025-12-20T10:00:00.000Z', { toolUseResult: { file: bulk } }) +
        '{"type":"summary","summary":"Tidying","leafUuid":"x"}\n',
    ],
    [
      'is not the one in it',
      line('user', 'ok', '2025-12-20T10:00:00.000Z', {
        toolUseResult: { bulk, old: { timestamp: '2025-12-02T10:00:00Z' } },
      }),
    ],
  ])('went on until its last time, which %s', async (name, last) => {
    expect(await only(`last ${name}`, begun + last, '2025-12-15T00:00:00Z')).toEqual({
      title: 'Hi',
      cwd: '/app',
      last: '2025-12-20T10:00:00.000Z',
    })
  })

  it('finds the title, folder and times in the lines between', async () => {
    const snapshot = `${JSON.stringify({ type: 'file-history-snapshot', messageId: 'm', snapshot: { bulk } })}\n`
    const end = `${JSON.stringify({ type: 'summary', summary: bulk, leafUuid: 'x' })}\n`
    expect(await only('both', snapshot + first + end)).toEqual({
      title: 'Hi',
      cwd: '/app',
      last: '2025-12-01T10:00:00.000Z',
    })
  })
})

it('does not list sub-agent conversations of Codex as sessions', async () => {
  const folder = join(home, 'codex', 'sessions/2025/12/01')
  mkdirSync(folder, { recursive: true })
  const at = '2025-12-01T10:00:00Z'
  for (const [name, source] of Object.entries({ own: 'cli', reviewed: { subagent: 'review' } })) {
    const meta = { type: 'session_meta', payload: { id: name, cwd: '/app', source } }
    const said = { type: 'response_item', payload: { type: 'message', role: 'user', content: 'Hi' } }
    const text = [meta, said].map((each) => `${JSON.stringify({ timestamp: at, ...each })}\n`).join('')
    writeFileSync(join(folder, `rollout-${name}.jsonl`), text)
  }
  const io = filesOf({ CODEX_HOME: join(home, 'codex') })
  const wish = { since: undefined, until: undefined, cwd: undefined }
  const { sessions, subagents, notes } = await findSessions(io, 'codex', wish, Date.parse('2026-01-01T00:00:00Z'))
  expect([sessions, subagents].map((list) => list.map(({ id }) => id))).toEqual([['own'], ['reviewed']])
  expect(notes).toEqual([])
})
