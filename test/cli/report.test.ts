import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../packages/checks/src/policy/index.js'
import { caseOf, failedCase, missingCase, reportOf } from '../../packages/checks/test/fixtures/report.js'
import { createShell } from '../run-cli.js'

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

const before = reportOf([
  caseOf({ path: 'a.json' }),
  failedCase({ path: 'b.json', name: 'Refund' }),
  caseOf({ path: 'd.json', name: 'Old' }),
])
const after = reportOf([
  failedCase({ path: 'a.json', flaky: true }),
  caseOf({ path: 'b.json', name: 'Refund' }),
  caseOf({ path: 'c.json', name: 'New' }),
])
const pair = { 'before.json': before, 'after.json': after }

describe('svc report diff', () => {
  it('lists the changes, the worst first, then the numbers', async () => {
    const { code, out, err } = await createShell().svc(['report', 'diff', 'before.json', 'after.json'], { files: pair })
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(`worse: 1 transcript
  strong → poor  Order 7  a.json  (flaky now)
    + a.json:3:5  unresolved  “I cannot help with that.”

added: 1 transcript
  strong  New  c.json

gone: 1 transcript
  strong  Old  d.json

better: 1 transcript
  poor → strong  Refund  b.json
    - unresolved

flaky     0 → 1

before    failed: 1 of 3 transcripts is poor or worse
after     failed: 1 of 3 transcripts is poor or worse; 1 flaky
worse: 1 worse, 1 better, 1 added, 1 gone; 1 new finding
`)
  })

  it('prints why a transcript is no longer judged', async () => {
    const gone = { 'after.json': reportOf([missingCase({ path: 'a.json' })]) }
    const argv = ['report', 'diff', 'before.json', 'after.json']
    const { svc } = createShell()
    expect((await svc(argv, { files: { ...pair, ...gone } })).out).toContain(
      'no longer judged: 1 transcript\n  strong → no outcome  Order 7  a.json\n    not annotated: The service answered 503.\n',
    )
    expect((await svc([...argv, '--report', 'md=-'])).out).toContain('  - not annotated: `The service answered 503.`\n')
  })

  it('svc report diff is Markdown or JSON where that is asked for', async () => {
    const { svc, cwd } = createShell()
    const argv = ['report', 'diff', 'before.json', 'after.json']
    const { out } = await svc([...argv, '--report', 'md=-', '--report', 'json=out/diff.json'], { files: pair })
    expect(out).toContain('## Worse than before\n')
    expect(out).toContain('### Worse (1)\n\n- **`Order 7`**: `strong` → `poor` (`a.json`), flaky now\n')
    expect(out).toContain('  - began: `unresolved` at `a.json:3:5`: `I cannot help with that.`\n')
    const diff = JSON.parse(readFileSync(join(cwd, 'out/diff.json'), 'utf8'))
    expect(diff).toMatchObject({ schema: 'svc/report-diff@1', worse: true, comparable: true })
    expect(diff.counts).toMatchObject({ worse: 1, better: 1, added: 1, gone: 1, same: 0 })
    expect((await svc([...argv, '--json'])).json()).toEqual(diff)
    expect((await svc([...argv, '--report', 'json=/dev/stdout'])).json()).toEqual(diff)
    expect((await svc([...argv, '--fields', 'worse,counts.added'])).json()).toEqual({
      ...{ schema: 'svc/report-diff@1', worse: true, counts: { added: 1 } },
    })
  })

  it('is a page with both runs side by side, which shows what only one of them has', async () => {
    const { svc, cwd } = createShell()
    const argv = ['report', 'diff', 'before.json', 'after.json', '--report', 'html=diff.html']
    expect((await svc(argv, { files: pair })).code).toBe(0)
    const page = readFileSync(join(cwd, 'diff.html'), 'utf8')
    expect(page).toContain('<th scope="row">flaky</th><td>0</td><td>1</td>')
    expect(page).toContain(
      '<th scope="row">Order 7<br><span class="soft">a.json; flaky now</span></th><td><b>strong</b>, passed</td><td><b>poor</b>, failed<ul><li>unresolved <span class="soft">a.json:3:5</span><br>“I cannot help with that.”</li></ul></td>',
    )
    expect(page).toContain('<td><span class="soft">not in this report</span></td><td><b>strong</b>, passed</td>')
    // An earlier page gives way to the reason why there is none.
    expect((await svc(argv, { files: { 'after.json': '{}' } })).code).toBe(3)
    expect(readFileSync(join(cwd, 'diff.html'), 'utf8')).toContain('after.json:1:1 expected a report')
  })

  it('has no power in a page, whatever the reports hold', async () => {
    const { svc } = createShell()
    const text = '"><script>alert(1)</script>'
    const signals = [{ key: text, evidence: text, turn: 1, line: 1, column: 1 }]
    const hostile = reportOf([failedCase({ path: text, name: text, outcome: text, signals })], { annotator: text })
    const files = { 'before.json': hostile, 'after.json': after }
    const argv = ['report', 'diff', 'before.json', 'after.json', '--anyway', '--report', 'html=-']
    expect((await svc(argv, { files })).out).not.toContain('<script')
  })

  it.each<[string, string, number]>([
    ['before.json', 'before.json', 0],
    ['before.json', 'after.json', 100],
    ['before.json', 'newer.json', 101],
  ])(
    'svc report diff of %s and %s --anyway ends with %i where --exit-code is given, else with 0',
    async (one, other, expected) => {
      const { svc } = createShell()
      const newer = reportOf([failedCase({ path: 'a.json', annotator_version: '2.0.0' })])
      const argv = ['report', 'diff', one, other, '--anyway']
      const { code, out } = await svc(argv, { files: { ...pair, 'newer.json': newer } })
      expect([code, (await svc([...argv, '--exit-code'])).code]).toEqual([0, expected])
      expect(out.includes('not comparable')).toBe(expected === 101)
      if (expected === 101) expect(out).toContain('annotator version  1.0.0 with taxonomy 1 → 2.0.0 with taxonomy 1\n')
    },
  )

  it('reads one of the two from standard input, and not both', async () => {
    const { svc } = createShell()
    const stdin = JSON.stringify(before)
    expect((await svc(['report', 'diff', '-', 'after.json'], { files: pair, stdin })).out).toContain('worse: 1 worse')
    expect((await svc(['report', 'diff', '-', '-'], { stdin })).code).toBe(2)
  })

  it('refuses two reports in one file', async () => {
    const argv = ['report', 'diff', 'before.json', 'after.json', '--report', 'md=a', '--report', 'json=./a']
    const { code, err } = await createShell().svc(argv, { files: pair })
    expect([code, err]).toEqual([2, expect.stringContaining('--report md=a and --report json=./a are the same file.')])
  })

  it('refuses a file that is no report, and an unwritable folder', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['report', 'diff', 'before.json', 'x.json'], { files: { ...pair, 'x.json': '{}' } })
    expect([code, err.includes('x.json:1:1 expected a report')]).toEqual([3, true])
    const written = await svc(['report', 'diff', 'before.json', 'after.json', '--report', 'md=x.json/a.md'])
    expect([written.code, written.out]).toEqual([3, ''])
  })

  it.each([
    [[], 1],
    [['--exit-code'], 100],
  ])(
    'svc report diff with %j ends with %i and shows what changed where a report cannot be written',
    async (flags, expected) => {
      const { svc } = createShell()
      const reports = ['--report', 'md=full.md', '--report', 'json=diff.json', '--report', 'md=full.too']
      const written: string[] = []
      const writeFile = async (path: string) => {
        if (path.startsWith('full')) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        written.push(path)
      }
      const { code, out, err } = await svc(['report', 'diff', 'before.json', 'after.json', ...reports, ...flags], {
        ...{ files: pair, io: { writeFile } },
      })
      expect([code, written, out]).toEqual([expected, ['diff.json'], expect.stringContaining('worse: 1 worse')])
      expect(err).toBe(
        `svc: full.md: cannot write the report (ENOSPC).
  full.too: cannot write the report (ENOSPC).
hint: use a file in a writable folder
`,
      )
    },
  )
})
