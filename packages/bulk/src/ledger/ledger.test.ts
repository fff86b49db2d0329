import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '@svc/client'
import { afterEach, describe, expect, it } from 'vitest'
import { intentOf, target, temporaryFolder } from '../../test/fixtures/ledger.js'
import { type Disk, nodeDisk, nodeHost } from '../environment/index.js'
import { historyOf, readLedgers } from './files.js'
import { shardFor } from './identity.js'
import { openLedger } from './ledger.js'

const made: (() => void)[] = []
afterEach(() => {
  for (const remove of made.splice(0)) remove()
})

const clock = { ...systemClock, now: () => Date.parse('2026-01-01T00:00:00Z') }

function newFolder(): string {
  const { folder, remove } = temporaryFolder()
  made.push(remove)
  return folder
}

const open = (folder: string, shard?: { index: number; of: number }) => openLedger({ folder, target, shard, clock })

describe('a ledger', () => {
  it('reads in a later run which uploads were sent, and their results', async () => {
    const folder = newFolder()
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((words) => intentOf(words))
    if (!a || !b || !c || !d || !e) throw new Error('no items')
    const first = await open(folder)
    await first.intend([a, b, c, d, e])
    first.close(a.key, { event: 'done', id: 'tr_1', status: 'queued' })
    first.close(b.key, { event: 'refused', status: 400 })
    first.close(c.key, { event: 'unsent' })
    first.close(d.key, { event: 'unknown', candidates: ['tr_8', 'tr_9'] })
    await first.release()

    const later = await open(folder)
    expect([a, b, c, d, e, intentOf('f')].map((each) => later.stateOf(each))).toEqual([
      { state: 'done', id: 'tr_1', by: 'key' },
      { state: 'refused', status: 400 },
      { state: 'unsent' },
      { state: 'unknown', key: d.key, at: '2026-01-01T00:00:00.000Z', candidates: ['tr_8', 'tr_9'] },
      { state: 'open', key: e.key, at: '2026-01-01T00:00:00.000Z', candidates: [] },
      undefined,
    ])
    expect(later.unresolved()).toMatchObject([
      { key: d.key, state: 'unknown', name: 'd', candidates: ['tr_8', 'tr_9'] },
      { key: e.key, state: 'open', name: 'e', path: 'a.json' },
    ])
    await later.release()
  })

  it('counts an upload of a run once that is sent again, or later than its intent was written', async () => {
    const folder = newFolder()
    let ms = clock.now()
    const ledger = await openLedger({ folder, target, clock: { ...clock, now: () => ms } })
    const intent = intentOf('a')
    await ledger.intend([intent])
    for (const _ of [1, 2]) {
      ms += 60_000
      ledger.markSent(intent.key)
    }
    ledger.close(intent.key, { event: 'done', id: 'tr_1' })
    await ledger.release()
    const [read] = await readLedgers(folder)
    expect(read && historyOf(read, intent.key).map(({ event }) => event)).toEqual(['intent', 'sent', 'sent', 'done'])
    expect(read?.runs).toMatchObject([{ sent: 1, done: 1, unsent: 0 }])
  })

  it('recognizes a record that converts to other content, also while its result is unknown', async () => {
    const ledger = await open(newFolder())
    const [stored, open1, refused] = ['s1', 's2', 's3'].map((source) => intentOf(`old ${source}`, { source }))
    if (!stored || !open1 || !refused) throw new Error('no items')
    await ledger.intend([stored, open1, refused])
    ledger.close(stored.key, { event: 'done', id: 'tr_1', status: 'queued' })
    ledger.close(refused.key, { event: 'refused', status: 400 })
    expect(ledger.stateOf(intentOf('new s1', { source: 's1' }))).toMatchObject({
      state: 'done',
      id: 'tr_1',
      by: 'source',
    })
    expect(ledger.stateOf(intentOf('new s2', { source: 's2' }))).toMatchObject({ state: 'open', key: open1.key })
    expect(ledger.stateOf(intentOf('new s3', { source: 's3' }))).toBeUndefined()
    expect(ledger.stateOf(intentOf('new s1', { source: 's1', part: 2 }))).toBeUndefined()
    await ledger.release()
  })

  it('finds each of many uploads in a later run', async () => {
    const folder = newFolder()
    const items = Array.from({ length: 2_000 }, (_, i) => intentOf(`w${i}`, { source: `s${i}` }))
    const first = await open(folder)
    await first.intend(items)
    for (const { key, name } of items) first.close(key, { event: 'done', id: `tr_${name}` })
    await first.release()
    const later = await open(folder)
    expect(items.filter((item) => later.stateOf(item)?.state !== 'done')).toEqual([])
    const changed = items.map(({ name, source }) => later.stateOf(intentOf(`new ${name}`, { source })))
    expect(changed).toEqual(items.map(({ name }) => ({ state: 'done', id: `tr_${name}`, by: 'source' })))
    await later.release()
  })

  it('counts a transcript that occurs a second time as another one, even if its record is known', async () => {
    const ledger = await open(newFolder())
    await ledger.intend([intentOf('a', { source: 's1' })])
    ledger.close(intentOf('a').key, { event: 'done', id: 'tr_1', status: 'queued' })
    expect(ledger.stateOf(intentOf('a', { source: 's1', occurrence: 2 }))).toBeUndefined()
    await ledger.release()
  })

  it('writes one file of JSON lines that only its owner can read', async () => {
    const folder = join(newFolder(), 'state', 'uploads')
    const ledger = await open(folder)
    await ledger.intend([intentOf('a')])
    await ledger.release()
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^hp-[-0-9a-f]{36}\.[0-9a-f]{8}\.jsonl$/)])
    expect([statSync(folder).mode & 0o777, statSync(ledger.file).mode & 0o777]).toEqual([0o700, 0o600])
    const [header, intent, ...rest] = readFileSync(ledger.file, 'utf8').trimEnd().split('\n')
    expect(JSON.parse(header ?? '')).toEqual({ schema: 'svc/ledger@2', ...target })
    expect(JSON.parse(intent ?? '')).toMatchObject({ event: 'intent', n: 1, key: intentOf('a').key })
    expect(rest).toEqual([])
  })

  it.each([60_000, -60_000])('writes another send time of an item before it returns: %d ms later', async (ms) => {
    let time = clock.now()
    const ledger = await openLedger({ folder: newFolder(), target, clock: { ...clock, now: () => time } })
    const item = intentOf('a')
    await ledger.intend([item])
    const lines = () => readFileSync(ledger.file, 'utf8').trim().split('\n').length
    const before = lines()
    ledger.markSent(item.key)
    expect(lines()).toBe(before)
    time += ms
    ledger.markSent(item.key)
    expect(lines()).toBe(before + 1)
    expect(ledger.unresolved()).toMatchObject([
      { key: item.key, at: new Date(time).toISOString(), since: '2026-01-01T00:00:00.000Z' },
    ])
    await ledger.release()
  })

  it('knows by the clock of the machine since when nobody else sends, also from runs before, but for other shards', async () => {
    const folder = newFolder()
    const openAt = (since: string | undefined, ms: number, shard?: { index: number; of: number }) => {
      const host = { ...nodeHost, time: () => (since === undefined ? undefined : { since, ms }) }
      const steady = { ...clock, monotonic: () => 500_000 }
      return openLedger({ folder, target, shard, clock: steady, host })
    }
    const ages = async (...given: Parameters<typeof openAt>) => {
      const ledger = await openAt(...given)
      const entries = ledger.unresolved().map(({ name, knownSince = 0 }) => [name, 500_000 - knownSince])
      await ledger.release()
      return Object.fromEntries(entries)
    }
    const first = await openAt('boot 1', 1_000)
    await first.intend([intentOf('a')])
    await first.release()
    const second = await openAt('boot 1', 5_000)
    await second.intend([intentOf('b')])
    await second.release()
    await ages('boot 1', 6_000, { index: 0, of: 1 })
    expect(await ages('boot 1', 9_000)).toEqual({ a: 4_000, b: 0 })
    expect(await ages('boot 1', 11_000)).toEqual({ a: 6_000, b: 2_000 })
    expect(await ages('boot 2', 60_000)).toEqual({ a: 0, b: 0 })
    expect(await ages(undefined, 60_000)).toEqual({ a: 0, b: 0 })
    // As of a machine that was restored from a snapshot.
    expect(await ages('boot 1', 3_000)).toEqual({ a: 0, b: 0 })
  })

  it('drops an incomplete last line, and continues after the line before it', async () => {
    const folder = newFolder()
    const ledger = await open(folder)
    await ledger.intend([intentOf('a'), intentOf('b')])
    await ledger.release()
    truncateSync(ledger.file, statSync(ledger.file).size - 10)
    const second = await open(folder)
    expect([second.stateOf(intentOf('a'))?.state, second.stateOf(intentOf('b'))]).toEqual(['open', undefined])
    await second.intend([intentOf('c')])
    await second.release()
    const third = await open(folder)
    expect(third.unresolved().map(({ name }) => name)).toEqual(['a', 'c'])
    await third.release()
  })

  it('ignores zeros that a loss of power left in place of lines which were not synced', async () => {
    const folder = newFolder()
    const ledger = await open(folder)
    await ledger.intend([intentOf('a')])
    await ledger.release()
    appendFileSync(ledger.file, `{"n":3,${'\u0000'.repeat(40)}\n`)
    const second = await open(folder)
    await second.intend([intentOf('b')])
    await second.release()
    const third = await open(folder)
    expect(third.unresolved().map(({ name }) => name)).toEqual(['a', 'b'])
    await third.release()
  })

  it('syncs its folder and all above it before the first upload, and again when it is opened later', async () => {
    const folder = newFolder()
    const synced = new Set<string>()
    const disk = { ...nodeDisk, syncFolder: (path: string) => void synced.add(path) }
    const above = [folder, dirname(folder), '/']
    const ledger = await openLedger({ folder, target, clock, disk })
    await ledger.intend([intentOf('a')])
    expect([...synced]).toEqual(expect.arrayContaining(above))
    await ledger.release()
    synced.clear()
    await (await openLedger({ folder, target, clock, disk })).release()
    expect([...synced]).toEqual(expect.arrayContaining(above))
  })

  it('does not append to the file of a process that replaced this one while it was opened', async () => {
    const folder = newFolder()
    await (await open(folder)).release()
    let isHeld = false
    const list = (path: string) => {
      const names = nodeDisk.list(path)
      isHeld ||= names.some((name) => name.endsWith('.held'))
      return names
    }
    const readText = (path: string) => {
      if (isHeld && path.endsWith('.lock')) throw Object.assign(new Error('ESTALE'), { code: 'ESTALE' })
      return nodeDisk.readText(path)
    }
    const disk = { ...nodeDisk, list, readText }
    await expect(openLedger({ folder, target, clock, disk })).rejects.toMatchObject({
      code: 'ledger_lost',
      step: 'try_later',
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('reports that its lock cannot be removed as an error of the ledger', async () => {
    const folder = newFolder()
    const remove = () => {
      throw Object.assign(new Error('EROFS'), { code: 'EROFS' })
    }
    const ledger = await openLedger({ folder, target, clock, disk: { ...nodeDisk, remove } })
    await expect(ledger.release()).rejects.toMatchObject({
      code: 'ledger_write_failed',
      message: `Cannot write the upload ledger any more: ${ledger.file}: the disk is read-only.`,
    })
  })

  it('creates its file with the first entry', async () => {
    const folder = newFolder()
    const ledger = await open(folder)
    await ledger.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('reports file and line of a damaged line in the middle, and releases its lock', async () => {
    const folder = newFolder()
    const ledger = await open(folder)
    await ledger.intend([intentOf('a')])
    await ledger.release()
    appendFileSync(ledger.file, '{"n":3,\n')
    await expect(open(folder)).rejects.toMatchObject({
      code: 'ledger_damaged',
      message: `The upload ledger is damaged: ${ledger.file}:3 is not a valid entry.`,
      hint: expect.stringContaining(`svc uploads rebuild --ledger ${folder} --project ${target.project}`),
    })
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it.each(['svc/ledger@1', 'svc/ledger@3'])('refuses a ledger of another version by its name: %s', async (schema) => {
    const folder = newFolder()
    const ledger = await open(folder)
    await ledger.intend([intentOf('a')])
    await ledger.release()
    writeFileSync(ledger.file, readFileSync(ledger.file, 'utf8').replace('svc/ledger@2', schema))
    await expect(open(folder)).rejects.toMatchObject({
      code: 'ledger_other_version',
      message: `The upload ledger was written by another version of svc: ${ledger.file} is ${schema}; this version reads svc/ledger@2.`,
    })
  })

  it.each([
    ['project', { project: target.project.replace('6', '7') }],
    ['service', { baseUrl: 'https://other.test/v1' }],
  ])('refuses a ledger of another %s by its name', async (_, other) => {
    const folder = newFolder()
    const ledger = await open(folder)
    await ledger.intend([intentOf('a')])
    await ledger.release()
    const { project, baseUrl } = { ...target, ...other }
    const text = readFileSync(ledger.file, 'utf8')
    writeFileSync(ledger.file, text.replace(target.project, project).replace(target.baseUrl, baseUrl))
    await expect(open(folder)).rejects.toMatchObject({
      code: 'ledger_other_target',
      message: `The upload ledger ${ledger.file} is of project ${project} at ${baseUrl}, and not of ${target.project} at ${target.baseUrl}.`,
    })
  })

  it('reports a ledger file that cannot be written', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'file'), '')
    await expect(open(join(folder, 'file', 'below'))).rejects.toMatchObject({
      code: 'ledger_not_writable',
      hint: expect.stringContaining('--ledger DIR'),
    })
    await expect(openLedger({ folder: undefined, target, clock })).rejects.toMatchObject({ code: 'no_ledger_folder' })
  })

  it.each([
    ['reports a full disk', 'write', 'ENOSPC', 'the disk is full'],
    [
      'reports a file system without hard links',
      'link',
      'ENOTSUP',
      'as mounts of object stores have none; use a local disk or NFS',
    ],
  ] as const)('%s', async (_, syscall, code, reason) => {
    const folder = newFolder()
    const fail = () => {
      throw Object.assign(new Error(code), { code, syscall })
    }
    const failing: Disk = {
      ...nodeDisk,
      ...(syscall === 'link' && { link: fail }),
      open: (path, mode) => ({
        ...nodeDisk.open(path, mode),
        ...(syscall === 'write' && { write: fail }),
      }),
    }
    const ledger = await openLedger({ folder, target, clock, disk: failing })
    await expect(ledger.intend([intentOf('a')])).rejects.toMatchObject({
      code: 'ledger_not_writable',
      message: expect.stringContaining(reason),
    })
    await ledger.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it.runIf(existsSync('/proc/self'))('reports a folder that cannot be created', async () => {
    await expect(open('/proc/none/uploads')).rejects.toMatchObject({
      code: 'ledger_not_writable',
      message: 'The upload ledger cannot be written: /proc/none/uploads: a folder cannot be created there.',
    })
  })

  it('keeps a separate ledger for each project and each service', async () => {
    const folder = newFolder()
    const ledger = await open(folder)
    await ledger.intend([intentOf('a')])
    await ledger.release()
    for (const other of [
      { ...target, baseUrl: 'https://other.test/v1' },
      { ...target, project: target.project.replace('6', '7') },
    ]) {
      const apart = await openLedger({ folder, target: other, clock })
      expect(apart.unresolved()).toEqual([])
      await apart.release()
    }
    const same = await openLedger({ folder, target: { ...target, baseUrl: `${target.baseUrl}/` }, clock })
    expect(same.unresolved()).toHaveLength(1)
    await same.release()
  })
})

describe('the ledger of a shard', () => {
  it('reads the stored uploads of other shards, and leaves their unknown results to them', async () => {
    const folder = newFolder()
    const items = Array.from({ length: 40 }, (_, i) => intentOf(`w${i}`))
    const [first, second] = await Promise.all([open(folder, { index: 0, of: 2 }), open(folder, { index: 1, of: 2 })])
    const [evens, odds] = [0, 1].map((index) => items.filter(({ content }) => shardFor(content, 2) === index))
    if (!evens || !odds) throw new Error('no items')
    await Promise.all([first.intend(evens), second.intend(odds)])
    for (const { key } of evens.slice(1)) first.close(key, { event: 'done', id: `tr_${key}`, status: 'queued' })
    await Promise.all([first.release(), second.release()])
    expect(readdirSync(folder).map((name) => name.slice(49))).toEqual(['1-of-2.jsonl', '2-of-2.jsonl'])

    const again = await open(folder, { index: 1, of: 2 })
    expect(again.unresolved()).toHaveLength(odds.length)
    expect(evens.map((each) => again.stateOf(each)?.state)).toEqual(['open', ...evens.slice(1).map(() => 'done')])
    await again.release()
    const whole = await open(folder)
    expect(whole.unresolved()).toHaveLength(odds.length + 1)
    for (const { key } of whole.unresolved()) whole.close(key, { event: 'absent' })
    await whole.release()
    const later = await open(folder, { index: 1, of: 2 })
    expect(later.unresolved()).toEqual([])
    await later.release()
  })
})
