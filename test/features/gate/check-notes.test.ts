import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { angry, calm } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const annotator = ['--annotator', 'structural']

/** A shell in a folder with these files, and the JSON report of a check in it. */
function folder(files: Record<string, string>) {
  const shell = createShell()
  const put = (all: Record<string, string>) => {
    for (const [path, content] of Object.entries(all)) {
      mkdirSync(dirname(join(shell.cwd, path)), { recursive: true })
      writeFileSync(join(shell.cwd, path), content)
    }
  }
  put(files)
  return {
    ...shell,
    put,
    async check(...argv: string[]) {
      const { code, err, json } = await shell.svc(['check', ...argv, ...annotator, '--json'])
      const {
        notes,
        cases = [],
        line,
      } = json() as {
        notes: string[]
        line: string
        cases?: { path: string; gap: unknown }[]
      }
      return { code, err, notes, line, cases, paths: cases.map(({ path }) => path) }
    },
  }
}

describe('svc prints a note, and the reports of svc check list it', () => {
  it.skipIf(platform() === 'win32')('for a pipe or a device in a named folder, which is not read', async () => {
    const { check, svc, cwd } = folder({ 't/a.json': calm })
    execFileSync('mkfifo', [join(cwd, 't/pipe.json'), join(cwd, 't/other')])
    symlinkSync('pipe.json', join(cwd, 't/link.json'))
    symlinkSync('/dev/zero', join(cwd, 't/zero.json'))
    const note = '3 special files not read (a pipe, a socket or a device): t/link.json, t/other, t/pipe.json'
    const zero = note.replace('3', '4').replace('t/pipe.json', 't/pipe.json and 1 more')
    expect(await check('t')).toMatchObject({ code: 0, notes: [zero], err: expect.stringContaining(`note: ${zero}\n`) })
    const { code, err } = await svc(['convert', 't', '--to', 'upload'])
    expect([code, err]).toEqual([0, expect.stringContaining(`note: ${zero}\n`)])
    const matched = await check('t/*.json')
    expect(matched.code).toBe(101)
    expect(matched.cases.filter(({ gap }) => gap)).toMatchObject(
      Array.from({ length: 2 }, () => ({ gap: { why: 'unreadable', detail: 'it is a pipe, a socket or a device' } })),
    )
  })

  it('for an exclusion that matches nothing', async () => {
    const { check, svc, put } = folder({ 't/a.json': calm, 't/old/b.json': angry, 't/x.draft.json': '' })
    const unmatched = ['--exclude', 'drafts', '!gone/**', '--exclude', 't/old', '!*.draft.json']
    const note = '2 patterns of --exclude or "exclude" without a match: drafts, gone/**'
    expect(await check('t', ...unmatched)).toMatchObject({
      ...{ code: 0, notes: [note], err: expect.stringContaining(`note: ${note}\n`) },
    })
    const uploaded = await svc(['upload', 't', ...unmatched])
    expect([uploaded.code, uploaded.err]).toEqual([0, expect.stringContaining(`note: ${note}\n`)])
    put({ 'svc.checks.json': '{"exclude": ["*.tmp", "old"]}' })
    expect((await check('t', '--exclude', 'x.*')).notes).toEqual([
      '1 pattern of --exclude or "exclude" without a match: *.tmp',
    ])
  })

  it('for a policy in a folder below the one that is named, which is not applied', async () => {
    const { check } = folder({
      ...{ 'svc.checks.json': '{"failOn": "critical"}', 't/a.json': calm },
      ...{ 't/sub/svc.checks.json': '{"failOn": "poor"}', 't/sub/b.json': angry, 't/sub/.svc.checks.yml': '' },
    })
    const note = '2 nested policies not applied (a check has one policy): t/sub/.svc.checks.yml, t/sub/svc.checks.json'
    expect(await check('t')).toMatchObject({ code: 0, notes: [note], err: expect.stringContaining(`note: ${note}\n`) })
    expect((await check('t', '--policy', 't/sub/svc.checks.json')).notes).toEqual([
      '1 nested policy not applied (a check has one policy): t/sub/.svc.checks.yml',
    ])
    expect((await check('t/a.json')).notes).toEqual([])
    expect(await check('t/sub')).toMatchObject({ code: 100, err: expect.stringContaining('t/sub/svc.checks.json') })
    const beside = await check('t/sub', 't/a.json')
    expect([beside.code, beside.err]).toEqual([3, expect.stringContaining('The paths have different policies.')])
  })

  it('for a file that looks like a policy and is not read', async () => {
    const { check, put } = folder({ 't/a.json': calm, 't/u/b.json': calm.replace('France', 'Peru') })
    put({ 'svc.checks.yml': 'failOn: strong', 't/svc.checks.json': '{"failOn": "strong"}' })
    const note = /^2 files look like policies, but are not read: svc\.checks\.yml, t\/svc\.checks\.json \(svc reads /
    const { code, notes, err } = await check('t/u')
    expect([code, notes, err]).toEqual([
      0,
      [expect.stringMatching(note)],
      expect.stringContaining('note: 2 files look'),
    ])
    expect((await check('t/u', '--no-policy')).notes).toEqual([])
    put({ 't/u/svc.checks.yml': '', 'svc.checks.yml.bak': '' })
    const below = '1 nested policy not applied (a check has one policy): t/u/svc.checks.yml'
    expect((await check('t/u')).notes).toEqual([expect.stringMatching(note), below])
  })

  it('for a policy by which nothing can fail', async () => {
    const { check } = folder({ 't/a.json': angry })
    const note = 'no transcript can fail: failOn is none, and there is no other rule'
    expect(await check('t', '--fail-on', 'none')).toMatchObject({
      ...{ code: 0, notes: [note], err: expect.stringContaining(`note: ${note}\n`) },
    })
    for (const rule of ['--forbid=x', '--allow=x', '--max-rate=critical=90%', '--indeterminate=fail'])
      expect((await check('t', '--fail-on', 'none', rule)).notes, rule).toEqual([])
  })

  it('for answers of two versions of the annotator', async () => {
    const reported = scriptedShell()
    const fetch: typeof reported.fetch = async (request) => {
      const answer = await reported.fetch(request)
      if (request.url.endsWith('/v1/annotations')) reported.versions.annotator_version = '1.1.0'
      return answer
    }
    const shell = createShell({ ...reported, svc: reported.client(), fetch })
    const files = { 't/a.json': conversation('strong a'), 't/b.json': conversation('strong b') }
    const argv = ['check', 't', ...annotator, '--concurrency=1', '--no-cache', '--json']
    const { code, err, json } = await shell.clock.until(shell.svc(argv, { files }))
    const note =
      'the annotator changed during the run: answers are of annotator version 1.0.0, taxonomy version 1, and of annotator version 1.1.0, taxonomy version 1; run the check again'
    expect([code, json().notes]).toEqual([0, [note]])
    expect(err).toContain(`warning: ${note}\n`)
  })
})

describe('svc check', () => {
  it('does not judge an answer with a negative number of tokens', async () => {
    const reported = scriptedShell()
    const fetch: typeof reported.fetch = async (request) => {
      const answer = await reported.fetch(request)
      if (!request.url.endsWith('/v1/annotations')) return answer
      const usage = { tokens_in: 3, tokens_out: -1, latency_ms: 2 }
      return Response.json({ ...((await answer.json()) as object), usage })
    }
    const shell = createShell({ ...reported, svc: reported.client(), fetch })
    const files = { 't/a.json': calm }
    const { code, json } = await shell.clock.until(shell.svc(['check', 't', ...annotator, '--json'], { files }))
    const detail = '/usage/tokens_out expected a whole number from 0, found a negative number'
    expect([code, json()]).toMatchObject([101, { cases: [{ gap: { why: 'malformed answer', detail } }] }])
  })

  it('calls a file that is cut off by that name, at the place where it ends', async () => {
    const { check, svc } = folder({
      't/a.json': angry.slice(0, 60),
      't/b.jsonl': `${calm}\n${calm.slice(0, 13)}`,
      't/c.json': `[${calm},\n`,
    })
    const { code, cases } = await check('t')
    const details = cases.flatMap(({ gap }) => (gap ? [(gap as { detail: string }).detail] : []))
    const cutOff = (inside: string) => `the JSON ends in the middle of ${inside}: it is cut off`
    expect([code, details]).toEqual([101, [cutOff('a string'), cutOff('an array'), cutOff('an array')]])
    const { err } = await svc(['convert', 't', '--to', 'upload'])
    for (const place of ['t/a.json:2:46', 't/b.jsonl:2:14', 't/c.json:2:1'])
      expect(err).toContain(`${place} the JSON ends`)
  })

  it('passes without a candidate only with --allow-empty, and says so', async () => {
    const { check, svc, cwd } = folder({ 't/notes.md': '', 'u/a.json': angry })
    mkdirSync(join(cwd, 'empty'))
    for (const argv of [['t'], ['empty'], ['*.json'], ['u', '--exclude', 'u'], ['t', 'empty']]) {
      expect((await check(...argv)).code, argv.join()).toBe(2)
      const line = 'passed: no transcripts to judge'
      expect(await check(...argv, '--allow-empty'), argv.join()).toMatchObject({ code: 0, line })
    }
    expect(await check('--allow-empty', '--max-rate', 'poor=5%')).toMatchObject({ code: 0 })
    expect((await check('gone', '--allow-empty')).code).toBe(3)
    expect((await check('t', 'u', '--allow-empty')).code).toBe(100)
    expect((await svc(['check', 't', ...annotator, '--allow-empty', '--dry-run'])).code).toBe(0)
  })

  it('checks the files of a list that the paths name', async () => {
    const { check, put, cwd } = folder({
      't/a.json': calm,
      't/b c.json': angry,
      't/d.json': calm.replace('France', 'Peru'),
      'other/e.json': angry,
      'README.md': '',
    })
    put({
      list: 't/d.json\r\nother/e.json\n\nREADME.md\n',
      'list-0': 't/b c.json\0./t/a.json\0',
      none: '',
      tree: 't\n',
    })
    const listed = await check('t', '--files-from', 'list')
    expect(listed).toMatchObject({ code: 0, paths: ['t/d.json'] })
    expect(listed.err).toContain('note: 2 files not listed by --files-from skipped: t/a.json, t/b c.json\n')
    expect(await check('t', '--files-from', 'list-0')).toMatchObject({ code: 100, paths: ['t/a.json', 't/b c.json'] })
    expect((await check('t', '--files-from', 'tree')).paths).toEqual(['t/a.json', 't/b c.json', 't/d.json'])
    expect((await check('t', '--files-from', 'none')).code).toBe(2)
    expect((await check('t', '--files-from', 'none', '--allow-empty')).code).toBe(0)
    expect((await check('t', '--files-from', 'gone')).code).toBe(3)
    expect((await check('gone', 't', '--files-from', 'list')).code).toBe(3)
    expect((await check('t', '--allow-missing')).code).toBe(2)
    symlinkSync('../other', join(cwd, 't/more'))
    put({ 'list-link': 't/more/e.json\n' })
    expect(await check('t', '--files-from', 'list-link')).toMatchObject({ code: 101, paths: ['t/more'] })
  })

  it('counts a file of a list that does not exist as not judged, unless --allow-missing skips it', async () => {
    const { check, put } = folder({ 't/a.json': calm, list: 't/a.json\nt/gone.json\n' })
    const detail = 'there is no such file, but --files-from list lists it; --allow-missing skips it'
    const missing = await check('t', '--files-from', 'list')
    expect(missing).toMatchObject({ code: 101, paths: ['t/a.json', 't/gone.json'] })
    expect(missing.cases[1]).toMatchObject({ gap: { why: 'unreadable', detail } })
    const notes = ['2 paths do not exist: u, t/gone.json']
    const skipped = await check('u', 't', '--files-from', 'list', '--allow-missing')
    expect(skipped).toMatchObject({ code: 0, paths: ['t/a.json'], notes })
    expect((await check('t', '--files-from', 'list', '--exclude', '*gone*')).code).toBe(0)
    put({ 'only-gone': 't/gone.json' })
    expect((await check('t', '--files-from', 'only-gone')).code).toBe(101)
    expect((await check('t', '--files-from', 'only-gone', '--allow-missing', '--allow-empty')).code).toBe(0)
  })

  it('reads a list as git diff --name-only prints it, with quoted names, also from standard input', async () => {
    const names = [
      't/é.json',
      't/a "b".json',
      't/tab\there.json',
      't/back\\slash.json',
      't/plain.json',
      't/\u{1f600}.json',
    ]
    const { svc, cwd } = folder(Object.fromEntries(names.map((name, at) => [name, calm.replace('France', `${at}`)])))
    const git = (...words: string[]) => execFileSync('git', words, { cwd, encoding: 'utf8' })
    git('init', '-q')
    git('add', '-N', 't')
    const listed = git('diff', '--name-only')
    expect(listed).toContain('"t/a \\"b\\".json"\n')
    for (const stdin of [listed, git('diff', '--name-only', '-z')]) {
      const { json } = await svc(['check', 't', '--files-from', '-', ...annotator, '--json'], { stdin })
      expect(json()).toMatchObject({ verdict: 'passed', judged: names.length, left_out: [] })
    }
  })
})
