import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const transcripts = ['one', 'two'].map((content) => ({ name: content, turns: [{ role: 'user', content }] }))

/** A ledger of two uploads, of which only so many bytes are left. */
async function damagedLedger(left: 'nothing' | 'half of the first line' | 'the first line', ...flags: string[]) {
  const shell = createShell()
  const upload = () => shell.svc(['upload', 'two.json', ...flags])
  const first = await shell.svc(['upload', 'two.json', ...flags], { files: { 'two.json': transcripts } })
  expect(first.code).toBe(0)
  const folder = join(shell.cwd, '.state', 'uploads')
  const [name = ''] = readdirSync(folder)
  const file = join(folder, name)
  const header = readFileSync(file).indexOf(10) + 1
  truncateSync(file, { nothing: 0, 'half of the first line': 20, 'the first line': header }[left])
  const stored = () => shell.server.world.transcripts(shell.project).length
  return { ...shell, upload, file, stored }
}

describe('a ledger that lost its entries', () => {
  it.each(['nothing', 'half of the first line', 'the first line'] as const)(
    'a ledger that lost its entries is refused with both ways out if %s is left, and nothing is sent',
    async (left) => {
      const { svc, upload, file, stored, project } = await damagedLedger(left)
      for (const { code, err } of [await upload(), await svc(['uploads', 'list'])]) {
        expect([code, err]).toEqual([3, expect.stringContaining(`${file} has no entries`)])
        const which = `--ledger ${dirname(file)} --project ${project}`
        expect(err).toContain(`svc uploads rebuild ${which}`)
        expect(err).toContain(`svc uploads forget --all ${which}`)
      }
      expect(stored()).toBe(2)
    },
  )

  it('a ledger that lost its entries is restored from the stamps at the service, so that nothing is sent again', async () => {
    const { svc, upload, project, stored } = await damagedLedger('nothing')
    expect(await svc(['uploads', 'rebuild', '--project', project])).toMatchObject({ code: 0 })
    expect(await upload()).toMatchObject({ code: 0 })
    expect(stored()).toBe(2)
  })

  it('a ledger that lost its entries has the transcripts without a stamp after a rebuild, which are not sent again', async () => {
    const { svc, upload, file, stored } = await damagedLedger('the first line', '--no-stamp')
    expect(await svc(['uploads', 'rebuild'])).toMatchObject({ code: 0 })
    expect(readdirSync(dirname(file))).toEqual([basename(file).replace('.jsonl', '.g2.jsonl')])
    expect(await upload()).toMatchObject({ code: 0 })
    expect(stored()).toBe(2)
  })

  it('stays damaged when the service cannot be asked for a rebuild', async () => {
    const { svc, upload } = await damagedLedger('nothing')
    const io = { fetch: async () => Response.json({}, { status: 401 }) }
    expect(await svc(['uploads', 'rebuild'], { io })).toMatchObject({ code: 4 })
    expect(await upload()).toMatchObject({ code: 3 })
  })

  it('a ledger that lost its entries is restored for every shard', async () => {
    const { svc, upload, stored } = await damagedLedger('the first line', '--shard', '1/1')
    expect(await upload()).toMatchObject({ code: 3 })
    expect(await svc(['uploads', 'rebuild'])).toMatchObject({ code: 0 })
    expect(await upload()).toMatchObject({ code: 0 })
    expect(stored()).toBe(2)
  })

  it('a ledger that lost its entries is removed by forget --all once that is confirmed', async () => {
    const { svc, upload, file, stored, project } = await damagedLedger('nothing')
    const refused = await svc(['uploads', 'forget', '--all'])
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('Confirmation required to forget 1 damaged ledger. Add --yes.'),
    ])
    expect(refused.err).toContain(file)
    const other = await svc(['uploads', 'forget', '--all', '--project', 'hp-other', '--yes'])
    expect([other.code, existsSync(file)]).toEqual([0, true])
    const { code, err } = await svc(['uploads', 'forget', '--all', '--project', project, '--yes'])
    expect([code, err, existsSync(file)]).toEqual([
      0,
      expect.stringContaining(`removed the damaged ledger ${file}`),
      false,
    ])
    expect(await upload()).toMatchObject({ code: 0 })
    expect(stored()).toBe(4)
  })
})
