import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLedger } from '../../../packages/bulk/src/ledger/index.js'
import { createLedger } from './uploads-shell.js'

describe('svc uploads list', () => {
  it('lists the uploads, newest first, as TSV in a pipe and as a table on a terminal', async () => {
    const { svc, keys, id } = await createLedger()
    const { code, out } = await svc(['uploads', 'list'])
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect([code, rows.map(([state]) => state)]).toEqual([0, ['unknown', 'unsent', 'refused', 'done', 'open']])
    expect(rows[3]).toEqual([
      ...[
        'done',
        id,
        '1',
        'the done \\x1b[31mone',
        'conversations.jsonl record 2',
        '2026-01-01T00:00:05.000Z',
        keys.done,
      ],
    ])
    const table = await svc(['uploads', 'list', '--limit', '2'], { tty: true })
    expect(table.out.split('\n')[0]).toMatch(/^STATE +ID +TURNS +NAME +FROM +AT +KEY/)
    expect(table.err).toBe('2 of 5 items; --all shows the rest\n')
  })

  it('gives one JSON object a line, of one state or project where that is asked', async () => {
    const { svc, keys, project } = await createLedger()
    const { out, lines } = await svc(['uploads', 'list', '--state', 'unknown', '--project', project, '--json'])
    expect(lines()).toMatchObject([
      {
        schema: 'svc/upload-item@1',
        state: 'unknown',
        key: keys.unknown,
        id: null,
        candidates: ['tr_8', 'tr_9'],
        project,
      },
      { schema: 'svc/uploads-summary@1', total: 1, shown: 1 },
    ])
    expect(out).not.toContain('\u001b')
    const other = await svc(['uploads', 'list', '--project', 'hp-0', '--json'])
    expect([other.json(), other.err]).toEqual([{ schema: 'svc/uploads-summary@1', total: 0, shown: 0 }, 'no items\n'])
    const some = await svc(['uploads', 'list', '--limit', '2', '--json'])
    expect(some.lines().at(-1)).toMatchObject({ total: 5, shown: 2 })
  })

  it('pages as every list does: --limit is the length of a page, --max-items the most items', async () => {
    const { svc } = await createLedger()
    const keysOf = async (...flags: string[]) => {
      const { lines, err } = await svc(['uploads', 'list', '--json', ...flags])
      return { keys: lines().flatMap(({ key }) => key ?? []), err }
    }
    const { keys: all } = await keysOf('--all')
    expect(all).toHaveLength(5)
    expect((await keysOf('--limit', '2', '--page', '2')).keys).toEqual(all.slice(2, 4))
    expect((await keysOf('--limit', '2', '--max-items', '3')).keys).toEqual(all.slice(0, 3))
    expect((await keysOf('--all', '--max-items', '4')).keys).toEqual(all.slice(0, 4))
    expect((await keysOf('--limit', '500')).keys).toEqual(all)
    expect((await keysOf('--page', '2')).err).toBe('page 2 is past the last of 5 items\n')
    expect((await svc(['uploads', 'list', '--page', '2', '--max-items', '3'])).code).toBe(2)
  })

  it('shows the runs with the results of each', async () => {
    const { svc } = await createLedger()
    const { lines } = await svc(['uploads', 'list', '--runs', '--json'])
    expect(lines()).toMatchObject([
      {
        schema: 'svc/upload-run@1',
        sent: 5,
        done: 1,
        refused: 1,
        unsent: 1,
        unknown: 1,
        started_at: '2026-01-01T00:00:00.000Z',
      },
      { schema: 'svc/uploads-summary@1', total: 1, shown: 1 },
    ])
  })

  it('notes that a folder is not there, which would look like one without uploads', async () => {
    const { run } = await createLedger()
    const { code, out, err } = await run(['uploads', 'list', '--ledger', 'typo'])
    expect([code, out, err]).toEqual([0, '', expect.stringContaining('note: typo: there is no ledger yet')])
  })

  it('svc uploads list needs a home, or a folder that is named', async () => {
    const { run, folder } = await createLedger()
    expect(await run(['uploads', 'list'], { env: { SVC_STATE_DIR: undefined } })).toMatchObject({
      code: 3,
      err: expect.stringContaining('--ledger DIR'),
    })
    expect((await run(['uploads', 'list', '--ledger', folder])).out).not.toBe('')
    expect((await run(['uploads', 'list', '--ledger', 'state/uploads', '--quiet'])).err).toBe('')
    expect(
      (await run(['uploads', 'list'], { env: { SVC_STATE_DIR: undefined, HOME: join(folder, 'nobody') } })).err,
    ).toBe('no items\n')
  })
})

describe('svc uploads', () => {
  it('reports the problem and the place of a damaged ledger', async () => {
    const { svc, folder } = await createLedger()
    const [name = ''] = readdirSync(folder)
    appendFileSync(join(folder, name), 'damage\n')
    expect(await svc(['uploads', 'list'])).toMatchObject({ code: 3, err: expect.stringContaining(`${name}:11 is not`) })
    rmSync(join(folder, name))
    mkdirSync(join(folder, name))
    const { code, err } = await svc(['uploads', 'list'])
    expect([code, err]).toEqual([3, expect.stringContaining('it is a folder')])
  })
})

describe('svc uploads show', () => {
  it('shows an item by the beginning of its key or by its id, with all that happened to it', async () => {
    const { svc, keys, id } = await createLedger()
    const shown = (await svc(['uploads', 'show', keys.done.slice(0, 8), '--json'])).json()
    expect(shown).toMatchObject({ key: keys.done, ids: [id], events: [{ event: 'intent' }, { event: 'done', id }] })
    const { out } = await svc(['uploads', 'show', id])
    expect(out).toContain(`key\t${keys.done}\n`)
    expect(out).toMatch(new RegExp(`event\tdone\t2026-01-01T00:00:05.000Z\t${id}\tqueued\n$`))
    expect(out).not.toContain('\u001b')
  })

  it('exits 5 for an unknown item, and 2 for an ambiguous one', async () => {
    const { svc, keys, id, folder, target, clock } = await createLedger()
    expect((await svc(['uploads', 'show', 'zz'])).code).toBe(5)
    const ledger = await openLedger({ folder, target, clock })
    ledger.close(keys.unsent, { event: 'done', id })
    await ledger.release()
    expect(await svc(['uploads', 'show', id])).toMatchObject({ code: 2, err: expect.stringContaining(keys.unsent) })
  })

  it.each([['show'], ['retry'], ['forget', '--yes']])('refuses an empty word: %s', async (...words) => {
    const { svc } = await createLedger()
    expect(await svc(['uploads', ...words, ''])).toMatchObject({
      code: 2,
      err: expect.stringContaining('A key must not be empty.'),
    })
  })
})

describe('svc uploads reconcile', () => {
  it('reconciles open items, and exits 10 while one stays unknown', async () => {
    const { svc, clock, keys, store } = await createLedger()
    const first = store('unknown')
    const second = store('unknown')
    const unsettled = await clock.until(svc(['uploads', 'reconcile', '--json']))
    expect(unsettled.code).toBe(10)
    expect(unsettled.lines()).toMatchObject([
      { schema: 'svc/upload-reconciled@1', key: keys.unknown, result: 'unknown', candidates: [second, first] },
      { key: keys.open, result: 'unsent' },
      { schema: 'svc/reconcile-summary@1', done: 0, unsent: 1, unknown: 1, open: 0, other_addresses: 0 },
    ])
    expect(unsettled.err).toContain('some uploads may still arrive; searching again in 75 s')
    expect(unsettled.err).toContain('0 stored, 1 not stored, 1 unknown\n')
    const again = await svc(['uploads', 'reconcile'])
    expect([again.code, again.out.split('\t')[0]]).toEqual([10, 'unknown'])
  })

  it('is named after an upload of something else, while earlier uploads may be stored', async () => {
    const { svc, clock } = await createLedger()
    const files = { 'other.json': { messages: [{ role: 'user', content: 'hi' }] } }
    const { code, err } = await clock.until(svc(['upload', 'other.json'], { files }))
    expect(code).toBe(0)
    expect(err).toContain('2 of earlier runs possibly stored, not in this input: run `svc uploads reconcile`')
  })

  it('exits 0 when everything is reconciled, and then has nothing to do', async () => {
    const { svc, clock, store } = await createLedger()
    const id = store('unknown')
    const { code, out, err } = await clock.until(svc(['uploads', 'reconcile']))
    expect([code, out.includes(`done\t${id}\t`)]).toEqual([0, true])
    expect(err).toContain('run the same upload again')
    expect(await svc(['uploads', 'reconcile'])).toMatchObject({ code: 0, out: '', err: 'nothing to reconcile\n' })
  })

  it('leaves the uploads to another service unchanged', async () => {
    const { svc } = await createLedger()
    const env = { SVC_PUBLIC_BASE_URL: 'https://other.test/v1' }
    const { code, err, json } = await svc(['uploads', 'reconcile', '--json'], { env })
    expect([code, err]).toEqual([0, expect.stringContaining('left as they are: 2 items sent to https://svc.test')])
    expect(json()).toEqual({
      ...{ schema: 'svc/reconcile-summary@1', done: 0, unsent: 0, unknown: 0, open: 0, other_addresses: 2 },
      ...{ identified: 0, ambiguous: 0 },
    })
  })
})

describe('svc uploads retry', () => {
  it('marks unknown or refused items, and none if one of them is stored or open', async () => {
    const { svc, keys, id, folder, target, clock } = await createLedger()
    for (const other of [keys.done, keys.open, id]) {
      expect(await svc(['uploads', 'retry', keys.refused, other])).toMatchObject({ code: 3, out: '' })
    }
    expect((await svc(['uploads', 'list', '--state', 'refused', '--quiet'])).out).toBe(`${keys.refused}\n`)
    const { code, err, lines } = await svc(['uploads', 'retry', keys.refused, keys.unknown.slice(0, 6), '--json'])
    expect([code, err]).toEqual([0, '2 items will be sent again by the next upload of the same input\n'])
    expect(lines()).toMatchObject([
      { state: 'unsent' },
      { state: 'unsent' },
      { schema: 'svc/uploads-change-summary@1', total: 2, changed: 2 },
    ])
    const ledger = await openLedger({ folder, target, clock })
    expect(ledger.unresolved().map(({ key }) => key)).toEqual([keys.open])
    await ledger.release()
  })
})

describe('svc uploads forget', () => {
  it('asks on a terminal, and needs --yes elsewhere', async () => {
    const { svc, keys } = await createLedger()
    expect(await svc(['uploads', 'forget', keys.done])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    })
    expect((await svc(['uploads', 'forget'])).code).toBe(2)
    expect((await svc(['uploads', 'forget', keys.done, '--all', '--yes'])).code).toBe(2)
    expect(await svc(['uploads', 'forget', keys.done, '--yes'])).toMatchObject({ code: 0, err: '1 item forgotten\n' })
    expect((await svc(['uploads', 'list', '--all', '--json'])).lines().at(-1)).toMatchObject({ total: 4 })
    const all = await svc(['uploads', 'forget', '--all', '--yes', '--json'])
    expect(all.lines()).toHaveLength(5)
    expect(all.lines().at(-1)).toEqual({ schema: 'svc/uploads-change-summary@1', total: 4, changed: 4 })
    expect((await svc(['uploads', 'list'])).err).toBe('no items\n')
  })
})

describe('svc uploads rebuild', () => {
  it('brings a lost ledger back from the stamps at the service', async () => {
    const { svc, keys, id, folder, store } = await createLedger()
    const open = store('open')
    rmSync(folder, { recursive: true })
    const { code, err, json } = await svc(['uploads', 'rebuild', '--json'])
    expect([code, err]).toEqual([0, '2 transcripts of the project, 2 with a stamp; 2 added to the ledger\n'])
    expect(json()).toMatchObject({ schema: 'svc/uploads-rebuilt@1', seen: 2, stamped: 2, added: 2 })
    const listed = (await svc(['uploads', 'list', '--json'])).lines().slice(0, -1)
    expect(listed.map(({ key }) => key)).toEqual(expect.arrayContaining([keys.done, keys.open]))
    expect(listed.map((each) => each.id).sort()).toEqual([id, open].sort())
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.jsonl$/)])
  })

  it('says how many transcripts are further copies of an upload, also if the ledger knows them', async () => {
    const { svc, store } = await createLedger()
    store('done')
    for (const added of [1, 0]) {
      const { code, err, json } = await svc(['uploads', 'rebuild', '--json'])
      expect([code, json()]).toMatchObject([0, { seen: 2, added, copies: 1 }])
      expect(err).toContain('stored more than once: 1 transcript beyond the first of each upload;')
    }
  })

  it('restores forgotten items', async () => {
    const { svc, keys } = await createLedger()
    await svc(['uploads', 'forget', keys.done, '--yes'])
    const { code, err } = await svc(['uploads', 'rebuild'])
    expect([code, err]).toEqual([0, expect.stringContaining('1 added to the ledger')])
    expect((await svc(['uploads', 'show', keys.done, '--json'])).json()).toMatchObject({ state: 'done' })
  })
})
