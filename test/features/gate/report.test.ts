import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../../packages/checks/src/policy/index.js'
import type { CheckReport } from '../../../packages/checks/src/report/index.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../../packages/checks/test/fixtures/report.js'
import { createShell } from '../../helpers/run-cli.js'

const passed = reportOf([caseOf({ path: 'a.json' })])
const failed = reportOf([failedCase({ path: 'b.json', name: 'Refund' })])
const broken = reportOf([caseOf({ path: 'a.json' }), missingCase({ path: 'b.json', name: 'Refund' })])
const files = { 'passed.json': passed, 'failed.json': failed, 'broken.json': broken }

describe('svc report merge', () => {
  it('prints the same as svc check, and ends with the same code', async () => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['report', 'merge', 'passed.json', 'failed.json'], { files })
    expect([code, err]).toEqual([100, ''])
    expect(out).toContain('failed: 1 transcript\n')
    expect(out).toContain('b.json:3:5  unresolved  “I cannot help with that.”')
    expect(out).toMatch(/\nfailed: 1 of 2 transcripts is poor or worse\n$/)
  })

  it.each([
    [['passed.json'], 0],
    [['broken.json'], 75],
    [['broken.json', 'failed.json'], 100],
    [['failed.json', 'broken.json', 'passed.json'], 100],
  ])('svc report merge of %j ends with %i', async (paths, expected) => {
    expect((await createShell().svc(['report', 'merge', ...paths], { files })).code).toBe(expected)
  })

  it('gives the report of a check as the check wrote it, byte for byte, also from standard input', async () => {
    const { svc, cwd } = createShell()
    const conversations = ['a', 'b', 'c'].map((content) => [{ role: 'user', content }])
    const check = ['check', 'conversations.json', '--annotator', 'structural', '--max-rate', 'signal:loop=10%']
    const { code } = await svc([...check, '--report', 'json=r.json'], {
      files: { 'conversations.json': conversations },
    })
    const written = readFileSync(join(cwd, 'r.json'), 'utf8')
    expect(await svc(['report', 'merge', 'r.json', '--report', 'json=-'])).toMatchObject({ code, out: written })
    expect((await svc(['report', 'merge', '-', '--report', 'json=-'], { stdin: written })).out).toBe(written)
    const { json } = await svc(['report', 'merge', 'r.json', '--json'])
    expect(json()).toEqual(JSON.parse(written))
  })

  it('names a report that is there twice, and counts it once', async () => {
    const { svc } = createShell()
    const twice = { ...files, 'copy.json': files['passed.json'] }
    const { code, err, json } = await svc(['report', 'merge', 'passed.json', 'copy.json', '--json'], { files: twice })
    expect([code, err]).toEqual([0, expect.stringMatching(/^note: copy\.json repeats passed\.json, and counts once\n/)])
    expect((json() as CheckReport).requests.sent).toBe((files['passed.json'] as CheckReport).requests.sent)
  })

  it('writes every report that is asked for', async () => {
    const { svc, cwd } = createShell()
    const wanted = [
      'json=out/all.json',
      'junit=out/all.xml',
      'sarif=out/all.sarif',
      'md=out/all.md',
      'html=out/all.html',
    ]
    const flags = wanted.flatMap((each) => ['--report', each])
    expect((await svc(['report', 'merge', 'passed.json', 'failed.json', ...flags], { files })).code).toBe(100)
    for (const each of wanted) expect(readFileSync(join(cwd, each.replace(/.*=/, '')), 'utf8')).toContain('Refund')
  })

  it('reads the reports of a directory and a pattern once each, and not its own output', async () => {
    const { svc, cwd } = createShell()
    const parts = {
      'parts/1/report.json': passed,
      'parts/2.json': failed,
      'parts/.hidden.json': '{',
      'parts/notes.txt': 'no report',
      'parts/all.json': '{',
    }
    const all = ['report', 'merge', './parts/', 'parts/2.json', 'parts/?.json', '--report', 'json=parts/all.json']
    expect((await svc(all, { files: parts })).code).toBe(100)
    const merged = JSON.parse(readFileSync(join(cwd, 'parts/all.json'), 'utf8'))
    expect([merged.total, merged.requests.sent]).toEqual([2, 2])
    expect((await svc(all)).code).toBe(100)
    expect(JSON.parse(readFileSync(join(cwd, 'parts/all.json'), 'utf8'))).toEqual(merged)
  })

  it.each<[string, string[], number, string]>([
    ['a file that is not there', ['gone.json'], 3, 'svc: gone.json: there is no such report.'],
    ['a missing path in braces', ['{passed,gone}.json'], 3, 'svc: gone.json: there is no such report.'],
    ['a directory without reports', ['empty'], 2, 'svc: The directory empty contains no reports.'],
    ['a pattern of nothing', ['no/*.json'], 2, 'svc: No file matches no/*.json.'],
    ['standard input twice', ['-', '-'], 2, 'svc: Standard input is named twice.'],
    ['nothing', [], 2, "svc: missing required argument 'path'."],
    ['a torn file', ['torn.json'], 3, '  torn.json:1:28 the JSON ends in the middle of a string'],
    ['what is no report', ['conversation.json'], 3, '  conversation.json:1:1 expected a report'],
    ['the summary of an upload', ['sum.json'], 3, 'found "svc/upload-summary@1": this is not the report of a check'],
    ['a report that --fields cut down', ['cut.json'], 3, '  cut.json:1:1 expected "cases"; without'],
    ['other policies', ['passed.json', 'strict.json'], 101, 'policy.failOn: poor in passed.json, mixed in strict.json'],
    ['two owners of stdout', ['passed.json', '--json', '--report', 'md=-'], 2, 'Standard output can hold one report'],
    ['two reports in one file', ['passed.json', '--report', 'md=./all.json'], 2, '--report md=./all.json and --report'],
    ['an unknown format', ['passed.json', '--report', 'pdf=a.pdf'], 2, 'Expected FORMAT=FILE with one of json'],
  ])('refuses %s', async (_, paths, code, said) => {
    const { svc, cwd } = createShell()
    const bad = {
      ...files,
      'empty/a.txt': '',
      'torn.json': JSON.stringify(passed).slice(0, 27),
      'conversation.json': [{ role: 'user', content: 'hi' }],
      'sum.json': { schema: 'svc/upload-summary@1', uploaded: 1 },
      'cut.json': { schema: 'svc/check@2', verdict: 'passed' },
      'strict.json': reportOf([caseOf({ path: 'c.json' })], { policy: { ...defaultPolicy, failOn: 'mixed' } }),
    }
    const result = await svc(['report', 'merge', ...paths, '--report', 'json=all.json'], { files: bad })
    expect(result.err).toContain(said)
    expect(result.code).toBe(code)
    // A mistake on the command line leaves the files untouched.
    const touchesNone = /two|unknown format|^nothing$/.test(_)
    const written = existsSync(join(cwd, 'all.json')) && JSON.parse(readFileSync(join(cwd, 'all.json'), 'utf8'))
    expect(written).toEqual(touchesNone ? false : expect.objectContaining({ verdict: 'not judged', exit: code }))
  })
})

const run = (make: typeof caseOf, version: string, n = 8) =>
  Array.from({ length: n }, (_, at) => make({ path: `${at}.json`, sha256: `${version}${at}`.padEnd(64, '0') }))
const before = reportOf([...run(caseOf, 'a'), caseOf({ path: 'gone.json' })])
const after = reportOf([...run(failedCase, 'b'), failedCase({ path: 'new.json' })])
const pair = { 'old.json': before, 'new.json': after }
const compare = ['report', 'compare', 'old.json', 'new.json']

describe('svc report compare', () => {
  it('says by what the transcripts are worse, with the figures and the first change', async () => {
    const { code, out, err } = await createShell().svc(compare, { files: pair })
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(`worse by content: of 8 changed transcripts 8 now fail, 0 no longer do
  pass rate 100 → 0 %, down 100 points (at least 49, at most 100)
  judge     the same: structural 1.0.0, taxonomy 1
  rules     the same
  repeats   none unchanged: drift unknown
  unpaired  1 added (1 fails), 1 removed (0 failed): not compared
  power     8 pairs find a drop of 88 points 9 times in 10
now fails
  Order 7  strong → poor  0.json:1:1
    was  Went well.
    is   Never answered.
  … 7 more: --show-all
reference: old.json
`)
    expect((await createShell().svc([...compare, '--show-all'], { files: pair })).out).toContain('7.json:1:1')
  })

  it('is Markdown or JSON if that is asked for', async () => {
    const { svc, cwd } = createShell()
    const { out } = await svc([...compare, '--report', 'md=-', '--report', 'json=out/c.json'], { files: pair })
    expect(out).toContain('## svc report compare: worse\n')
    expect(out).toContain('now fails (content) | `strong`: `Went well.` | `poor`: `Never answered.` |\n')
    const written = JSON.parse(readFileSync(join(cwd, 'out/c.json'), 'utf8'))
    expect(written).toMatchObject({ schema: 'svc/comparison@1', verdict: 'worse', exit: 100 })
    expect((await svc([...compare, '--json'])).json()).toEqual(written)
    expect((await svc([...compare, '--report', 'json=/dev/stdout'])).json()).toEqual(written)
    expect((await svc([...compare, '--fields', 'verdict,added.fail'])).json()).toEqual({
      ...{ schema: 'svc/comparison@1', verdict: 'worse', added: { fail: 1 } },
    })
  })

  it('is a page with both reasons side by side, which gives way to the reason why there is none', async () => {
    const { svc, cwd } = createShell()
    const argv = [...compare, '--report', 'html=c.html']
    expect((await svc(argv, { files: pair })).code).toBe(0)
    const page = readFileSync(join(cwd, 'c.html'), 'utf8')
    expect(page).toContain('<td><b>strong</b><br>Went well.</td><td><b>poor</b><br>Never answered.</td>')
    expect((await svc(argv, { files: { 'new.json': '{}' } })).code).toBe(3)
    expect(readFileSync(join(cwd, 'c.html'), 'utf8')).toContain('new.json:1:1 expected a report')
  })

  it('has no power in a page, whatever the reports hold', async () => {
    const { svc } = createShell()
    const text = '"><script>alert(1)</script>'
    const signals = [{ key: text, evidence: text, turn: 1, line: 1, column: 1 }]
    const hostile = { path: text, name: text, outcome_notes: text, signals }
    const files = {
      'old.json': reportOf([caseOf({ ...hostile, sha256: 'a'.repeat(64) })], { annotator: text }),
      'new.json': reportOf([failedCase({ ...hostile, outcome: text, sha256: 'b'.repeat(64) })], { annotator: text }),
    }
    const { out } = await svc([...compare, '--report', 'html=-'], { files })
    expect(out).toContain('alert(1)')
    expect(out).not.toContain('<script')
  })

  it.each<[string, CheckReport, number]>([
    ['is worse', after, 100],
    ['is no worse', reportOf(run(caseOf, 'b')), 0],
    ['cannot be told to be worse', reportOf(run((more) => failedCase({ ...more, annotator_version: '2' }), 'b')), 101],
    ['lost judgements that may come again', reportOf(run(missingCase, 'a')), 75],
  ])('ends with 0, and with --exit-code with the code for a report that %s: %#', async (_, now, expected) => {
    const { svc } = createShell()
    const { code } = await svc(compare, { files: { 'old.json': before, 'new.json': now } })
    expect([code, (await svc([...compare, '--exit-code'])).code]).toEqual([0, expected])
  })

  it('counts other causes if these are named', async () => {
    const { svc } = createShell()
    const judged = reportOf(run((more) => failedCase({ ...more, annotator_version: '2' }), 'a'))
    const files = { 'old.json': before, 'new.json': judged }
    expect((await svc([...compare, '--exit-code'], { files })).code).toBe(0)
    expect((await svc([...compare, '--exit-code', '--count', 'content,judge'])).code).toBe(100)
    expect((await svc([...compare, '--count', 'noise'])).code).toBe(2)
  })

  it('reads one of the two from standard input, and not both', async () => {
    const { svc } = createShell()
    const stdin = JSON.stringify(before)
    expect((await svc(['report', 'compare', '-', 'new.json'], { files: pair, stdin })).out).toContain(
      'worse by content',
    )
    expect((await svc(['report', 'compare', '-', '-'], { stdin })).code).toBe(2)
  })

  it('names the same report twice, a report that was cut, and one of another schema', async () => {
    const { svc } = createShell()
    const text = JSON.stringify(after)
    const files = {
      ...pair,
      'cut.json': text.slice(0, text.length / 2),
      'fewer.json': { ...after, cases: after.cases.slice(1) },
      'other.json': { ...after, schema: 'svc/check@1' },
    }
    for (const [old, now, expected, said] of [
      ['old.json', 'old.json', 101, 'old.json and old.json are reports of the same run.'],
      ['old.json', 'cut.json', 3, 'cut.json'],
      ['old.json', 'fewer.json', 101, 'fewer.json: total is 9, but there are 8 cases'],
      ['other.json', 'new.json', 3, 'another version of svc wrote this'],
    ] as const) {
      const { code, err } = await svc(['report', 'compare', old, now], { files })
      expect([code, err]).toEqual([expected, expect.stringContaining(said)])
    }
  })

  it('refuses two reports in one file', async () => {
    const argv = [...compare, '--report', 'md=a', '--report', 'json=./a']
    const { code, err } = await createShell().svc(argv, { files: pair })
    expect([code, err]).toEqual([2, expect.stringContaining('--report md=a and --report json=./a are the same file.')])
  })

  it('refuses a file that is no report, and an unwritable folder', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['report', 'compare', 'old.json', 'x.json'], { files: { ...pair, 'x.json': '{}' } })
    expect([code, err.includes('x.json:1:1 expected a report')]).toEqual([3, true])
    const written = await svc([...compare, '--report', 'md=x.json/a.md'])
    expect([written.code, written.out]).toEqual([3, ''])
  })

  it.each([
    [[], 1],
    [['--exit-code'], 100],
  ])(
    'svc report compare with %j ends with %i and shows what changed where a report cannot be written',
    async (flags, expected) => {
      const { svc } = createShell()
      const reports = ['--report', 'md=full.md', '--report', 'json=c.json', '--report', 'md=full.too']
      const written: string[] = []
      const writeFile = async (path: string) => {
        if (path.startsWith('full')) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        written.push(path)
      }
      const { code, out, err } = await svc([...compare, ...reports, ...flags], {
        ...{ files: pair, io: { writeFile } },
      })
      expect([code, written, out]).toEqual([expected, ['c.json'], expect.stringContaining('worse by content')])
      expect(err).toBe(
        `svc: full.md: cannot write the report (ENOSPC).
  full.too: cannot write the report (ENOSPC).
hint: use a file in a writable folder
`,
      )
    },
  )
})
