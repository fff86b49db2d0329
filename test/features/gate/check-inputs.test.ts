import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { calm } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'

const annotator = ['--annotator', 'structural']

interface Case {
  path: string
  result: string
  gap: { why: string; detail: string } | null
}

/** A shell in a folder with these files and links, and the JSON report of a check in it. */
function folder(files: Record<string, unknown>, links: Record<string, string> = {}) {
  const shell = createShell()
  for (const [path, content] of Object.entries(files)) write(shell.cwd, path, content)
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(shell.cwd, path)), { recursive: true })
    symlinkSync(target, join(shell.cwd, path))
  }
  return {
    ...shell,
    async check(...argv: string[]) {
      const { code, err, out } = await shell.svc(['check', ...argv, ...annotator, '--json'])
      const { cases = [], ...report } = JSON.parse(out) as { cases?: Case[] } & Record<string, unknown>
      const gaps = Object.fromEntries(cases.flatMap(({ path, gap }) => (gap ? [[path, gap.why]] : [])))
      return { code, err, report, cases, paths: cases.map(({ path }) => path), gaps }
    },
  }
}

function write(cwd: string, path: string, content: unknown) {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content))
}

describe('svc check counts as not judged', () => {
  const bad = {
    't/broken.json': '{"turns": [',
    't/empty.json': '',
    't/other.json': { some: 'thing' },
    't/silent.json': { turns: [] },
    't/lines.jsonl': `${calm}\n{"messages": [\n`,
  }

  it('files that cannot be read, are empty or hold no transcript, and names them in every report', async () => {
    const { check, svc, cwd } = folder({ 't/good.json': calm, ...bad })
    const { code, report, cases, gaps } = await check('t')
    expect([code, report]).toMatchObject([101, { total: 7, judged: 2, verdict: 'not judged' }])
    expect(gaps).toEqual({
      't/broken.json': 'unreadable',
      't/empty.json': 'no transcript',
      't/other.json': 'no transcript',
      't/silent.json': 'unreadable',
      't/lines.jsonl': 'unreadable',
    })
    expect(cases.filter(({ path }) => path === 't/lines.jsonl')).toMatchObject([
      { record: 1, result: 'passed' },
      { record: 2, line: 2, result: 'not judged' },
    ])
    const reports = ['junit=r.xml', 'sarif=r.sarif', 'md=r.md', 'html=r.html', 'json=r.json']
    const { out } = await svc(['check', 't', ...annotator, ...reports.flatMap((each) => ['--report', each])])
    const github = await svc(['check', 't', ...annotator, '--report', 'github'])
    const texts = ['xml', 'sarif', 'md', 'html', 'json'].map((id) => readFileSync(join(cwd, `r.${id}`), 'utf8'))
    for (const text of [...texts, out, github.out]) for (const path of Object.keys(bad)) expect(text).toContain(path)
  })

  it('99 unreadable files beside a good one, of which 90 % may not be judged by request only', async () => {
    const files = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`t/${n}.json`, '{']))
    const { check } = folder({ 't/good.json': calm, ...files })
    expect(await check('t')).toMatchObject({ code: 101, report: { total: 100, judged: 1 } })
    expect(await check('t', '--min-judged', '1%')).toMatchObject({ code: 0, report: { total: 100, judged: 1 } })
  })

  it('a folder or file that exists and cannot be opened', async () => {
    const { svc } = folder({ 't/a.json': calm, 't/b.json': calm })
    const denied = async () => await Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }))
    for (const [io, paths] of [
      [{ openFile: denied }, ['t/a.json', 't/b.json']],
      [{ readDirectory: denied }, ['t']],
    ] as const) {
      const { code, json } = await svc(['check', 't', ...annotator, '--json'], { io })
      const gap = { why: 'unreadable', detail: expect.stringContaining('EACCES') }
      expect([code, json().cases]).toMatchObject([101, paths.map((path) => ({ path, gap }))])
    }
  })

  it('standard input without a transcript', async () => {
    const { svc } = folder({})
    const { code, json } = await svc(['check', '-', ...annotator, '--json'], { stdin: '' })
    expect([code, json()]).toMatchObject([101, { cases: [{ path: '-', gap: { why: 'no transcript' } }] }])
  })

  it('sends no request if it can read nothing', async () => {
    const { check, server } = folder({ 't/a.json': '{', 't/b.json': '' })
    expect(await check('t')).toMatchObject({ code: 101, report: { total: 2, judged: 0 } })
    expect(server.requests).toHaveLength(0)
  })

  it('reports inputs that cannot be judged also in a dry run', async () => {
    const { svc } = folder({ 't/good.json': calm, 't/bad.json': '{' })
    const { code, err } = await svc(['check', 't', ...annotator, '--dry-run'])
    expect([code, err]).toEqual([101, expect.stringContaining('t/bad.json:1:2 unreadable: ')])
  })

  it('ends with 3 for a missing path, and with 2 without candidates', async () => {
    const { check } = folder({ 't/good.json': calm, 'notes/readme.md': '', 'own/svc.checks.json': '{}' })
    for (const path of ['gone.json', 't/good.json/x', 'gone/'])
      expect((await check('t', path, '--no-policy')).code).toBe(3)
    for (const path of ['notes', 'own', 't/*.csv']) expect((await check(path, '--no-policy')).code).toBe(2)
    expect((await check('t', '--exclude', 't')).code).toBe(2)
  })
})

describe('svc check', () => {
  it('skips the files of --exclude, the policy and !pattern, and reports it', async () => {
    const files = { 't/a.json': calm, 't/bad.json': '{', 't/old/b.json': '{', 't/c.draft.json': '{' }
    const { check, cwd } = folder({ ...files, 'x.json': calm })
    const excluded = ['--exclude', 't/old/**', '--exclude', '*.draft.json']
    const flags = await check('t', '!t/bad.json', ...excluded)
    expect([flags.code, flags.paths]).toEqual([0, ['t/a.json']])
    expect(flags.err).toContain('3 paths excluded: t/bad.json, t/c.draft.json, t/old')
    expect(flags.report.left_out).toEqual([
      { why: 'excluded', count: 3, paths: ['t/bad.json', 't/c.draft.json', 't/old'] },
    ])
    write(cwd, 'svc.checks.json', { paths: ['t', '!t/bad.json'], exclude: ['t/old', '*.draft.json'] })
    expect(await check()).toMatchObject({ code: 0, paths: ['t/a.json'] })
    expect((await check('t', '--exclude', 'x/[')).code).toBe(2)
  })

  it('no file of a name that begins with !', async () => {
    const { check } = folder({ '!a.json': calm, 'a.json': calm })
    expect((await check('!a.json', 'a.json')).paths).toEqual(['!a.json', 'a.json'])
  })

  it('hidden and other files, which are named and no gaps', async () => {
    const { check } = folder({ 't/a.json': calm, 't/.b.json': '{', 't/.git/c.json': '{', 't/read.me': 'x' })
    const { code, err, report } = await check('t')
    expect(code).toBe(0)
    expect(err).toContain('note: 2 hidden skipped: t/.b.json, t/.git\n')
    expect(err).toContain('note: 1 other file skipped: t/read.me\n')
    expect(report.left_out).toMatchObject([
      { why: 'hidden', count: 2 },
      { why: 'other file', count: 1 },
    ])
  })

  it('companions of an export and files of svc, by their content', async () => {
    const { check } = folder({
      't/a.json': calm,
      't/user.json': { id: 'user-1', email: 'ada@example.com' },
      't/message_feedback.json': [],
      't/b.json': { schema: 'svc/baseline@2', transcripts: [] },
      't/user_settings.json': { hello: 1 },
    })
    const { code, gaps, err } = await check('t')
    expect([code, gaps]).toEqual([101, { 't/user_settings.json': 'no transcript' }])
    expect(err).toContain('note: 2 companion files skipped: t/message_feedback.json, t/user.json\n')
    expect(err).toContain('note: 1 file of svc skipped: t/b.json\n')
  })
})

describe('svc check counts each real file once', () => {
  it('svc check counts each real file once where paths overlap, also in other spellings', async () => {
    const { check, cwd } = folder({ 't/a.json': calm, 't/b.json': calm })
    const { paths } = await check('t', 't/a.json', './t/../t/b.json', join(cwd, 't'), 't/*.json')
    expect(paths).toEqual(['t/a.json', 't/b.json'])
  })

  it('through links inside the folder or its repository, where circles end', async () => {
    const store = { '.git/annex/objects/x/key': calm, '.git/HEAD': '', 'shared/c.json': calm }
    const { check } = folder(
      { 't/a.json': calm, ...store },
      {
        't/annexed.json': '../.git/annex/objects/x/key',
        't/copy.json': 'a.json',
        't/loop': '.',
        't/shared': '../shared',
      },
    )
    const { code, paths } = await check('t')
    expect([code, paths]).toEqual([0, ['t/a.json', 't/annexed.json', 't/shared/c.json']])
  })

  it('svc check counts each real file once and names links that it does not follow, until --follow-links', async () => {
    const { check } = folder(
      { 't/a.json': calm, 'far/b.json': calm, 'more/c.json': calm },
      { 't/b.json': '../far/b.json', 't/more': '../more', 't/gone.json': 'nowhere.json', 't/turn.json': 'turn.json' },
    )
    const { code, gaps } = await check('t')
    expect(code).toBe(101)
    expect(gaps).toEqual({
      't/b.json': 'link not followed',
      't/more': 'link not followed',
      't/gone.json': 'broken link',
      't/turn.json': 'broken link',
    })
    expect((await check('t', '--follow-links')).gaps).toEqual({
      't/gone.json': 'broken link',
      't/turn.json': 'broken link',
    })
    expect((await check('t', 'far', 'more')).gaps).toEqual({
      't/gone.json': 'broken link',
      't/turn.json': 'broken link',
    })
    expect((await check('t/gone.json')).code).toBe(101)
    expect(await check('t/b.json')).toMatchObject({ code: 0, paths: ['t/b.json'] })
  })
})
