import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { leaveLock } from '../scale-out/left-lock.js'

const transcripts = ['one', 'two'].map((content) => ({ name: content, turns: [{ role: 'user', content }] }))

/** A shell with a ledger of two uploads, whose owner was on a machine that vanished. */
async function afterLoss() {
  const shell = createShell()
  const svc: typeof shell.svc = (...given) => shell.clock.until(shell.svc(...given))
  expect((await svc(['upload', 'two.json'], { files: { 'two.json': transcripts } })).code).toBe(0)
  const folder = join(shell.cwd, '.state', 'uploads')
  leaveLock(folder)
  const stored = () => shell.server.world.transcripts(shell.project).length
  const generations = () => readdirSync(folder).filter((name) => name.endsWith('.jsonl')).length
  return { ...shell, svc, folder, stored, generations }
}

describe('a ledger of a machine that vanished', () => {
  it('svc upload says how long it waits for the lease, and goes on in the next generation', async () => {
    const { svc, stored, generations } = await afterLoss()
    const { code, err } = await svc(['upload', 'two.json'])
    expect([code, stored(), generations()]).toEqual([0, 2, 2])
    expect(err).toContain(
      'note: pid 1 on gone has had this ledger since 2026-01-01T00:00:00.000Z; waiting up to 1 s for it to renew its lease',
    )
    expect((await svc(['upload', 'two.json', '--lease', '5m'])).err).not.toContain('note:')
  })

  it.each([
    ['list', '--all'],
    ['show', 'KEY'],
    ['reconcile'],
    ['retry', 'KEY'],
    ['forget', 'KEY', '--yes'],
    ['rebuild'],
  ])('svc uploads %s works over the generations of a ledger', async (...argv) => {
    const { svc, folder } = await afterLoss()
    expect((await svc(['upload', 'two.json'])).code).toBe(0)
    leaveLock(folder)
    const list = async () => (await svc(['uploads', 'list', '--json', '--all'])).lines().slice(0, -1)
    const [{ key } = expect.fail()] = await list()
    const { code } = await svc(['uploads', ...argv.map((word) => (word === 'KEY' ? String(key) : word))])
    // A stored item must not be sent again.
    expect(code).toBe(argv[0] === 'retry' ? 3 : 0)
    expect(await list()).toHaveLength(argv[0] === 'forget' ? 1 : 2)
  })

  it('svc upload ends with 75 while the owner renews its lease, and sends nothing', async () => {
    const { svc, clock, folder, stored } = await afterLoss()
    const held = join(folder, readdirSync(folder).find((name) => name.endsWith('.held')) ?? expect.fail('not held'))
    clock.after(400, () => writeFileSync(held, '1'))
    const { code, err } = await svc(['upload', '-'], { stdin: JSON.stringify({ ...transcripts[0], name: 'three' }) })
    expect([code, stored()]).toEqual([75, 2])
    expect(err).toContain('Another process writes this ledger: pid 1 on gone, since 2026-01-01T00:00:00.000Z.')
  })
})
