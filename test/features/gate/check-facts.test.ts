import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from '@svc/checks'
import { describe, expect, it } from 'vitest'
import { version } from '../../../packages/cli/src/version.js'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const ids = ['json', 'junit', 'sarif', 'md', 'html'] as const
const reports = ids.flatMap((id) => ['--report', `${id}=out/report.${id}`])
const read = (cwd: string, id: string) => readFileSync(join(cwd, `out/report.${id}`), 'utf8')

describe('the reports of svc check', () => {
  it('record the paths, options, attempts, service, commit, end and version of svc', async () => {
    const shell = scriptedShell()
    const flags = ['--option', 'depth=2', '--attempts', '3', '--confirm-on-fail', '--no-cache']
    const env = { SVC_BASE_URL: `${shell.server.baseUrl}/`, GITHUB_SHA: '0a1b2c3d4e5f60718293' }
    await shell.check(['strong'], [...flags, ...reports], { env })
    const service = shell.server.baseUrl.replace(/\/$/, '')
    const facts = {
      ...{ svc_versions: [version], service, paths: ['conversations'], options: { depth: 2 } },
      ...{ attempts: 3, confirm_on_fail: true, commit: '0a1b2c3d4e5f60718293' },
    }
    const report = JSON.parse(read(shell.cwd, 'json'))
    expect(report).toMatchObject(facts)
    expect(report.ended_at).toBe('2026-01-01T00:00:00.000Z')
    const [run] = JSON.parse(read(shell.cwd, 'sarif')).runs
    expect(run.properties).toMatchObject(facts)
    expect(run.invocations[0].endTimeUtc).toBe(report.ended_at)
    const junit = read(shell.cwd, 'junit')
    for (const [name, value] of [
      ['ended_at', report.ended_at],
      ['commit', '0a1b2c3d4e5f60718293'],
      ['path', 'conversations'],
      ['service', service],
      ['options', '{&quot;depth&quot;:2}'],
      ['attempts', '3'],
      ['confirm_on_fail', 'true'],
      ['svc_version', version],
    ])
      expect(junit).toContain(`<property name="${name}" value="${value}"/>`)
    expect(read(shell.cwd, 'md')).toContain(
      `Run with ended_at \`${report.ended_at}\`, commit \`0a1b2c3d4e5f60718293\`, path \`conversations\`, service \`${service}\`, options \`{"depth":2}\`, attempts \`3\`, confirm_on_fail \`true\`,`,
    )
    expect(read(shell.cwd, 'html')).toContain(' UTC, commit 0a1b2c3d4e5f, exit code 0</p>')
    expect(read(shell.cwd, 'html')).toContain('<li>options: {&#34;depth&#34;:2}</li>')
  })

  it.each([
    ['a request that is sent again', ['503|503|strong'], 3],
    ['an outage', ['503', '0503'], 6],
    ['a refusal', ['422', 'strong'], 2],
    ['a text that two transcripts share', ['strong', 'strong'], 1],
  ])('count each request as the service does: %s', async (_, words, sent) => {
    const shell = scriptedShell()
    await shell.check(words, ['--no-cache', ...reports])
    expect([shell.asked.length, JSON.parse(read(shell.cwd, 'json')).requests.sent]).toEqual([sent, sent])
  })

  it('count no request that never reached the service, and those of a run that ends with an error', async () => {
    const shell = scriptedShell()
    const refused = async (request: Request) => {
      if (!request.url.endsWith('/v1/annotations')) return shell.fetch(request)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) })
    }
    await shell.check(['strong'], ['--no-cache', ...reports], { io: { fetch: refused } })
    expect(JSON.parse(read(shell.cwd, 'json')).requests.sent).toBe(0)
    const { code } = await shell.check(['401'], ['--no-cache', '-j', '1', ...reports])
    expect([code, JSON.parse(read(shell.cwd, 'json')).requests.sent]).toEqual([4, shell.asked.length])
  })
})

describe('a rate that is exceeded', () => {
  it('names the transcripts that count for it in every report, and in no report those that do not', async () => {
    const shell = scriptedShell()
    const flags = ['--max-rate', 'poor=10%', '--max-rate', 'signal:loop=90%', '--no-cache']
    const { out } = await shell.check(['strong', 'poor', 'mixed loop', 'critical'], [...flags, ...reports])
    const [poor, loop] = JSON.parse(read(shell.cwd, 'json')).rates
    expect(poor.culprits).toMatchObject([
      { path: 'conversations/1.json' },
      { path: 'conversations/3.json', record: 1, part: 1 },
    ])
    expect([loop.verdict, loop.culprits]).toEqual(['within_limit', []])
    expect(out).toContain(
      'counts for poor or worse, at most 10 %: 2 transcripts\n  1 (conversations/1.json): poor\n  3 (conversations/3.json): critical\n',
    )
    const [, failure = ''] = /<failure type="rate"[^>]*>([^<]*)</.exec(read(shell.cwd, 'junit')) ?? []
    expect(failure).toMatch(/\(conversations\/1\.json\): poor\n.*\(conversations\/3\.json\): critical$/)
    const { results } = JSON.parse(read(shell.cwd, 'sarif')).runs[0]
    const [result] = results.filter(({ ruleId }: { ruleId: string }) => ruleId === 'rate')
    expect(result.message.text).toMatch(
      /at most 10 %: .*\(conversations\/1\.json\): poor; .*\(conversations\/3\.json\): critical$/,
    )
    expect(result.relatedLocations).toHaveLength(2)
    expect(read(shell.cwd, 'md')).toMatch(
      /### Counts for `poor or worse, at most 10 %` \(2\)\n\n- .*\(`conversations\/1\.json`\): `poor`\n- .*\(`conversations\/3\.json`\): `critical`\n/,
    )
    expect(read(shell.cwd, 'html')).toMatch(
      /<li>Rate exceeded: .*\(conversations\/1\.json\): poor; .*\(conversations\/3\.json\): critical<\/li>/,
    )
    const github = await shell.check(['poor'], ['--max-rate', 'poor=10%', '--report', 'github'])
    expect(github.out).toMatch(
      /^::error title=rate exceeded::.*%0A.*\(conversations\/1\.json\): poor%0A.*\(conversations\/3\.json\): critical$/m,
    )
  })
})

describe('a rule that matches nothing in the run', () => {
  const policy = {
    ...{ forbidden: ['lop', 'loop'], required: [], rates: [{ outcome: 'critical', max: '5%' }] },
    overrides: [{ files: ['conversations/**', 'legacy/**'], allowed: ['loop', 'greting'] }],
    failOn: 'none',
  }

  it('a rule that matches nothing in the run is reported with the signal that was likely meant, on stderr and in every report', async () => {
    const shell = scriptedShell()
    const options = { files: { 'svc.checks.json': policy } }
    const { err } = await shell.check(['mixed loop greeting'], ['--no-cache', ...reports], options)
    expect(JSON.parse(read(shell.cwd, 'json')).unmatched).toEqual([
      { kind: 'signal', name: 'lop', rules: ['forbidden'], meant: 'loop' },
      { kind: 'signal', name: 'greting', rules: ['allowed'], meant: 'greeting' },
      { kind: 'pattern', name: 'legacy/**', rules: ['overrides'], meant: null },
    ])
    const lines = [
      'the signal lop (forbidden) fired in no transcript; did you mean loop?',
      'the signal greting (allowed) fired in no transcript; did you mean greeting?',
      'the pattern legacy/** (overrides) matches no file',
    ]
    for (const line of lines) {
      expect(err).toContain(`note: ${line}\n`)
      for (const id of ['junit', 'sarif', 'html']) expect(read(shell.cwd, id)).toContain(line)
    }
    expect(read(shell.cwd, 'md')).toContain(
      '- the signal `lop` (forbidden) fired in no transcript; did you mean `loop`?\n',
    )
    const github = await shell.check(['mixed loop greeting'], ['--report', 'github'], options)
    expect(github.out).toContain('::warning title=svc check::the signal lop (forbidden) fired in no transcript')
  })

  it('a rule that matches nothing in the run is not reported where nothing could be annotated, for then nothing can match', async () => {
    const shell = scriptedShell()
    await shell.check(['422'], ['--forbid', 'loop', '--no-cache', ...reports])
    expect(JSON.parse(read(shell.cwd, 'json')).unmatched).toEqual([])
  })

  it('a rule that matches nothing in the run is not reported if another shard has a match', async () => {
    const shell = scriptedShell()
    const options = { files: { 'svc.checks.json': policy } }
    await shell.check(['mixed loop greeting'], ['--no-cache', '--report', 'json=a.json'], options)
    const legacy = { 'legacy/a.json': JSON.stringify([{ role: 'user', content: 'critical lop' }]) }
    await shell.svc(['check', 'legacy', '--annotator', 'structural', '--no-cache', '--report', 'json=b.json'], {
      files: legacy,
    })
    const merged = (await shell.svc(['report', 'merge', 'a.json', 'b.json', '--json'])).json()
    expect(merged).toMatchObject({ unmatched: [{ name: 'greting' }], paths: ['conversations', 'legacy'] })
  })
})

describe('reports that were not made alike', () => {
  const unlike: [string, object, string][] = [
    ['options', { options: { depth: 3 } }, 'options: {} in a.json, {"depth":3} in b.json'],
    ['attempts', { attempts: 3 }, 'attempts: 1 in a.json, 3 in b.json'],
    ['confirm-on-fail', { confirm_on_fail: true }, 'confirm_on_fail: false in a.json, true in b.json'],
    [
      'a service',
      { service: 'https://other.test' },
      'service: https://svc.test in a.json, https://other.test in b.json',
    ],
  ]
  it.each(unlike)(
    'reports that were not made alike are refused by merge, and compared by the cause, if they differ in %s',
    async (_, change, said) => {
      const shell = scriptedShell()
      await shell.check(['strong'], ['--no-cache', '--report', 'json=a.json'])
      const report = JSON.parse(readFileSync(join(shell.cwd, 'a.json'), 'utf8'))
      const files = { 'b.json': { ...report, ...change } }
      const { code, err } = await shell.svc(['report', 'merge', 'a.json', 'b.json'], { files })
      expect([code, err]).toEqual([101, expect.stringContaining(said)])
      const { json } = await shell.svc(['report', 'compare', 'a.json', 'b.json', '--json'])
      const { judge, rules } = json() as Comparison
      const settings = [...judge, ...rules.differences]
      expect(settings.map(({ what, old, new: now }) => `${what}: ${old} in a.json, ${now} in b.json`)).toContain(said)
    },
  )
})
