import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { calm } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'

const annotator = ['--annotator', 'structural']

/** A shell with two transcripts, one of them also behind a link and a hard link. */
async function shellWithInputs() {
  const shell = createShell()
  await shell.svc(['convert', 't', '--detect'], { files: { 't/01.json': calm, 't/02.json': calm } })
  symlinkSync(join(shell.cwd, 't/01.json'), join(shell.cwd, 'link.json'))
  linkSync(join(shell.cwd, 't/01.json'), join(shell.cwd, 'hard.json'))
  symlinkSync(join(shell.cwd, 't'), join(shell.cwd, 'u'))
  return {
    ...shell,
    /** Runs a command, which must leave every file as it is. */
    async refused(argv: string[]) {
      const before = readdirSync(shell.cwd).sort()
      const { code, err } = await shell.svc(argv)
      expect(readFileSync(join(shell.cwd, 't/01.json'), 'utf8')).toBe(calm)
      expect(readdirSync(shell.cwd).sort()).toEqual(before)
      return { code, err }
    },
  }
}

describe('a file that is an input', () => {
  it.each(['t/01.json', './t/../t/01.json', 'u/01.json', 'link.json', 'hard.json'])(
    'a file that is an input is not overwritten by a report, baseline or cache named %s',
    async (place) => {
      const { refused } = await shellWithInputs()
      for (const flags of [
        ['--report', `html=${place}`],
        ['--report', 'json=new.json', '--report', `junit=${place}`],
        ['--cache', place],
        ['--baseline', place, '--update-baseline'],
      ]) {
        for (const paths of [['t'], ['t/01.json'], ['t/01.json', 'gone.json']]) {
          const { code, err } = await refused(['check', ...paths, ...annotator, ...flags])
          expect([code, err]).toEqual([2, expect.stringContaining('is the input t/01.json')])
        }
      }
    },
  )

  it('a file that is an input is not overwritten by --rejects, --out or a ledger', async () => {
    const { refused, cwd, project, svc, server } = await shellWithInputs()
    const rejects = ['--continue-on-invalid', '--rejects', 'link.json']
    expect((await refused(['upload', 't', ...rejects])).code).toBe(2)
    expect((await refused(['convert', 't', '--out', 'u/01.json', '--force'])).code).toBe(2)
    await svc(['upload', 't/02.json', '--ledger', 'probe'])
    const ledger = readdirSync(join(cwd, 'probe')).find((name) => name.startsWith(project) && name.endsWith('.jsonl'))
    mkdirSync(join(cwd, 'ledger'))
    symlinkSync(join(cwd, 't/01.json'), join(cwd, 'ledger', ledger ?? ''))
    const sent = server.requests.length
    expect((await refused(['upload', 't', '--ledger', 'ledger'])).code).toBe(2)
    expect(server.requests).toHaveLength(sent)
  })

  it.each([
    ['--options', 'o.json', '{"depth":1}'],
    ['--config', 'c.json', '{"schema":"svc/config@1","profiles":{}}'],
  ])('a file that is an input is not overwritten by a report where %s names it', async (flag, name, content) => {
    const { refused, svc, cwd } = await shellWithInputs()
    await svc(['convert', 't', '--detect'], { files: { [name]: content } })
    const { code, err } = await refused(['check', 't', ...annotator, flag, name, '--report', `md=./${name}`])
    expect([code, err]).toEqual([2, expect.stringContaining(`--report md=./${name} are the same file`)])
    expect(readFileSync(join(cwd, name), 'utf8')).toBe(content)
  })

  it('a file that is an input is not overwritten by the comparison of two reports', async () => {
    const { refused, svc, cwd } = await shellWithInputs()
    expect((await svc(['check', 't', ...annotator, '--report', 'json=r.json'])).code).toBe(0)
    const report = readFileSync(join(cwd, 'r.json'), 'utf8')
    const { code, err } = await refused(['report', 'compare', 'r.json', 'r.json', '--report', 'md=./r.json'])
    expect([code, err]).toEqual([2, expect.stringContaining('r.json and --report md=./r.json are the same file')])
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(report)
    expect((await refused(['report', 'merge', 'r.json', '--report', 'json=r.json'])).code).toBe(2)
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(report)
  })

  it('a file that is an input may not be reached by two names in one run', async () => {
    const { refused } = await shellWithInputs()
    const { code, err } = await refused([
      'check',
      't/02.json',
      ...annotator,
      '--report',
      'md=u/new.md',
      '--report',
      'json=t/new.md',
    ])
    expect([code, err]).toEqual([2, expect.stringContaining('are the same file')])
  })

  it('does not count files that svc itself wrote into the folder', async () => {
    const { svc } = await shellWithInputs()
    const reports = ['json=t/r.json', 'html=t/page.json', 'junit=t/junit.json', 'sarif=t/sarif.json', 'md=t/md.json']
    const argv = ['check', 't', ...annotator, ...reports.flatMap((each) => ['--report', each])]
    const more = ['--cache', 't/cache', '--baseline', 't/base.json', '--update-baseline']
    expect((await svc([...argv, ...more])).code).toBe(0)
    const again = await svc([...argv, ...more])
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('files of svc skipped')])
  })
})
