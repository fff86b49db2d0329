import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckReport, check } from '@svc/checks'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const words = (outcome: string, version: string, n = 8) =>
  Array.from({ length: n }, (_, at) => `${outcome} ${version}${at}`)

/** A shell with the report of eight good conversations in `main.json`. */
async function shellWithReference() {
  const shell = scriptedShell()
  await shell.check(words('strong', 'a'), ['--no-cache', '--report', 'json=main.json'])
  const read = (path: string): string => readFileSync(join(shell.cwd, path), 'utf8')
  const report = (path = 'report.json'): CheckReport => JSON.parse(read(path))
  const against = (all: readonly string[], flags: readonly string[] = []) =>
    shell.check(all, ['--no-cache', '--against', 'main.json', '--report', 'json=report.json', ...flags])
  return { ...shell, read, report, against }
}

describe('svc check --against', () => {
  it('fails if the changed transcripts are worse, and says so first in every form of the report', async () => {
    const { against, read, report } = await shellWithReference()
    const forms = ['junit', 'sarif', 'gitlab', 'md', 'html'].flatMap((form) => ['--report', `${form}=r.${form}`])
    const { code, out } = await against(words('poor', 'b'), forms)
    expect(code).toBe(100)
    const worse = 'worse by content: of 8 changed transcripts 8 now fail, 0 no longer do'
    expect(out.startsWith(`${worse}\n`)).toBe(true)
    expect(out).toMatch(new RegExp(`\nfailed: ${worse}; 8 of 8 transcripts are poor or worse\n$`))
    expect(report().line).toBe(`failed: ${worse}; 8 of 8 transcripts are poor or worse`)
    expect(report().reference).toMatchObject({ from: 'main.json', comparison: { verdict: 'worse', exit: 100 } })
    for (const form of ['junit', 'sarif', 'md', 'html']) expect(read(`r.${form}`)).toContain(worse)
    expect(read('r.md')).toMatch(/\| now fails \(content\) \| `strong`: `the outcome is strong` \| `poor`: /)
    expect(read('r.html')).toContain('<h2>Changes</h2>')
  })

  it('passes if no transcript is worse', async () => {
    const { against, report } = await shellWithReference()
    expect((await against(words('mixed', 'b'))).code).toBe(0)
    expect(report()).toMatchObject({ verdict: 'passed', reference: { comparison: { verdict: 'no difference found' } } })
  })

  it('cannot judge transcripts that are only read differently, from the same records', async () => {
    const { svc, clock, report } = await shellWithReference()
    const table = (each: string) => `role,content,alt\nuser,${each},${each} again\nassistant,Well.,Well.\n`
    const files = Object.fromEntries(words('strong', 'a').map((each, at) => [`tables/${at}.csv`, table(each)]))
    const check = (...flags: string[]) =>
      clock.until(svc(['check', 'tables', '--annotator', 'structural', '--no-cache', ...flags], { files }))
    await check('--report', 'json=main.json')
    expect(report('main.json').cases[0]?.source_hash).toMatch(/^[0-9a-f]{64}$/)
    const { code } = await check('--map', 'content=alt', '--against', 'main.json', '--report', 'json=report.json')
    expect(code).toBe(101)
    expect(report().line).toContain('cannot tell: 8 of 8 transcripts are read differently from the same records')
    expect(report().reference?.comparison).toMatchObject({ read_differently: 8, causes: { content: { pairs: 0 } } })
  })

  it('has no hash of a source record of which something was redacted, because it would help to guess that', async () => {
    const { against, report } = await shellWithReference()
    await against(['strong', 'strong to jo@example.org'], ['--redact=all'])
    const hashes = report().cases.map(({ source_hash }) => source_hash !== undefined)
    expect(hashes).toEqual([true, false, true, true, true, true, true, true])
  })

  it('keeps 100 for a check that fails by its own rules', async () => {
    const { against } = await shellWithReference()
    const { code, out } = await against([...words('strong', 'b', 7), 'poor b7'])
    expect([code, out]).toEqual([
      100,
      expect.stringMatching(/^failed: 1 of 8 transcripts is poor or worse; no difference found by content/m),
    ])
  })

  it('cannot judge if the judge drifted, even if no transcript fails', async () => {
    const { check: run, against, report } = await shellWithReference()
    const kept = words('poor|strong', 'k', 6)
    const failing = (await run([...words('strong', 'a', 5), ...kept], ['--no-cache', '--report', 'json=main.json']))
      .code
    const { code } = await against([...words('strong', 'b', 5), ...kept])
    expect([failing, code]).toEqual([100, 101])
    expect(report().line).toContain('could not judge: cannot tell: the judge drifted under its version')
    expect(report().verdict).toBe('not judged')
  })

  it('asks about some unchanged transcripts again, past the cache, to see if the judge drifted', async () => {
    const { check: run, report, asked, svc, clock } = await shellWithReference()
    const kept = words('strong|poor', 'k', 6)
    await run(kept, ['--cache', 'answers', '--report', 'json=main.json'])
    const before = asked.length
    const argv = ['check', 'conversations', '--annotator', 'structural', '--against', 'main.json', '--cache', 'answers']
    const check = (...flags: string[]) => clock.until(svc([...argv, '--report', 'json=report.json', ...flags]))
    expect([(await check()).code, asked.length - before]).toEqual([0, 0])
    expect(report().reference?.comparison).toMatchObject({ unchanged: 8, causes: { repeat: { pairs: 0 } } })
    expect((await check('--control', '8', '--dry-run')).err).toContain('8 requests')
    expect((await check('--control', '3')).code).not.toBe(0)
    expect([report().control, asked.length - before]).toEqual([3, 3])
    expect(report().reference?.comparison).toMatchObject({ unchanged: 5, causes: { repeat: { pairs: 3 } } })
    expect((await check('--control', '8')).code).toBe(100)
    expect(report().line).toContain('cannot tell: the judge drifted under its version')
    // The cache keeps the answers that the report has.
    expect((await check()).code).toBe(0)
    // Other content is none of the control.
    await check('--control', '8')
    expect(report().control).toBe(8)
    await run(
      ['strong new'],
      ['--cache', 'answers', '--against', 'main.json', '--control', '8', '--report', 'json=report.json'],
    )
    expect(report().control).toBe(7)
    const { code, err } = await run([], ['--control', '3'])
    expect([code, err]).toEqual([2, expect.stringContaining('--control requires --against.')])
  })

  it('ends with 3 without the report, unless that may be missing', async () => {
    const { against, check: run, report } = await shellWithReference()
    expect((await against([], ['--against', 'gone.json'])).code).toBe(3)
    expect((await against([], ['--against', 'gone.json', '--allow-missing'])).code).toBe(0)
    expect(report().reference).toEqual({ from: 'gone.json', sha256: null, comparison: null })
    const { code, err } = await run([], ['--allow-missing'])
    expect([code, err]).toEqual([2, expect.stringContaining('--allow-missing requires --files-from or --against.')])
  })

  it('refuses a report that was cut before it asks the service', async () => {
    const { against, asked, report, svc } = await shellWithReference()
    const cut = { ...report('main.json'), total: 9 }
    await svc(['--version'], { files: { 'cut.json': cut } })
    asked.length = 0
    const { code, err } = await against([], ['--against', 'cut.json'])
    expect([code, err, asked]).toEqual([101, expect.stringContaining('total is 9, but there are 8 cases'), []])
  })

  it('does not write a report over the one that it is compared with', async () => {
    const { against, read } = await shellWithReference()
    const before = read('main.json')
    expect((await against([], ['--report', 'md=./main.json'])).code).toBe(2)
    expect(read('main.json')).toBe(before)
  })

  it('reads its report from standard input, unless that is another input', async () => {
    const { read, svc, clock } = await shellWithReference()
    const stdin = read('main.json')
    const argv = ['check', '--annotator', 'structural', '--no-cache', '--against', '-', '--json']
    const { code, json } = await clock.until(svc([...argv, 'conversations'], { stdin }))
    expect([code, (json() as CheckReport).reference?.from]).toEqual([0, '-'])
    const { code: refused, err } = await svc([...argv, '-'], { stdin })
    expect([refused, err]).toEqual([2, expect.stringContaining('Standard input cannot be both')])
  })

  it('limits the drop by its bounds', async () => {
    const { against, check: run, report } = await shellWithReference()
    expect((await against(words('mixed', 'b'), ['--max-drop', '60%'])).code).toBe(0)
    expect(report().reference?.comparison?.max_drop).toEqual({ max: 0.6, verdict: 'within_limit' })
    expect((await against(words('mixed', 'b'), ['--max-drop', '5%'])).code).toBe(101)
    const { code, err } = await run([], ['--max-drop', '5%'])
    expect([code, err]).toEqual([2, expect.stringContaining('A largest drop requires a report to compare with.')])
  })

  it('reads its report, and the clusters of the transcripts, from the policy', async () => {
    const { svc, clock, report } = await shellWithReference()
    const files = Object.fromEntries(
      words('poor', 'b').map((each, at) => [
        `conversations/${at}.json`,
        { messages: conversation(each), metadata: { scenario: `s${at >> 1}` } },
      ]),
    )
    const policy = {
      annotator: 'structural',
      paths: ['conversations'],
      against: 'main.json',
      cluster: 'metadata.scenario',
    }
    const argv = ['check', '--no-cache', '--report', 'json=report.json']
    const { code } = await clock.until(svc(argv, { files: { ...files, 'svc.checks.json': policy } }))
    expect(code).toBe(100)
    expect(report().cases.map(({ cluster }) => cluster)).toEqual(['s0', 's0', 's1', 's1', 's2', 's2', 's3', 's3'])
    expect(report().reference?.comparison).toMatchObject({ exit: 101, causes: { content: { pairs: 8, clusters: 4 } } })
  })
})

describe('shards of a check with --against', () => {
  const sharded = async (outcome: string) => {
    const shell = await shellWithReference()
    for (const number of [1, 2])
      await shell.against(words(outcome, 'b'), ['--shard', `${number}/2`, '--report', `json=shards/${number}.json`])
    const merge = (...flags: string[]) => shell.svc(['report', 'merge', 'shards', ...flags])
    return { ...shell, merge }
  }

  it('are compared by the merge, and never by themselves', async () => {
    const { merge, report } = await sharded('mixed')
    expect(report('shards/1.json').reference).toMatchObject({ from: 'main.json', comparison: null })
    const { code, json } = await merge('--against', 'main.json', '--json')
    expect([code, (json() as CheckReport).reference?.comparison?.causes.content.pairs]).toEqual([0, 8])
  })

  it('are not merged without their report, or with another one', async () => {
    const { merge, check: run } = await sharded('mixed')
    await run(words('strong', 'c'), ['--no-cache', '--report', 'json=other.json'])
    for (const flags of [[], ['--against', 'other.json']]) {
      const { code, err } = await merge(...flags)
      expect([code, err]).toEqual([101, expect.stringContaining('The reports were checked against main.json.')])
    }
  })

  it('are not merged if they were checked against different reports', async () => {
    const { merge, against, check: run } = await sharded('mixed')
    await run(words('strong', 'c'), ['--no-cache', '--report', 'json=other.json'])
    await against(words('mixed', 'b'), ['--against', 'other.json', '--shard', '2/2', '--report', 'json=shards/2.json'])
    const { code, err } = await merge('--against', 'main.json')
    expect([code, err]).toEqual([101, expect.stringContaining('reference (SHA-256)')])
  })
})

describe('the report of several attempts', () => {
  it('has the answer of each, and how often two attempts on a transcript agree', async () => {
    const { check: run, report, svc } = await shellWithReference()
    const flags = ['--no-cache', '--attempts', '2', '--report', 'json=report.json', '--report', 'md=report.md']
    const { out } = await run(['poor|strong x'], flags)
    const attempt = { from: 'asked', annotator_version: '1.0.0', taxonomy_version: '1' }
    expect(report().cases[0]?.answers).toEqual([
      { ...attempt, outcome: 'poor', fails: true },
      { ...attempt, outcome: 'strong', fails: false },
    ])
    expect(report().self_agreement).toMatchObject({ share: 0.875, transcripts: 8 })
    expect(out).toMatch(/\nattempts on a transcript agree in 87.5 % \(at least [\d.]+ %, at most 100 %\)\n/)
    await svc(['check', 'conversations', '--annotator', 'structural', '--confirm-on-fail', ...flags])
    expect(report().self_agreement).toBeUndefined()
  })
})

it('the library compares a check with a report, and takes the cluster of each transcript', async () => {
  const shell = scriptedShell()
  const client = shell.client({ fetch: shell.fetch })
  const transcripts = (outcome: string, version: string) =>
    words(outcome, version).map((each, at) => ({
      ...{ path: `${at}.json`, cluster: `c${at}` },
      transcript: conversation(each) as { role: 'user'; content: string }[],
    }))
  const run = (outcome: string, version: string, more = {}) =>
    shell.clock.until(check({ client, annotator: 'structural', transcripts: transcripts(outcome, version), ...more }))
  const { report } = await run('strong', 'a')
  const compared = await run('poor', 'b', { against: { from: 'main', report } })
  expect(compared.report).toMatchObject({ exit: 100, reference: { comparison: { verdict: 'worse' } } })
  expect(compared.cases[1]?.cluster).toBe('c1')
})
