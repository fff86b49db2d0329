import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const conversation = (name: string) => ({
  name,
  turns: [
    { role: 'user', content: 'Where is my refund?' },
    { role: 'assistant', content: 'On its way.' },
  ],
})

const names = [
  'A customer asks three times for the refund of a duplicate payment and is passed on',
  '客户多次要求退款，并被转接到另一个部门，最后没有得到任何解决方案，也没有人回复他的邮件',
  'short',
]

const files = Object.fromEntries(names.map((name, i) => [`exports/2026-01/support/${i + 1}.json`, conversation(name)]))

describe.each([60, 80, 140])('on a terminal of %i columns', (columns) => {
  it('the lists and the result of an upload look like this', async () => {
    const { svc, server } = createShell()
    server.world.createProject({ name: '客户支持 – escalations of the second quarter, all regions' })
    const uploaded = await svc(['upload', 'exports/'], { tty: true, columns, files })
    const shown = [`$ svc upload exports/\n${uploaded.out}`]
    for (const command of ['projects list', 'transcripts list', 'uploads list', 'config list --show-origin']) {
      const { code, out } = await svc(command.split(' '), { tty: true, columns })
      expect(code).toBe(0)
      shown.push(`$ svc ${command}\n${out}`)
    }
    await expect(shown.join('\n')).toMatchFileSnapshot(`__snapshots__/tables-${columns}.txt`)
  })
})

it('svc upload of more than 20 transcripts prints its summary only, and a row for each in input order with --show-all', async () => {
  const { svc } = createShell()
  const many = Array.from({ length: 25 }, (_, i) => JSON.stringify(conversation(`no ${i + 1}`))).join('\n')
  const first = await svc(['upload', 'many.jsonl'], { tty: true, files: { 'many.jsonl': many } })
  expect(first.out).toBe('')
  expect(first.err).toMatch(/25 transcripts uploaded to hp-[^\n]+\n--show-all prints a row for each/)
  const { out } = await svc(['upload', 'many.jsonl', '--show-all', '-j', '8'], { tty: true })
  expect(out.match(/no \d+/g)).toEqual(Array.from({ length: 25 }, (_, i) => `no ${i + 1}`))
  const planned = await svc(['upload', 'many.jsonl', '--again', '--dry-run'], { tty: true })
  expect(planned.out.match(/no \d+/g)).toHaveLength(20)
  expect(planned.err).toContain('5 more transcripts; --show-all prints a row for each')
  const quiet = await svc(['upload', 'many.jsonl', '-q'], { tty: true })
  expect([quiet.out.match(/^tr_\S+$/gm)?.length, quiet.err]).toEqual([25, ''])
})

it('--quiet prints ids only, on a terminal and in a pipe', async () => {
  const { svc, project } = createShell()
  for (const tty of [true, false]) {
    const { out, err } = await svc(['upload', 'exports/', '-q', '--again'], { tty, files })
    expect([out.match(/^tr_\S+$/gm)?.length, out.split('\n').length, err]).toEqual([3, 4, ''])
    expect(await svc(['projects', 'list', '-q'], { tty })).toMatchObject({ out: `${project}\n`, err: '' })
  }
})

it('prints a note for an empty list', async () => {
  const { svc } = createShell()
  for (const argv of [
    ['transcripts', 'list'],
    ['uploads', 'list'],
  ]) {
    const { code, out, err } = await svc(argv, { tty: true })
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/^no (transcripts|items)\n$/)
  }
})
