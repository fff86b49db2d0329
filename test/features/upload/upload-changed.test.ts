import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { claudeSession } from '../../helpers/session-files.js'

const session = '.claude/projects/-home-me-app/s.jsonl'
const at = '2025-12-31T20:00:00Z'
const upload = ['upload', '--sessions', 'claude-code', '--from-date', '7d', '--json']

/** A session that was uploaded, and what a run does once it grew. */
async function grown() {
  const shell = createShell()
  const run = (argv: string[], said: string[]) =>
    shell.svc(argv, { files: { [session]: claudeSession('s', at, { said }) }, env: { HOME: shell.cwd } })
  const first = await run(upload, ['Where is it?', 'Here.'])
  const id = first.lines()[0]?.id as string
  const again = (...flags: string[]) => run([...upload, ...flags], ['Where is it?', 'Here.', 'Thanks.', 'Bye.'])
  return { ...shell, id, again, stored: () => shell.server.world.transcripts(shell.project).length }
}

describe('a session that grew since it was stored', () => {
  it('a session that grew since it was stored is another transcript, and the run names the one with its external id', async () => {
    const { again, id, stored } = await grown()
    const { code, err, lines } = await again()
    expect([code, stored(), err]).toEqual([
      0,
      2,
      expect.stringContaining(`same external id as ${id}, different content`),
    ])
    expect(err).toContain('1 of them with the external id of a stored transcript but different content')
    expect(lines()).toMatchObject([
      { result: 'uploaded', changed_from: id },
      { uploaded: 1, changed: 1 },
    ])
    expect((await again()).lines().at(-1)).toMatchObject({ already_uploaded: 1, changed: 0 })
  })

  it('a session that grew since it was stored is skipped with --skip changed, and counted separately', async () => {
    const { again, id, stored } = await grown()
    const { code, err, lines } = await again('--skip', 'changed')
    expect([code, stored(), err]).toEqual([0, 1, expect.stringContaining('1 changed since they were stored, skipped')])
    expect(lines()).toMatchObject([
      { result: 'skipped_changed', changed_from: id },
      { uploaded: 0, skipped_changed: 1, not_sent: 0 },
    ])
  })

  it('a session that grew since it was stored is announced by a dry run, which sends nothing', async () => {
    const { again, id, stored } = await grown()
    const { err, lines } = await again('--dry-run')
    expect([lines(), err]).toMatchObject([
      [
        { result: 'planned', changed_from: id },
        { planned: 1, changed: 1 },
      ],
      expect.stringContaining(id),
    ])
    expect(err).toContain('1 of them changed since they were stored')
    expect((await again('--dry-run', '--skip', 'changed')).lines()).toMatchObject([
      { result: 'skipped_changed' },
      { planned: 0, skipped_changed: 1 },
    ])
    expect(stored()).toBe(1)
  })

  it('a session that grew is distinguished from two transcripts with one external id in a run, and from equal content', async () => {
    const shell = createShell()
    const conversation = (content: string) => ({ externalId: 'x', turns: [{ role: 'user', content }] })
    const run = (...all: string[]) =>
      shell.svc(['upload', 't.json', '--json'], { files: { 't.json': all.map((each) => conversation(each)) } })
    expect((await run('a', 'b')).lines().at(-1)).toMatchObject({ uploaded: 2, changed: 0 })
    expect((await run('a', 'b', 'b')).lines().at(-1)).toMatchObject({ uploaded: 1, already_uploaded: 2, changed: 0 })
  })
})

it('a ledger that was rebuilt knows what changed as the lost one did, also parts of a split transcript', async () => {
  const { svc, cwd } = createShell()
  const turns = (n: number, last: string) => [
    ...Array.from({ length: n - 1 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: String(i) })),
    { role: 'user', content: last },
  ]
  const files = (last: string) => ({
    't.json': [
      { externalId: 'x', turns: turns(1, last) },
      { externalId: 'y', turns: turns(1, 'same') },
      { externalId: 'long', turns: turns(1_500, last) },
    ],
  })
  const plan = async (last: string) => {
    const { lines } = await svc(['upload', 't.json', '--split', '--dry-run', '--json'], { files: files(last) })
    return lines().map(({ result, id, changed_from }) => [result, id ?? changed_from])
  }
  await svc(['upload', 't.json', '--split'], { files: files('first') })
  const before = [await plan('first'), await plan('second')]
  rmSync(join(cwd, '.state'), { recursive: true })
  expect((await svc(['uploads', 'rebuild'])).code).toBe(0)
  expect([await plan('first'), await plan('second')]).toEqual(before)
  const results = before[1]?.map(([result, id]) => [result, id !== undefined])
  expect(results?.slice(0, -1)).toEqual([
    ['planned', true],
    ['already_uploaded', true],
    ['already_uploaded', true],
    ['planned', true],
  ])
  const ids = (await svc(['uploads', 'list', '--all', '--json']))
    .lines()
    .flatMap(({ external_id }) => external_id ?? [])
  expect(ids.toSorted()).toEqual(['long#1/2', 'long#2/2', 'x', 'y'])
})

it('svc upload names the first three transcripts that changed, and counts the others', async () => {
  const { svc } = createShell()
  const conversations = (content: string) =>
    Array.from({ length: 5 }, (_, n) => ({ externalId: String(n), turns: [{ role: 'user', content }] }))
  await svc(['upload', 't.json'], { files: { 't.json': conversations('a') } })
  const { err } = await svc(['upload', 't.json'], { files: { 't.json': conversations('b') } })
  expect(err.match(/same external id as/g)).toHaveLength(3)
  expect(err).toContain('2 more transcripts with different content')
})
