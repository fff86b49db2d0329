import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@svc/client'
import { afterEach, describe, expect, it } from 'vitest'
import { target, temporaryFolder } from '../../test/fixtures/ledger.js'
import { ownerStatus } from '../claims.js'
import { nodeHost, type Owner } from '../environment/index.js'
import { environmentOf } from '../environment-of.js'
import type { Shard } from '../shard.js'
import { nameOf, stemOf } from './files.js'
import { lock } from './lock.js'

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
const environment = environmentOf({ clock: { ...systemClock, now: () => Date.parse(at) } })
const take = (folder: string, shard?: Shard) => lock(folder, stemOf(target), shard, environment)

/** Writes the lock files that a killed process leaves behind. */
function leave(folder: string, owner: Partial<Owner>, isHeld = true): void {
  const ledger = nameOf(stemOf(target), undefined)
  const claim = { ...nodeHost.self(), ...owner, id: '0', ledger, at }
  writeFileSync(join(folder, `${ledger}.0.lock`), JSON.stringify(claim))
  if (isHeld) writeFileSync(join(folder, `${ledger}.0.held`), '')
}

const deadPid = spawnSync(process.execPath, ['--version']).pid

describe('the lock of a ledger', () => {
  it('the lock of a ledger has one holder until it is released, and reports its process and machine to others', async () => {
    const folder = newFolder()
    const release = await take(folder)
    const { pid, host } = nodeHost.self()
    await expect(take(folder)).rejects.toMatchObject({
      code: 'ledger_locked',
      message: `Another process writes this ledger: pid ${pid} on ${host}, since ${at}.`,
    })
    release()
    release()
    expect(readdirSync(folder)).toEqual([])
    ;(await take(folder))()
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
      const release = await take(folder)
      expect(readdirSync(folder)).toHaveLength(2)
      release()
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it.each([
    ['another machine', { host: 'elsewhere' }],
    ['a container of its own', { namespace: 'pid:[1]' }],
    ['another machine of the same name', { namespace: 'pid:[1]', boot: 'another' }],
  ])('the lock of a ledger of %s hinders, and the file to remove is named in the hint', async (_, owner) => {
    const folder = newFolder()
    leave(folder, { ...owner, pid: deadPid })
    const { host } = { ...nodeHost.self(), ...owner }
    await expect(take(folder)).rejects.toMatchObject({
      code: 'ledger_maybe_locked',
      message: `Another process writes this ledger, or was killed while it did: pid ${deadPid} on ${host}, since ${at}.`,
      hint: expect.stringMatching(
        new RegExp(
          `make sure that it has ended, then remove ${join(folder, nameOf(stemOf(target), undefined))}.0.lock$`,
        ),
      ),
    })
    expect(readdirSync(folder)).toHaveLength(2)
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

  it('blocks on an unfinished lock of a process that never finishes it', async () => {
    const folder = newFolder()
    leave(folder, {}, false)
    await expect(take(folder)).rejects.toMatchObject({ code: 'ledger_locked' })
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
    const here = { ...nodeHost.self(), namespace: 'pid:[1]', boot: 'this' }
    const host = { ...nodeHost, self: () => here }
    for (const owner of [{ namespace: undefined }, { namespace: 'pid:[2]' }, { boot: undefined }]) {
      expect(ownerStatus({ ...here, ...owner, pid: deadPid }, host)).toBe('hidden')
    }
    expect(ownerStatus({ ...here, pid: deadPid }, host)).toBe('ended')
  })
})
