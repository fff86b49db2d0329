import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const update = ['--baseline', 'baseline.json', '--update-baseline']

/** A shell with a baseline of four conversations in two folders. */
async function written() {
  const shell = scriptedShell()
  const files = {
    'a/1.json': conversation('poor one'),
    'a/2.json': conversation('poor two'),
    'b/1.json': conversation('mixed three'),
    'b/2.json': conversation('mixed four'),
  }
  const check = (...argv: string[]) => shell.svc(['check', '--annotator', 'structural', ...argv])
  await shell.svc(['check', '--annotator', 'structural', ...update, 'b', 'a'], { files })
  const paths = () =>
    (
      JSON.parse(readFileSync(join(shell.cwd, 'baseline.json'), 'utf8')) as { transcripts: { path: string }[] }
    ).transcripts.map(({ path }) => path)
  return { ...shell, check, paths, remove: (path: string) => rmSync(join(shell.cwd, path)) }
}

describe('svc check --update-baseline of a part', () => {
  it('keeps entries that it did not check, and reports them', async () => {
    const { check, paths } = await written()
    const { code, err } = await check(...update, 'a')
    expect([code, err]).toEqual([0, 'note: the baseline keeps 2 transcripts outside of what was checked\n'])
    expect(paths()).toEqual(['a/1.json', 'a/2.json', 'b/1.json', 'b/2.json'])
  })

  it('removes entries of deleted files that it checked, and reports them', async () => {
    const { check, paths, remove } = await written()
    remove('a/2.json')
    remove('b/2.json')
    const { err } = await check(...update, 'a')
    expect(err).toBe(
      'note: the baseline keeps 2 transcripts outside of what was checked\nnote: the baseline drops 1 transcript whose content was not found again: a/2.json\n',
    )
    expect(paths()).toEqual(['a/1.json', 'b/1.json', 'b/2.json'])
  })

  it.each([
    ['a/*.json', ['a/1.json', 'b/1.json', 'b/2.json']],
    ['./*/1.json', ['a/1.json', 'a/2.json', 'b/1.json', 'b/2.json']],
    ['.', ['a/1.json', 'b/1.json', 'b/2.json']],
  ])('looks where %s leads', async (path, left) => {
    const { check, paths, remove } = await written()
    remove('a/2.json')
    await check(...update, path)
    expect(paths()).toEqual(left)
  })

  it('takes a copy for no move', async () => {
    const { svc, paths } = await written()
    const files = { 'c/1.json': conversation('mixed three') }
    await svc(['check', '--annotator', 'structural', ...update, 'c'], { files })
    expect(paths()).toEqual(['a/1.json', 'a/2.json', 'b/1.json', 'b/2.json', 'c/1.json'])
  })

  it('removes entries of another version, and reports them', async () => {
    const { check, paths, versions } = await written()
    versions.annotator_version = '2.0.0'
    const { err } = await check(...update, 'a')
    expect(err).toContain('the baseline drops 2 transcripts found by another annotator, in another version')
    expect(paths()).toEqual(['a/1.json', 'a/2.json'])
  })

  it('does not recommend an update for unchecked entries, and fails no rate', async () => {
    const { check } = await written()
    const part = await check('--baseline', 'baseline.json', 'a')
    expect([part.code, part.err]).toEqual([0, ''])
    expect((await check(...update, 'a', '--max-rate', 'poor=10%')).code).toBe(0)
  })

  it('recommends an update for missing entries', async () => {
    const { check, remove } = await written()
    remove('a/2.json')
    const { err } = await check('--baseline', 'baseline.json', 'a')
    expect(err).toBe('note: the baseline is out of date: 1 removed; run with --update-baseline to refresh it\n')
  })
})

describe('the advice to update a baseline', () => {
  it.each([
    ['a new transcript fails', 'poor new', 100],
    ['a transcript is not judged', '422', 101],
  ])('the advice to update a baseline is in no report while %s', async (_, words, exit) => {
    const { check, cwd } = await written()
    const reports = ['md', 'sarif', 'html', 'json', 'junit'].flatMap((id) => ['--report', `${id}=out/r.${id}`])
    writeFileSync(join(cwd, 'a/3.json'), JSON.stringify(conversation(words)))
    const summary = join(cwd, 'summary.md')
    const { code, out, err } = await check('--baseline', 'baseline.json', 'a', 'b', ...reports, '--report', 'github')
    const texts = [
      out,
      err,
      ...readdirSync(join(cwd, 'out')).map((name) => readFileSync(join(cwd, 'out', name), 'utf8')),
    ]
    expect([code, existsSync(summary), texts.length]).toEqual([exit, false, 7])
    for (const text of texts) expect(text).not.toMatch(/out of date: 1|update-baseline|1 added/)
    const explained = await scriptedShell().svc(['explain', String(exit)])
    expect(explained.out).not.toMatch(/baseline|--min-judged/)
  })
})

describe('an update of a baseline', () => {
  it('lists each finding that it accepts, in the terminal and in the reports', async () => {
    const { check, cwd } = await written()
    writeFileSync(join(cwd, 'a/3.json'), JSON.stringify(conversation('mixed loop')))
    writeFileSync(join(cwd, 'a/4.json'), JSON.stringify(conversation('poor new')))
    const { err, json } = await check(...update, 'a', 'b', '--forbid', 'loop', '--json', '--report', 'md=r.md')
    expect(err).toContain(
      'accepting 2 new findings:\n  a/3.json: the signal loop is forbidden (outcome mixed)\n  a/4.json: the outcome is poor\n',
    )
    const named = { record: 1, part: 1 }
    expect(json().baseline).toMatchObject({
      accepted: [
        { ...named, path: 'a/3.json', outcome: 'mixed', finding: { rule: 'forbidden', signal: 'loop' } },
        { ...named, path: 'a/4.json', outcome: 'poor', finding: { rule: 'outcome' } },
      ],
      dropped: [],
    })
    const markdown = readFileSync(join(cwd, 'r.md'), 'utf8')
    expect(markdown).toContain('<summary>Accepted by this run: 2</summary>')
    expect(markdown).toContain('`a/4.json`: the outcome is `poor`')
    expect((await check(...update, 'a', 'b', '--forbid', 'loop')).err).toBe('')
  })

  it('names what it drops, at most ten', async () => {
    const shell = scriptedShell()
    const names = Array.from({ length: 12 }, (_, n) => `t/${String.fromCharCode(97 + n)}.json`)
    const files = Object.fromEntries(names.map((name) => [name, conversation('strong')]))
    const argv = ['check', 't', '--annotator', 'structural', ...update]
    await shell.svc(argv, { files: { ...files, 't/kept.json': conversation('strong kept') } })
    for (const name of names) rmSync(join(shell.cwd, name))
    const { err, json } = await shell.svc([...argv, '--json'])
    expect(err).toContain(
      `note: the baseline drops 12 transcripts whose content was not found again:\n${names
        .slice(0, 10)
        .map((name) => `  ${name}\n`)
        .join('')}  and 2 more\n`,
    )
    expect(json().baseline).toMatchObject({ accepted: [], dropped: names.map((path) => ({ path, outcome: 'strong' })) })
  })

  it('keeps the entries of excluded files', async () => {
    const { check, paths } = await written()
    const { err } = await check(...update, 'a', 'b', '--exclude', 'b/**')
    expect(err).toContain('note: the baseline keeps 2 transcripts outside of what was checked\n')
    expect(paths()).toEqual(['a/1.json', 'a/2.json', 'b/1.json', 'b/2.json'])
  })

  it('waives no rule that was added after it', async () => {
    const { check } = await written()
    expect((await check('--baseline', 'baseline.json', 'b')).code).toBe(0)
    expect((await check('--baseline', 'baseline.json', 'b', '--fail-on', 'mixed')).code).toBe(100)
    expect((await check('--baseline', 'baseline.json', 'a', '--require', 'greeting')).code).toBe(100)
  })
})

describe('the place of a baseline', () => {
  it('the place of a baseline is made where it is missing', async () => {
    const shell = scriptedShell()
    const { code } = await shell.check(['poor'], ['--baseline', 'some/where/b.json', '--update-baseline'])
    expect([code, existsSync(join(shell.cwd, 'some/where/b.json'))]).toEqual([0, true])
  })

  it.each([
    ['a folder', 'folder', 'EISDIR'],
    ['below a file', 'conversations/0.json/b.json', 'ENOTDIR'],
  ])('the place of a baseline that is %s is refused before anything is asked', async (_, path, why) => {
    const shell = scriptedShell()
    mkdirSync(join(shell.cwd, 'folder'))
    const { code, err } = await shell.check(['poor'], ['--baseline', path, '--update-baseline'])
    expect([code, shell.asked]).toEqual([3, []])
    expect(err).toContain(why)
  })
})
