import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const annotator = ['--annotator', 'structural']

describe('svc check', () => {
  it.each([
    [
      ['--report', 'md=a.md', '--report', 'junit=./a.md'],
      '--report md=a.md and --report junit=./a.md are the same file.',
    ],
    [
      ['--baseline', 'b.json', '--report', 'json=./b.json'],
      'the baseline and --report json=./b.json are the same file.',
    ],
    [['--cache', 'c', '--report', 'json=conversations/../c'], 'the cache and --report json=conversations/../c are'],
    [['--report', 'json=svc.checks.json'], 'the policy and --report json=svc.checks.json are the same file.'],
  ])('svc check with %j refuses two things in one file, and asks nothing', async (flags, said) => {
    const shell = scriptedShell()
    const { code, err } = await shell.check(['strong'], flags, { files: { 'svc.checks.json': {} } })
    expect([code, err, shell.asked]).toEqual([2, expect.stringContaining(said), []])
  })

  it('leaves its own files out, and names them', async () => {
    const shell = scriptedShell()
    const own = ['--baseline', 'baseline.json', '--cache', 'cache', '--report', 'json=out/check.json']
    const sarif = ['--report', 'sarif=out/sarif.json', '--policy', 'ci/strict.json']
    const files = {
      'conversation.json': conversation('strong'),
      'ci/strict.json': { failOn: 'poor' },
      'svc.checks.json': {},
    }
    const argv = ['check', '.', ...annotator, ...own, ...sarif]
    await shell.svc([...argv, '--update-baseline'], { files })
    const again = await shell.svc(argv)
    expect([again.code, again.err]).toEqual([0, expect.stringMatching(/^note: 6 files of svc skipped: .*\n$/)])
    expect(JSON.parse(readFileSync(join(shell.cwd, 'out/check.json'), 'utf8'))).toMatchObject({ total: 1 })
  })

  it('knows its own files of other runs, and does not judge others that hold no transcript', async () => {
    const shell = scriptedShell()
    await shell.check(
      ['strong'],
      ['--baseline', 'b.json', '--update-baseline', '--cache', 'c', '--report', 'json=r.json'],
    )
    const files = {
      'mine.json': { of: 'me' },
      'svc.config.json': {},
      'p.json': { $schema: 'x/svc.checks.schema.json' },
    }
    const { code, err } = await shell.svc(['check', '.', ...annotator, '--no-policy'], { files })
    expect([code, err]).toEqual([101, expect.stringContaining('note: 5 files of svc skipped: ')])
  })

  it('ends with 2 if a folder contains only files of svc', async () => {
    const shell = scriptedShell()
    const { code } = await shell.svc(['check', '.', ...annotator], { files: { 'svc.checks.json': {} } })
    expect([code, shell.asked]).toEqual([2, []])
  })
})
