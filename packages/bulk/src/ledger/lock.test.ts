import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { exit } from '../../../cli/src/exit.js'
import { target, temporaryFolder } from '../../test/fixtures/ledger.js'
import { type Owner, ownerStatus, thisProcess } from '../claims.js'
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
const take = (folder: string, shard?: Shard) => lock(folder, stemOf(target), shard, at)

/** What a process leaves that is killed. */
function leave(folder: string, owner: Partial<Owner>, isHeld = true): void {
  const ledger = nameOf(stemOf(target), undefined)
  const claim = { ...thisProcess(), ...owner, id: '0', ledger, at }
  writeFileSync(join(folder, `${ledger}.0.lock`), JSON.stringify(claim))
  if (isHeld) writeFileSync(join(folder, `${ledger}.0.held`), '')
}

const deadPid = spawnSync(process.execPath, ['--version']).pid

describe('the lock of a ledger', () => {
  it('the lock of a ledger has one holder until it is released, and reports its process and machine to others', async () => {
    const folder = newFolder()
    const release = await take(folder)
    const { pid, host } = thisProcess()
    await expect(take(folder)).rejects.toMatchObject({
      exit: exit.temporary,
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
      await expect(take(folder, other)).rejects.toMatchObject({ exit: exit.temporary })
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
    const { host } = { ...thisProcess(), ...owner }
    await expect(take(folder)).rejects.toMatchObject({
      exit: exit.input,
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
      exit: exit.input,
      message: expect.stringContaining(`${file}: `),
    })
  })

  it('blocks on an unfinished lock of a process that never finishes it', async () => {
    const folder = newFolder()
    leave(folder, {}, false)
    await expect(take(folder)).rejects.toMatchObject({ exit: exit.temporary })
  })
})

describe('a process', () => {
  it('treats a process that may still run as running', () => {
    const here = thisProcess()
    expect(ownerStatus(here)).toBe('runs')
    expect(ownerStatus({ pid: here.pid, host: here.host }, { pid: 1, host: here.host })).toBe('runs')
  })

  it('a process cannot check a process without its namespace or the boot id of its machine', () => {
    const here = { ...thisProcess(), namespace: 'pid:[1]', boot: 'this' }
    for (const owner of [{ namespace: undefined }, { namespace: 'pid:[2]' }, { boot: undefined }]) {
      expect(ownerStatus({ ...here, ...owner, pid: deadPid }, here)).toBe('hidden')
    }
    expect(ownerStatus({ ...here, pid: deadPid }, here)).toBe('ended')
  })
})
