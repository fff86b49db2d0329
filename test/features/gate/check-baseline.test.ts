import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const baseline = ['--baseline', 'baseline.json']
const update = [...baseline, '--update-baseline']

describe('svc check with a baseline', () => {
  it('fails only on new or worse findings', async () => {
    const shell = scriptedShell()
    const words = ['poor|poor|critical', 'strong', 'mixed loop']
    const first = await shell.check(words, [...update, '--forbid', 'loop', '--no-cache'])
    expect([first.code, first.out.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      'passed: baseline written with 2 findings in 2 of 3 transcripts',
    ])
    const again = [...baseline, '--forbid', 'loop', '--no-cache']
    expect((await shell.check(words, again)).code).toBe(0)
    const worse = await shell.check(words, [...again, '--json'])
    expect(worse.code).toBe(100)
    expect(worse.json()).toMatchObject({
      results: { failed: 1, known: 1, passed: 1 },
      baseline: { path: 'baseline.json', counts: { new: 0, worse: 1, same: 2, better: 0 }, updated: false },
      cases: [{ change: 'worse', before: 'poor', result: 'failed' }, { change: 'same' }, { result: 'known' }],
    })
  })

  it('does not waive another transcript that stands where an accepted one stood', async () => {
    const shell = scriptedShell()
    await shell.check(['poor one', 'strong'], update)
    const { code, json } = await shell.check(['poor two', 'strong'], [...baseline, '--json'])
    expect([code, json()]).toMatchObject([
      100,
      { results: { failed: 1, passed: 1 }, cases: [{ path: 'conversations/0.json', change: 'new', before: null }, {}] },
    ])
  })

  it('shows the outcome of a transcript of the baseline whose file has other content, before and now', async () => {
    const shell = scriptedShell()
    await shell.check(['strong', 'poor'], update)
    const { code, out } = await shell.check(['critical', 'poor'], baseline)
    expect(code).toBe(100)
    expect(out).toContain(
      'in the baseline with other content: 1 transcript  (conversations/0.json: strong, now critical)\n',
    )
    const markdown = await shell.check(['critical', 'poor'], [...baseline, '--report', 'md=-'])
    expect(markdown.out).toContain('strong, with other content now critical')
  })

  it('refuses anyContent for an entry without an external id, by which other content would be known', async () => {
    const shell = scriptedShell()
    await shell.check(['poor'], [...update, '--reason', 'bug 7'])
    const file = join(shell.cwd, 'baseline.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"outcome":"poor"', '"outcome":"poor","anyContent":true'))
    const { code, err } = await shell.check(['poor'], baseline)
    expect([code, err]).toEqual([3, expect.stringContaining('/transcripts/0/anyContent expected an external_id')])
  })

  it('waives a changed transcript of a unique external id only if its entry says anyContent, with reasons', async () => {
    const shell = scriptedShell()
    const put = (...all: [id: string, words: string][]) => {
      const lines = all.map(([id, words]) => JSON.stringify({ turns: conversation(words), externalId: id }))
      return { files: { 't.jsonl': `${lines.join('\n')}\n` } }
    }
    const check = (flags: string[], ...all: [id: string, words: string][]) =>
      shell.svc(['check', 't.jsonl', '--annotator', 'structural', ...flags], put(...all))
    await check(update, ['a', 'poor loop'], ['b', 'strong'])
    const edited: [string, string][] = [
      ['b', 'strong'],
      ['a', 'poor  loop'],
    ]
    expect((await check(baseline, ['b', 'strong'], ['a', 'poor loop'])).code).toBe(0)
    const { code, out } = await check(baseline, ...edited)
    expect([code, out]).toEqual([100, expect.stringContaining('poor  a · t (2)  t.jsonl record 2')])
    const file = join(shell.cwd, 'baseline.json')
    const plain = readFileSync(file, 'utf8')
    const anyContent = (text: string) => text.replace('"outcome":"poor"', '"outcome":"poor","anyContent":true')
    writeFileSync(file, anyContent(plain))
    const unreasoned = await check(baseline, ...edited)
    expect([unreasoned.code, unreasoned.err]).toEqual([
      3,
      expect.stringContaining('/transcripts/0/anyContent expected a reason'),
    ])
    writeFileSync(file, anyContent(plain).replace('"rule":"outcome"', '"rule":"outcome","reason":"bug 7"'))
    expect((await check(baseline, ...edited)).code).toBe(0)
    expect((await check(baseline, ['a', 'critical'], ['b', 'strong'])).code).toBe(100)
    expect((await check(baseline, ['a', 'poor  loop'], ['a', 'strong'])).code).toBe(100)
    await check([...update, '--reason', 'bug 7'], ...edited)
    expect(readFileSync(file, 'utf8')).toContain('"anyContent":true')
    expect((await check(baseline, ['a', 'poor   loop'], ['b', 'strong'])).code).toBe(0)
    rmSync(file)
    await check(update, ...edited)
    expect(readFileSync(file, 'utf8')).not.toContain('anyContent')
  })

  it('lists new and missing entries, and recommends no update while anything fails', async () => {
    const shell = scriptedShell()
    await shell.check(['poor', 'poor |strong'], [...update, '--no-cache'])
    const { code, out, err } = await shell.svc(
      ['check', 'conversations/1.json', 'new.json', '--annotator', 'structural', ...baseline, '--no-cache'],
      { files: { 'new.json': conversation('poor  ') } },
    )
    expect(code).toBe(100)
    expect(out).toContain('new.json  (not in the baseline)')
    expect(out).not.toContain('not found')
    expect(err).toBe('')
    rmSync(join(shell.cwd, 'conversations/0.json'))
    const whole = await shell.svc(['check', 'conversations', '--annotator', 'structural', ...baseline])
    expect(whole.out).toContain(
      'in the baseline, but not found with its content: 1 transcript  (conversations/0.json)\n',
    )
  })

  it('svc check with a baseline is the same file for every writer and place', async () => {
    const shell = scriptedShell()
    const files = {
      'a/conversations/0.json': conversation('poor'),
      'a/conversations/1.json': conversation('strong loop'),
    }
    const write = (path: string, ...paths: string[]) =>
      shell.svc(['check', ...paths, '--annotator', 'structural', '--update-baseline', '--baseline', path], { files })
    await write('a/one.json', 'a/conversations')
    await write('a/two.json', './a/conversations/0.json', join(shell.cwd, 'a/conversations/1.json'))
    const [one, two] = ['one', 'two'].map((name) => readFileSync(join(shell.cwd, `a/${name}.json`), 'utf8'))
    expect(two).toBe(one)
    await write('a/two.json', 'a/conversations/0.json')
    expect(readFileSync(join(shell.cwd, 'a/two.json'), 'utf8')).toBe(one)
    expect(JSON.parse(one ?? '')).toMatchObject({
      ...{ schema: 'svc/baseline@2', annotator: 'structural', ...shell.versions },
      transcripts: [
        { path: 'conversations/0.json', record: 1, part: 1, outcome: 'poor', signals: [] },
        { path: 'conversations/1.json', outcome: 'strong', signals: ['loop'] },
      ],
    })
  })

  it('does not write one of a run in which anything is missing', async () => {
    const shell = scriptedShell()
    const { code, err } = await shell.check(['strong', '422'], update)
    expect(code).toBe(101)
    expect(err).toContain('the baseline was not written: 1 of 2 transcripts were not judged')
    expect(() => readFileSync(join(shell.cwd, 'baseline.json'))).toThrow('ENOENT')
  })

  it('svc check with a baseline is not comparable across versions: sends no request, writes every report, and prints a hint', async () => {
    const shell = scriptedShell()
    await shell.check(['poor'], update)
    shell.versions.taxonomy_version = '2'
    const before = shell.asked.length
    const reports = ['--report', 'junit=junit.xml', '--report', 'html=report.html', '--min-judged', '0%']
    const { code, err, json } = await shell.check(['poor'], [...baseline, ...reports, '--json'])
    expect([code, shell.asked.length]).toEqual([101, before])
    expect(err).toContain('baseline.json: the baseline is not comparable; nothing was sent.')
    expect(err).toContain('the baseline has annotator version 1.0.0, taxonomy version 1')
    expect(err).toContain('--update-baseline')
    expect(err).not.toContain('out of date')
    const detail =
      'the baseline has annotator version 1.0.0, taxonomy version 1; the service has annotator version 1.0.0, taxonomy version 2'
    expect(json()).toMatchObject({
      ...{ verdict: 'not judged', exit: 101, requests: { sent: 0 } },
      cases: [{ gap: { why: 'not comparable', detail, temporary: false } }],
    })
    expect(readFileSync(join(shell.cwd, 'junit.xml'), 'utf8')).toContain('taxonomy version 2')
    expect(readFileSync(join(shell.cwd, 'report.html'), 'utf8')).toContain('not comparable')
    expect((await shell.check(['poor'], update)).code).toBe(0)
    expect((await shell.check(['poor'], baseline)).code).toBe(0)
  })

  it('svc check with a baseline is not comparable with other options, in whatever order these are given', async () => {
    const shell = scriptedShell()
    const options = (...all: string[]) => all.flatMap((each) => ['--option', each])
    await shell.check(['poor'], [...update, ...options('lang=de', 'depth=2')])
    expect((await shell.check(['poor'], [...baseline, ...options('depth=2', 'lang=de')])).code).toBe(0)
    const asked = shell.asked.length
    const { code, err } = await shell.check(['poor'], baseline)
    expect([code, shell.asked.length]).toEqual([101, asked])
    expect(err).toContain('the baseline was made with the options {"depth":2,"lang":"de"}')
    expect(err).toContain('this check has no options')
  })

  it('holds rates against it, too', async () => {
    const shell = scriptedShell()
    const rate = ['--max-rate', 'poor=10%']
    const words = ['poor', 'strong|strong|poor']
    const alone = [...rate, '--fail-on', 'none', '--no-cache']
    await shell.check(words, [...update, ...alone])
    expect((await shell.check(words, [...baseline, ...alone])).code).toBe(0)
    expect((await shell.check(words, [...baseline, ...alone])).code).toBe(100)
  })

  it('compares rates over the transcripts that both runs have, and holds new ones to the rate alone', async () => {
    const shell = scriptedShell()
    const alone = ['--max-rate', 'poor=50%', '--fail-on', 'none']
    await shell.check(['poor one', 'poor two', 'poor three', 'strong'], [...update, ...alone])
    const all = (...added: string[]) => ['poor one', 'poor two', 'poor three', 'strong', ...added]
    expect((await shell.check(all('strong five'), [...baseline, ...alone])).code).toBe(0)
    expect((await shell.check(all('strong five', 'poor six', 'poor seven'), [...baseline, ...alone])).code).toBe(100)
  })

  it.each([
    ['no such file', undefined, 'no such baseline'],
    ['no JSON', '{"schema": ', 'baseline.json:1:12'],
    ['another schema', '{"schema": "svc/check@2"}', 'baseline.json:1:12 /schema expected "svc/baseline@2"'],
    [
      'a wrong entry',
      '{"schema":"svc/baseline@2","annotator":"structural","annotator_version":"1","taxonomy_version":"1",\n"transcripts":[{"path":1}]}',
      'baseline.json:2:24 /transcripts/0/path expected a text',
    ],
    [
      'another annotator',
      '{"schema":"svc/baseline@2","annotator":"patterns","annotator_version":"1","taxonomy_version":"1","transcripts":[]}',
      'the baseline is of annotator "patterns", not "structural"',
    ],
  ])('svc check with a baseline is refused where it is %s, before anything is asked', async (_, text, said) => {
    const shell = scriptedShell()
    if (text !== undefined) writeFileSync(join(shell.cwd, 'baseline.json'), text)
    const { code, err } = await shell.check(['strong'], baseline)
    expect([code, shell.asked]).toEqual([3, []])
    expect(err).toContain(said)
    expect(err).toMatch(/hint: .*(write (the file|it again) with --update-baseline|check with --annotator patterns)/)
  })

  it.each(['{}', '{"schema":"svc/check@2","verdict":"passed","cases":[]}', '{"$schema":"x","version":"2.1.0"}'])(
    'says of %s that it is none, and no more',
    async (text) => {
      const shell = scriptedShell()
      const { code, err } = await shell.check(['strong'], baseline, { files: { 'baseline.json': text } })
      expect(code).toBe(3)
      expect(err.split('\n').filter((line) => line.startsWith('  '))).toEqual([
        expect.stringMatching(/baseline\.json:1:\d+ \/schema expected "svc\/baseline@2"; this is no baseline/),
      ])
    },
  )

  it('svc check with a baseline needs a name to be written', async () => {
    expect((await scriptedShell().check(['strong'], ['--update-baseline'])).code).toBe(2)
  })
})
