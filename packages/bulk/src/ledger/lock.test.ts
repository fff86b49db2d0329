import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { handClock } from '../../../../test/helpers/hand-clock.js'
import { target, temporaryFolder } from '../../test/fixtures/ledger.js'
import { ownerStatus, removeClaim, rivalClaims } from '../claims.js'
import { nodeHost, type Owner } from '../environment/index.js'
import { environmentOf } from '../environment-of.js'
import type { Shard } from '../shard.js'
import { nameOf, stemOf } from './files.js'
import { type LeaseOptions, lock } from './lock.js'

const made: (() => void)[] = []
afterEach(() => {
  for (const remove of made.splice(0)) remove()
})

function newFolder(): string {
  const { folder, remove } = temporaryFolder()
  made.push(remove)
  return folder
}

const at = '2026-01-01T00:00:00.000Z'
const clock = handClock()
const environment = environmentOf({ clock: { ...clock, now: () => Date.parse(at) } })
const take = (folder: string, shard?: Shard, options: LeaseOptions = {}) =>
  clock.until(lock(folder, stemOf(target), shard, environment, options))

/** Writes the lock files that a killed process leaves behind. */
function leave(folder: string, owner: Partial<Owner>, isHeld = true, lease: { leaseMs?: number } = {}): void {
  const ledger = nameOf(stemOf(target), undefined)
  const claim = { ...nodeHost.self(), ...owner, ...lease, id: '0', ledger, at }
  writeFileSync(join(folder, `${ledger}.0.lock`), JSON.stringify(claim))
  if (isHeld) writeFileSync(join(folder, `${ledger}.0.held`), '')
}

const deadPid = spawnSync(process.execPath, ['--version']).pid

describe('the lock of a ledger', () => {
  it('the lock of a ledger has one holder until it is released, and reports its process and machine to others', async () => {
    const folder = newFolder()
    const { release } = await take(folder)
    await expect(take(folder)).rejects.toMatchObject({
      code: 'ledger_locked',
      message: `This process writes this ledger already, since ${at}.`,
      hint: 'use the run or uploader that has it; or start the next one when that has ended or is closed',
    })
    release()
    release()
    expect(readdirSync(folder)).toEqual([])
    ;(await take(folder)).release()
  })

  it('gives the lock to exactly one of many concurrent processes', async () => {
    for (let round = 0; round < 20; round++) {
      const folder = newFolder()
      const takes = await Promise.allSettled(Array.from({ length: 8 }, () => take(folder)))
      expect(takes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  })

  it('shares the lock only among shards with the same count', async () => {
    const folder = newFolder()
    await take(folder, { index: 0, of: 4 })
    await take(folder, { index: 3, of: 4 })
    for (const other of [{ index: 3, of: 4 }, { index: 1, of: 5 }, undefined]) {
      await expect(take(folder, other)).rejects.toMatchObject({ code: 'ledger_locked' })
    }
  })

  it.each([
    ['there is no such process', { pid: deadPid }],
    ['another process has its number', { started: '1' }],
    ['the machine was restarted', { boot: 'another' }],
  ])('the lock of a ledger of a killed process does not hinder: %s', async (_, owner) => {
    for (const isHeld of [true, false]) {
      const folder = newFolder()
      leave(folder, owner, isHeld)
      const { release } = await take(folder)
      expect(readdirSync(folder)).toHaveLength(2)
      release()
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it.each([
    ['another machine', { host: 'elsewhere' }],
    ['a container of its own', { namespace: 'pid:[1]' }],
    ['another machine of the same name', { machine: 'another', boot: 'another' }],
    ['a process that stands still', { pid: nodeHost.self().pid }],
  ])('a ledger of %s is taken over once its lease was not renewed for 60 s', async (_, given) => {
    const folder = newFolder()
    const owner: Partial<Owner> = { pid: deadPid, ...given }
    leave(folder, owner)
    const seen: [number, number][] = []
    const startedAt = clock.monotonic()
    const held = await take(folder, undefined, { onLease: ({ pid }, ms) => void seen.push([pid, ms]) })
    expect(clock.monotonic() - startedAt).toBe(60_000)
    expect(seen).toEqual([[owner.pid, 60_000]])
    expect(held.expired.map(({ id }) => id)).toEqual(['0'])
    held.release()
  })

  it('a ledger whose lease is renewed by another machine is refused, however its files are dated', async () => {
    const folder = newFolder()
    leave(folder, { host: 'elsewhere' })
    const file = join(folder, `${nameOf(stemOf(target), undefined)}.0.held`)
    clock.after(55_000, () => {
      writeFileSync(file, '1')
      utimesSync(file, 0, 0)
    })
    await expect(take(folder)).rejects.toMatchObject({
      code: 'ledger_locked',
      message: expect.stringContaining(' on elsewhere, since '),
    })
  })

  it('an owner that wakes up and renews its lease while it is replaced keeps the ledger', async () => {
    const folder = newFolder()
    leave(folder, { host: 'elsewhere' })
    const before = readdirSync(folder)
    const { disk } = environment
    // The new claim is made after the last look at the lease.
    const create: typeof disk.create = (path, content) => {
      disk.create(path, content)
      if (path.endsWith('.held')) writeFileSync(join(folder, `${nameOf(stemOf(target), undefined)}.0.held`), '1')
    }
    const next = lock(folder, stemOf(target), undefined, { ...environment, disk: { ...disk, create } })
    await expect(clock.until(next)).rejects.toMatchObject({
      code: 'ledger_locked',
      message: expect.stringContaining(' on elsewhere, since '),
    })
    expect(readdirSync(folder)).toEqual(before)
  })

  it('waits as long as the owner has promised to renew its lease', async () => {
    const folder = newFolder()
    leave(folder, { host: 'elsewhere' }, true, { leaseMs: 300_000 })
    const startedAt = clock.monotonic()
    ;(await take(folder, undefined, { leaseMs: 1_000 })).release()
    expect(clock.monotonic() - startedAt).toBe(300_000)
  })

  it('ends the wait for a lease when it is stopped, and leaves nothing behind', async () => {
    const folder = newFolder()
    leave(folder, { host: 'elsewhere' })
    const before = [readdirSync(folder), clock.pending.length]
    const stop = new AbortController()
    clock.after(20_000, () => stop.abort('SIGTERM'))
    await expect(take(folder, undefined, { stop: stop.signal })).rejects.toBe('SIGTERM')
    expect([readdirSync(folder), clock.pending.length]).toEqual(before)
  })

  it('renews its lease for as long as it holds the lock, and no longer', async () => {
    const folder = newFolder()
    const before = clock.pending.length
    const { release } = await take(folder)
    const renewal = () => {
      const name = readdirSync(folder).find((each) => each.endsWith('.held')) ?? expect.fail('not held')
      return readFileSync(join(folder, name), 'utf8')
    }
    const seen = new Set<string>()
    for (let at = 0; at < 5; at++) {
      seen.add(renewal())
      await clock.advance(59_000)
    }
    expect(seen.size).toBe(5)
    release()
    expect(clock.pending.length).toBe(before)
  })

  it('an owner that was replaced is no owner any more, whatever it writes', async () => {
    const folder = newFolder()
    const first = await take(folder)
    const [claim] = rivalClaims(folder, stemOf(target), { ledger: nameOf(stemOf(target), undefined) }, environment)
    expect(first.isOwner()).toBe(true)
    removeClaim(environment.disk, claim ?? expect.fail('no claim'))
    await clock.advance(100_000)
    expect([first.isOwner(), readdirSync(folder)]).toEqual([false, []])
    const second = await take(folder)
    first.release()
    expect([first.isOwner(), second.isOwner()]).toEqual([false, true])
    second.release()
  })

  it('gives the lock of a vanished machine to exactly one of several that take it over at once', async () => {
    for (let round = 0; round < 10; round++) {
      const folder = newFolder()
      leave(folder, { host: 'elsewhere' })
      const takes = await Promise.allSettled(Array.from({ length: 4 }, () => take(folder)))
      expect(takes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  })

  it('reports the path of a lock that it cannot read', async () => {
    const folder = newFolder()
    const file = join(folder, `${nameOf(stemOf(target), undefined)}.0.lock`)
    mkdirSync(file)
    await expect(take(folder)).rejects.toMatchObject({
      code: 'ledger_not_writable',
      message: expect.stringContaining(`${file}: `),
    })
  })

  it('an unfinished lock of a process that never finishes it hinders for the time of a lease', async () => {
    const folder = newFolder()
    leave(folder, {}, false)
    const startedAt = clock.monotonic()
    ;(await take(folder)).release()
    expect(clock.monotonic() - startedAt).toBe(60_000)
  })
})

describe('a process', () => {
  it('treats a process that may still run as running', () => {
    const here = nodeHost.self()
    expect(ownerStatus(here, nodeHost)).toBe('runs')
    const bare = { pid: here.pid, host: here.host }
    expect(ownerStatus(bare, { ...nodeHost, self: () => bare })).toBe('runs')
  })

  it('a process cannot check a process without its namespace or the boot id of its machine', () => {
    const here = { ...nodeHost.self(), namespace: 'pid:[1]', machine: 'this', boot: 'this' }
    const host = { ...nodeHost, self: () => here }
    const others = [
      { namespace: undefined },
      { namespace: 'pid:[2]' },
      { boot: undefined },
      { machine: 'other', boot: 'other' },
    ]
    for (const owner of others) {
      expect(ownerStatus({ ...here, ...owner, pid: deadPid }, host)).toBe('hidden')
    }
    expect(ownerStatus({ ...here, pid: deadPid }, host)).toBe('ended')
  })
})
