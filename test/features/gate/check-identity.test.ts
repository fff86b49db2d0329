import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckReport } from '@svc/checks'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

describe('the transcripts of a report', () => {
  it('are identified by their messages and an occurrence, and files without one by their bytes, in each report', async () => {
    const shell = scriptedShell()
    const zip = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(60, 7)])
    mkdirSync(join(shell.cwd, 'conversations'), { recursive: true })
    writeFileSync(join(shell.cwd, 'conversations/e.zip'), zip)
    symlinkSync('nowhere', join(shell.cwd, 'conversations/f.json'))
    const lines = [JSON.stringify({ external_id: 'x1', messages: conversation('poor a') }), '{', '{']
    const files = {
      'conversations/a.json': conversation('strong a'),
      'conversations/b.json': { name: 'Other name', messages: conversation('strong a') },
      'conversations/c.json': '{"messages": [',
      'conversations/d.jsonl': lines.join('\n'),
      'conversations/g.json': '{"messages": [',
    }
    const flags = ['--no-cache', '--report', 'json=r.json', '--report', 'sarif=r.sarif']
    expect((await shell.check([], flags, { files })).code).toBe(100)
    const { cases }: CheckReport = JSON.parse(readFileSync(join(shell.cwd, 'r.json'), 'utf8'))
    /** As they were sent. */
    const ofMessages = (words: string) => {
      const sent = shell.bodies.map(({ transcript }) => JSON.stringify(transcript))
      return sha256(sent.find((each) => each.includes(`"${words}"`)) ?? '')
    }
    const broken = sha256('{"messages": [')
    const log = sha256(lines.join('\n'))
    expect(cases.map(({ path, ...each }) => [path.slice(14), each.sha256, each.occurrence])).toEqual([
      ['a.json', ofMessages('strong a'), 1],
      ['b.json', ofMessages('strong a'), 2],
      ['c.json', broken, 1],
      ['d.jsonl', ofMessages('poor a'), 1],
      ['d.jsonl', log, 1],
      ['d.jsonl', log, 2],
      ['e.zip', sha256(zip), 1],
      ['f.json', null, 1],
      ['g.json', broken, 2],
    ])
    expect(cases[3]).toMatchObject({ external_id: 'x1' })
    expect(readFileSync(join(shell.cwd, 'r.sarif'), 'utf8')).toContain(`"sha256":"${ofMessages('poor a')}"`)
  })

  it('refuses a report of an earlier version, whose transcripts have no content', async () => {
    const shell = scriptedShell()
    await shell.check(['poor a'], ['--no-cache', '--report', 'json=r.json'])
    const text = readFileSync(join(shell.cwd, 'r.json'), 'utf8')
    writeFileSync(join(shell.cwd, 'r.json'), text.replace('svc/check@2', 'svc/check@1'))
    for (const argv of [
      ['report', 'merge', 'r.json'],
      ['report', 'compare', 'r.json', 'r.json'],
      ['check', 'conversations', '--annotator', 'structural', '--only-failed', 'r.json'],
    ]) {
      const { code, err } = await shell.svc(argv)
      expect([code, err]).toEqual([
        3,
        expect.stringContaining('found "svc/check@1": another version of svc wrote this'),
      ])
    }
  })
})
