import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { angry, calm } from '../../helpers/conversations.js'
import { createShell } from '../../helpers/run-cli.js'

/** A shell in a folder with these files and links, and what a check in it finds. */
function folder(files: Record<string, string>, links: Record<string, string> = {}) {
  const shell = createShell()
  const put = (path: string, make: (place: string) => void) => {
    mkdirSync(dirname(join(shell.cwd, path)), { recursive: true })
    make(join(shell.cwd, path))
  }
  for (const [path, content] of Object.entries(files)) put(path, (place) => writeFileSync(place, content))
  for (const [path, target] of Object.entries(links)) put(path, (place) => symlinkSync(target, place))
  return {
    ...shell,
    async check(...argv: string[]) {
      const { code, err, out } = await shell.svc(['check', '--annotator', 'structural', '--json', '--', ...argv])
      const { cases = [] } = JSON.parse(out) as { cases?: { path: string; gap: { why: string } | null }[] }
      const gaps = Object.fromEntries(cases.flatMap(({ path, gap }) => (gap ? [[path, gap.why]] : [])))
      return { code, err, paths: cases.map(({ path }) => path).sort(), gaps }
    },
  }
}

/** The paths to which bash expands a pattern. */
const expanded = (cwd: string, pattern: string): string[] =>
  execFileSync('bash', ['-O', 'globstar', '-O', 'extglob', '-O', 'nullglob', '-c', `printf '%s\\0' ${pattern}`], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
    .split('\0')
    .filter(Boolean)

describe('svc check', () => {
  it('judges the same files for a pattern as for the paths to which bash expands it', async () => {
    const name = fc.constantFrom('a.json', 'b.json', 'A.json', 'x.log', '.hidden.json', 'a b.jsonl', '!.json', 'notes')
    const files = fc.uniqueArray(fc.tuple(fc.constantFrom('t', 't/s', 't/s/u', 't/.h'), name), { maxLength: 8 })
    const part = fc.constantFrom('*', '**', 's', '?', '[!s]', '.*', '{s,u}', '!(s)')
    const end = fc.constantFrom(
      ...['*', '*.json', '*.log', '[ab].json', '[!a]*', '[[:upper:]]*', '[.]h*', '.*.json', '?.json', '!(a*)'],
      ...['*.{json,log}', '{a,b}*', '[{a,b}].json', '@(a|b).json', '*s', 'a?b.*'],
    )
    let compared = 0
    await fc.assert(
      fc.asyncProperty(files, fc.array(part, { maxLength: 2 }), end, async (files, parts, end) => {
        const { check, cwd } = folder({
          // Each folder holds a transcript, because one that is named and holds none is refused.
          ...Object.fromEntries(['t', 't/s', 't/s/u', 't/.h'].map((each) => [`${each}/0.json`, calm])),
          ...Object.fromEntries(files.map(([at, name], n) => [`${at}/${name}`, n % 3 === 0 ? angry : calm])),
        })
        const pattern = ['t', ...parts, end].join('/')
        const named = expanded(cwd, pattern)
        fc.pre(named.length > 0)
        compared++
        const { err: _, ...byShell } = await check(...named)
        const { err, ...bySvc } = await check(pattern)
        expect(bySvc, `${pattern} ${err}`).toEqual(byShell)
        rmSync(join(cwd, 't'), { recursive: true })
      }),
      { numRuns: 20 },
    )
    expect(compared).toBeGreaterThan(10)
  }, 120_000)

  it('judges a file that the last segment of a pattern matches, whatever its name is', async () => {
    const { check } = folder({ 't/a.json': calm, 't/x.log': angry, 't/README.md': '# Notes' })
    for (const pattern of ['t/*.log', 't/{a.json,x.log}', '**/x.*', 't/[w-z]*'])
      expect(await check(pattern)).toMatchObject({ code: 100, paths: expect.arrayContaining(['t/x.log']) })
    expect(await check('t/*')).toMatchObject({ code: 100, gaps: { 't/README.md': 'unreadable' } })
    expect((await check('t/*', '!*.md', '!t/x.log')).code).toBe(0)
    // A folder holds transcripts by their names.
    expect((await check('t')).paths).toEqual(['t/a.json'])
  })

  it('judges the transcripts in a folder that a pattern matches', async () => {
    const { check } = folder({
      'a/logs/x.json': angry,
      'b/logs/deep/y.json': calm,
      'b/logs/notes.md': '',
      'c.json': '',
    })
    expect(await check('**/logs')).toMatchObject({ code: 100, paths: ['a/logs/x.json', 'b/logs/deep/y.json'] })
    expect(await check('b/*')).toMatchObject({ code: 0, paths: ['b/logs/deep/y.json'] })
  })

  it('refuses a path in braces that does not exist, unless it is a pattern', async () => {
    const { check } = folder({ 't/a.json': calm })
    expect(await check('t/{a,b}.json')).toMatchObject({
      code: 3,
      err: expect.stringContaining('t/b.json: no such file'),
    })
    expect((await check('t/*.{json,jsonl}')).code).toBe(0)
    expect((await check('{t/a,gone/b}*')).code).toBe(0)
    expect(await check(`t/${'{a,b}'.repeat(10)}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('alternatives'),
    })
  })

  it('names the links of a pattern as a folder does: those inside are read, others and dangling ones are not judged', async () => {
    const files = { 't/a/b.json': calm, 'outside/o.json': calm, 'real/r.json': calm }
    const links = {
      't/inside.json': 'a/b.json',
      't/outside.json': '../outside/o.json',
      't/folder': '../real',
      't/gone.json': 'nowhere.json',
      't/circle': '.',
      't/other.txt': 'nowhere.txt',
    }
    const { check } = folder(files, links)
    expect(await check('t/**/*.json')).toMatchObject({
      code: 101,
      gaps: { 't/outside.json': 'link not followed', 't/folder': 'link not followed', 't/gone.json': 'broken link' },
    })
    expect((await check('t/*.json')).gaps).not.toHaveProperty('t/folder')
    expect(Object.values((await check('t/*')).gaps)).toContain('link not followed')
    expect((await check('t/folder/*.json')).code).toBe(0)
  })

  it('refuses a pattern that cannot be read as one', async () => {
    const { check } = folder({ 't/a.json': calm })
    for (const pattern of ['t/*a*b*c*.json', 't/+(a).json', 't/[a.json'])
      expect(await check(pattern)).toMatchObject({ code: 2, err: expect.stringContaining('invalid pattern') })
  })

  it('leaves out no file that a negated class of --exclude does not match', async () => {
    const { svc } = folder({ 't/a.json': angry, 't/b.json': calm })
    const argv = ['check', 't', '--annotator', 'structural', '--exclude']
    expect((await svc([...argv, '[!a].json'])).code).toBe(100)
    expect((await svc([...argv, '[!b].json'])).code).toBe(0)
  })
})

describe('svc upload, annotate and convert', () => {
  it('read a file that the last segment of a pattern matches, whatever its name is', async () => {
    const { svc, project, server } = folder({ 't/a.json': calm, 't/x.log': angry, 't/README.md': '# Notes' })
    const converted = await svc(['convert', 't/*.log', '--to', 'upload'])
    expect([converted.code, converted.out]).toEqual([0, expect.stringContaining('Cancel order 7.')])
    const annotated = await svc(['annotate', 't/{a.json,x.log}', '--annotator', 'structural', '--json'])
    expect([annotated.code, annotated.lines().length]).toEqual([0, 2])
    const uploaded = await svc(['upload', 't/*'])
    expect(uploaded).toMatchObject({ code: 3, err: expect.stringContaining('t/README.md:1:1 ') })
    expect((await svc(['upload', 't/*', '!*.md'])).code).toBe(0)
    expect(server.world.transcripts(project)).toHaveLength(2)
  })
})
