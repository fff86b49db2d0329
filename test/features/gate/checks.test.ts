import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  baselineText,
  type CheckError,
  type CheckInput,
  type CheckOptions,
  check,
  judge,
  mergeReports,
  type NamedReport,
  openCache,
  type ReportCase,
  readBaseline,
  readPolicy,
  rulesFrom,
} from '@svc/checks'
import { parse, parseStream } from '@svc/transcripts'
import { afterAll, describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'
import { createSession } from '../../helpers/session.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-checks-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A transcript whose annotation is as its words say. */
const said = (words: string, path = `${words.replaceAll(' ', '-')}.json`): CheckInput => ({
  path,
  transcript: conversation(words).map(({ role, content }) => ({ role: role as 'user', content })),
})

/** The error of a file that cannot be read as transcripts. */
function errorOf(text: string): unknown {
  try {
    parse(text)
  } catch (error) {
    return error
  }
  throw new Error('the file can be read')
}

function scripted() {
  const shell = scriptedShell()
  const client = shell.client({ fetch: shell.fetch })
  const checked = (words: readonly string[], more: Partial<CheckOptions> = {}) =>
    shell.clock.until(
      check({
        client,
        annotator: 'structural',
        transcripts: words.map((each) => said(each)),
        clock: shell.clock,
        ...more,
      }),
    )
  return { ...shell, client, checked }
}

describe('check', () => {
  it('judges transcripts with the reference server', async () => {
    const { server, client } = createSession()
    const svc = client({ fetch: (request) => server.fetch(request) })
    const text = readFileSync('examples/transcript.json', 'utf8')
    const transcripts = parse(text).transcripts.map((transcript) => ({ path: 'transcript.json', transcript }))
    const { verdict, report, requests } = await check({ client: svc, annotator: 'structural', transcripts })
    expect([verdict, report.line]).toEqual(['failed', 'failed: 1 of 1 transcript is poor or worse'])
    expect([requests, report.service]).toEqual([{ sent: 1, cached: 0, same: 0 }, server.baseUrl])
  })

  it('passes without transcripts only with allowEmpty', async () => {
    const { checked } = scripted()
    expect((await checked([])).report).toMatchObject({ verdict: 'not judged', exit: 101 })
    const { report } = await checked([], { allowEmpty: true })
    expect(report).toMatchObject({ verdict: 'passed', exit: 0, line: 'passed: no transcripts to judge' })
    expect((await checked(['poor'], { allowEmpty: true })).verdict).toBe('failed')
  })

  it('gives a failed transcript as a result, and throws it only from assert', async () => {
    const { checked } = scripted()
    const result = await checked(['strong', 'poor loop'])
    expect([result.verdict, result.report.exit]).toEqual(['failed', 100])
    expect(result.cases.map((each) => each.result)).toEqual(['passed', 'failed'])
    expect(() => result.assert()).toThrow('failed: 1 of 2 transcripts is poor or worse')
    const error = await Promise.resolve()
      .then(result.assert)
      .catch((error: CheckError) => error)
    expect(error).toMatchObject({ code: 'not_passed', details: ['poor-loop.json: the outcome is poor'] })
    expect((await checked(['strong'])).assert()).toBeUndefined()
  })

  it.each([
    ['client', { client: undefined }],
    ['transcripts', { transcripts: undefined }],
    ['transcripts', { transcripts: { path: 'a.json', transcript: [] } }],
    ['transcripts[0]', { transcripts: [{ path: 'a.json', transcript: {} }] }],
    ['transcripts[0]', { transcripts: [[{ role: 'user', content: 'hi' }]] }],
    ['annotator', { annotator: undefined }],
    ['policy', { policy: 'svc.checks.json' }],
    ['policy', { policy: null }],
    ['options', { options: 'depth=2' }],
    ['baseline', { baseline: 'svc.baseline.json' }],
    ['cache', { cache: '.cache' }],
    ['attempts', { attempts: 10 }],
    ['attempts', { confirmOnFail: true }],
    ['concurrency', { concurrency: 0 }],
    ['signal', { signal: new AbortController() }],
    ['onCase', { onCase: {} }],
    ['paths', { paths: 'conversations' }],
    ['clock', { clock: Date.now() }],
  ])('refuses an option that is missing or of another type, and sends nothing: %s', async (name, given) => {
    const { client, asked } = scripted()
    const options = { client, annotator: 'structural', transcripts: [said('strong')], ...given }
    await expect(check(options as unknown as CheckOptions)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(`check: expected ${name} to be `),
    })
    expect(asked).toEqual([])
  })

  it('refuses an option that it does not know, because a gate must not run without it', async () => {
    const { checked } = scripted()
    await expect(checked(['strong'], { polcy: { failOn: 'mixed' } } as object)).rejects.toMatchObject({
      ...{ code: 'invalid_option', message: 'check: unknown option "polcy".', hint: 'did you mean policy?' },
    })
  })

  it('takes any name of a transcript, also one that is no pattern', async () => {
    const { checked } = scripted()
    const transcripts = ['chat (1', '{', '[', '+(', '\\', 'a*b*c*d*e*'].map((path) => said('strong', path))
    expect((await checked([], { transcripts })).verdict).toBe('passed')
  })

  it('counts a file that cannot be read and a transcript that the service would refuse as not judged', async () => {
    const { checked, asked } = scripted()
    const { verdict, cases, report } = await checked([], {
      transcripts: [
        said('strong'),
        { path: 'broken.json', error: new Error('no JSON') },
        { path: 'number.json', transcript: [{ role: 'user', content: 7 as never }] },
      ],
    })
    expect([verdict, report.exit, asked]).toEqual(['not judged', 101, ['strong']])
    expect(cases.map(({ path, gap }) => [path, gap?.why, gap?.detail])).toEqual([
      ['strong.json', undefined, undefined],
      ['broken.json', 'unreadable', 'no JSON'],
      ['number.json', 'not annotated', expect.stringContaining('/transcript/0/content')],
    ])
  })

  it('counts each transcript that an error of parse costs as not judged', async () => {
    const { checked } = scripted()
    const row = (id: string) => JSON.stringify({ conversation_id: id, role: 'user', content: 'Hi' })
    const error = errorOf([row('a'), row('b'), '5', row('c'), row('d')].join('\n'))
    const transcripts = [said('strong'), { path: 'rows.jsonl', error }, said('mixed')]
    const { cases, report } = await checked([], { transcripts, policy: { minJudged: '50%' } })
    expect(cases.map(({ path, part, gap }) => [path, part, gap?.why])).toEqual([
      ['strong.json', 1, undefined],
      ['rows.jsonl', 1, 'unreadable'],
      ['rows.jsonl', 2, 'unreadable'],
      ['mixed.json', 1, undefined],
    ])
    expect(report).toMatchObject({ verdict: 'passed', total: 4, judged: 2 })
  })

  it('counts the bad records of a file like svc check, after the transcripts that parseStream yields', async () => {
    const { checked, svc } = scripted()
    const good = (words: string) => JSON.stringify({ messages: conversation(words) })
    const bad = '{"messages":[{"role":"user","content":7}]}'
    const lines = [good('strong'), bad, good('mixed'), '{"messages":[', good('poor'), bad]
    const file = `${lines.join('\n')}\n`
    async function* transcripts(): AsyncGenerator<CheckInput> {
      const path = 'log.jsonl'
      try {
        for await (const transcript of parseStream([Buffer.from(file)])) yield { path, transcript }
      } catch (error) {
        yield { path, error }
      }
    }
    const placed = (cases: readonly ReportCase[]) =>
      cases.map(({ record, part, gap }) => [record, part, gap?.why, gap?.detail])
    const { cases } = await checked([], { transcripts: transcripts() })
    const { out } = await svc(['check', 'log.jsonl', '--annotator', 'structural', '--json'], {
      files: { 'log.jsonl': file },
    })
    expect(placed(cases)).toEqual(placed(JSON.parse(out).cases))
    expect(cases.filter(({ gap }) => gap !== null)).toHaveLength(3)
  })

  it('does not judge a conversation that was given before a row of it came', async () => {
    const { checked } = scripted()
    const row = (id: string, content: string) => JSON.stringify({ conversation_id: id, role: 'user', content })
    // More than the rows that wait for others of their conversations.
    const fillers = Array.from({ length: 80 }, (_, k) => row(`k${k}`, 'x'.repeat(1 << 16)))
    const file = Buffer.from([row('first', 'strong'), ...fillers, row('first', 'more')].join('\n'))
    async function* transcripts(): AsyncGenerator<CheckInput> {
      const path = 'rows.jsonl'
      try {
        for await (const transcript of parseStream([file]))
          if (transcript.externalId === 'first') yield { path, transcript }
      } catch (error) {
        yield { path, error }
      }
    }
    const { cases, report } = await checked([], { transcripts: transcripts() })
    expect(cases.map(({ record, gap }) => [record, gap?.why])).toEqual([[82, 'unreadable']])
    expect(report).toMatchObject({ verdict: 'not judged', total: 1, judged: 0 })
  })

  it('never passes with a file that may hold more transcripts than were read, whatever share must be judged', async () => {
    const { checked } = scripted()
    const error = errorOf('[{"turns":[{"role":"user","content":"Hi"}]},\n{"turns":')
    const transcripts = [said('strong'), said('mixed'), { path: 'cut.json', error }]
    const { cases, report } = await checked([], { transcripts, policy: { minJudged: '10%' } })
    expect([cases[2]?.gap?.why, report.exit]).toEqual(['incomplete', 101])
  })

  it('gives the reason of a run that could annotate nothing in its report, and 75 where another run may succeed', async () => {
    const { checked, client } = scripted()
    const refused = await checked(['401', 'strong'], { concurrency: 1 })
    expect([refused.verdict, refused.report.exit, refused.report.error?.kind]).toEqual([
      'not judged',
      101,
      'authentication',
    ])
    expect(refused.cases).toHaveLength(2)
    const { report } = await checked(['503'])
    expect([report.exit, report.cases[0]?.gap?.temporary]).toEqual([75, true])
    const unknown = await check({ client, annotator: 'nobody', transcripts: [said('strong')] })
    expect(unknown.report.error).toMatchObject({ message: 'There is no annotator "nobody".' })
  })

  it('awaits rules that are async, and reports one that rejects as not judged', async () => {
    const { checked } = scripted()
    const rules = {
      greeting: async ({ transcript }: { transcript: { turns: readonly { content: string }[] } }) =>
        transcript.turns[0]?.content.includes('mixed') ? ['no greeting'] : [],
    }
    const { cases } = await checked(['strong', 'mixed'], { policy: { rules } })
    expect(cases.map(({ result, reasons }) => [result, reasons])).toEqual([
      ['passed', []],
      ['failed', [{ rule: 'custom', signal: 'greeting', known: false }]],
    ])
    const failing = { rules: { broken: () => Promise.reject(new Error('no model')) } }
    const [broken] = (await checked(['strong'], { policy: failing })).cases
    expect(broken?.gap).toMatchObject({ why: 'rule failed', detail: expect.stringContaining('no model') })
  })

  it('applies a policy as a value with shares, rates and overrides, and refuses one that cannot be used', async () => {
    const { checked } = scripted()
    const policy = {
      rates: [{ outcome: 'poor' as const, max: '50%' }],
      overrides: [{ files: ['strict*'], failOn: 'mixed' as const }],
    }
    const transcripts = [said('poor'), said('strong'), said('mixed', 'strict.json')]
    const { verdict, cases, report } = await checked([], { transcripts, policy })
    expect([verdict, cases.map((each) => each.result)]).toEqual(['failed', ['passed', 'passed', 'failed']])
    expect(report.rates).toMatchObject([{ hits: 1, n: 3, max: 0.5, verdict: 'within_limit' }])
    await expect(checked(['strong'], { policy: { failOn: 'worst' as 'poor' } })).rejects.toMatchObject({
      ...{ name: 'CheckError', code: 'invalid_policy', message: 'check: the policy cannot be used.' },
      details: [expect.stringContaining('/failOn expected one of strong')],
    })
    await expect(checked(['strong'], { attempts: 10 })).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('calls onCase once with each case, also with those that nothing is asked about', async () => {
    const { checked } = scripted()
    const seen: ReportCase[] = []
    const { cases } = await checked([], {
      transcripts: [
        { path: 'broken.json', error: new Error('no JSON') },
        said('strong'),
        { path: 'number.json', transcript: [{ role: 'user', content: 7 as never }] },
        said('poor loop'),
        { path: 'late.json', error: new Error('no JSON') },
        said('strong', 'again.json'),
      ],
      onCase: (each) => seen.push(each),
    })
    const byPath = (all: readonly ReportCase[]) => all.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    expect(seen.map(({ path }) => path)).toEqual([
      ...['strong.json', 'again.json', 'poor-loop.json'],
      ...['broken.json', 'number.json', 'late.json'],
    ])
    expect(byPath(seen)).toEqual(byPath(cases))
    const unasked: string[] = []
    await checked(['401', 'strong'], { concurrency: 1, onCase: ({ path }) => unasked.push(path) })
    expect(unasked).toEqual(['401.json', 'strong.json'])
  })

  it('stops asking when its signal aborts, and does not pass', async () => {
    const { checked, asked } = scripted()
    const stop = new AbortController()
    const seen: string[] = []
    const { verdict, cases } = await checked(['strong', 'mixed', 'poor'], {
      concurrency: 1,
      policy: { minJudged: 0.1, failOn: 'none' },
      signal: stop.signal,
      onCase({ path }) {
        seen.push(path)
        stop.abort()
      },
    })
    const all = ['strong.json', 'mixed.json', 'poor.json']
    expect([verdict, seen, asked]).toEqual(['not judged', all, ['strong']])
    expect(cases.map(({ gap }) => gap?.detail)).toEqual([undefined, 'not asked', 'not asked'])
  })

  it('throws what onCase or the iterable of transcripts throws', async () => {
    const { checked } = scripted()
    const onCase = () => {
      throw new Error('of onCase')
    }
    await expect(checked(['strong'], { onCase })).rejects.toThrow('of onCase')
    async function* transcripts() {
      yield said('strong')
      throw new Error('of the iterable')
    }
    await expect(checked([], { transcripts: transcripts() })).rejects.toThrow('of the iterable')
  })

  it('asks again for nothing that its cache has, and touches no other file', async () => {
    const { checked, asked } = scripted()
    const path = join(folder, 'cache')
    const before = readdirSync('.')
    for (const expected of [
      { sent: 2, cached: 0, same: 0 },
      { sent: 0, cached: 2, same: 0 },
    ]) {
      const cache = await openCache(path)
      expect((await checked(['strong', 'poor'], { cache })).requests).toEqual(expected)
      expect(cache.close()).toBeUndefined()
    }
    expect([asked.length, readdirSync('.')]).toEqual([2, before])
    writeFileSync(join(folder, 'file'), '')
    await expect(openCache(join(folder, 'file'))).rejects.toMatchObject({ code: 'unusable_cache' })
  })

  it('holds a check to a baseline that an earlier one gave', async () => {
    const { checked } = scripted()
    const first = await checked(['poor', 'strong'])
    const next = first.nextBaseline()
    const path = join(folder, 'baseline.json')
    expect(existsSync(path)).toBe(false)
    if (next) writeFileSync(path, baselineText(next))
    const baseline = await readBaseline(path)
    expect(baseline).toEqual(next)
    const again = await checked(['poor', 'strong'], { baseline })
    expect([again.verdict, again.cases.map((each) => each.result)]).toEqual(['passed', ['known', 'passed']])
    const worse = await checked(['poor', 'critical'], { baseline })
    expect(worse.cases.map((each) => each.result)).toEqual(['known', 'failed'])
    expect((await checked(['503'])).nextBaseline()).toBeUndefined()
    const accepted = { reason: 'a known bug', author: 'Jo', expires: '2026-01-31' }
    const updated = worse.nextBaseline(accepted)
    const findings = updated?.transcripts.map(({ outcome, findings }) => [outcome, ...findings])
    expect(findings).toEqual([
      ['critical', { rule: 'outcome', ...accepted }],
      ['poor', { rule: 'outcome' }],
      ['strong'],
    ])
    expect(() => worse.nextBaseline({ expires: 'soon' })).toThrow('nextBaseline: expected expires to be a day')
    expect(await readBaseline(join(folder, 'none.json'))).toBeUndefined()
  })
})

describe('a shard of check', () => {
  const words = ['strong', 'poor a', 'mixed', 'strong b', 'strong c']
  const shard = (index: number, of: number, more: Partial<CheckOptions> = {}) =>
    scripted().checked(words, {
      policy: { failOn: 'none', rates: [{ outcome: 'poor', max: '10%' }] },
      shard: { index, of },
      ...more,
    })
  const merged = (results: Awaited<ReturnType<typeof shard>>[], expect?: number) => {
    const [first, ...others] = results.map(({ report }, at) => ({ from: `${at + 1}`, report }))
    return mergeReports([first as NamedReport, ...others], { expect })
  }

  it('leaves rates to the merge of all shards, which judges each transcript once', async () => {
    const results = [await shard(0, 3), await shard(1, 3), await shard(2, 3)]
    expect(results.map(({ verdict }) => verdict)).toEqual(['passed', 'passed', 'passed'])
    expect(merged(results, 3)).toMatchObject({ verdict: 'failed', total: 5, requests: { sent: 5 } })
    expect(merged(results.slice(1))).toMatchObject({ verdict: 'not judged', exit: 101 })
    expect(() => merged(results.slice(1), 3)).toThrow('The reports are not those of 3 shards.')
  })

  it('counts an unreadable file in one shard, by its bytes or its path', async () => {
    for (const file of [{ path: 'b.json' }, { path: 'b.json', sha256: 'a'.repeat(64) }]) {
      const transcripts = [said('strong'), { ...file, error: new Error('unreadable') }]
      const results = [await shard(0, 2, { transcripts }), await shard(1, 2, { transcripts })]
      expect(results.map(({ verdict }) => verdict).sort()).toEqual(['not judged', 'passed'])
      expect(merged(results)).toMatchObject({ exit: 101, total: 2, judged: 1 })
    }
  })

  it.each([
    { index: 2, of: 2 },
    { index: -1, of: 2 },
    { index: 0.5, of: 2 },
    { index: 0, of: 0 },
  ])('refuses the shard %j', async ({ index, of }) => {
    await expect(shard(index, of)).rejects.toMatchObject({ code: 'invalid_option' })
  })
})

describe('judge', () => {
  const summary = { title: 't', keywords: [], summary: '', quality_concerns: '', user_intent: '', domain: '' }
  const annotation = (outcome: 'strong' | 'poor') => ({
    ...{ summary, outcome, outcome_notes: '', signals: {}, annotator: 'structural' },
    ...{ annotator_version: '1', taxonomy_version: '1', usage: { tokens_in: 1, tokens_out: 1, latency_ms: 1 } },
  })

  it('judges annotations by a policy and sends nothing', async () => {
    const annotated = [
      { path: 'a.json', annotation: annotation('strong') },
      { path: 'b.json', annotation: annotation('poor') },
    ]
    expect(judge(annotated)).toMatchObject({ verdict: 'failed', requests: { sent: 0 } })
    expect(judge(annotated, { failOn: 'critical' }).verdict).toBe('passed')
    expect(judge([]).verdict).toBe('not judged')
    const [first] = annotated as [(typeof annotated)[number]]
    const malformed = [null, { ...first.annotation, signals: undefined }, { ...first.annotation, annotator: 'other' }]
    for (const annotation of malformed as never[]) {
      const { verdict, report, cases } = judge([first, { path: 'c.json', annotation }], { minJudged: 1 })
      expect([verdict, report.exit, cases[1]?.gap?.why]).toEqual(['not judged', 101, 'malformed answer'])
    }
    expect(judge([first], { annotator: 'other' }).verdict).toBe('not judged')
    expect(() => judge(annotated, { rules: { any: () => [] } })).toThrow('expected a policy without functions')
    expect(() => judge('a.json' as never)).toThrow('judge: expected the cases to be an array.')
    expect(() => judge([first, {} as never])).toThrow('judge: expected cases[1] to be { path, annotation }.')
  })
})

describe('readPolicy', () => {
  const code = join(folder, 'svc.checks.ts')
  const json = join(folder, 'svc.checks.json')
  writeFileSync(
    code,
    `import { defineChecks } from '@svc/checks'
     export default defineChecks({ annotator: 'structural', rules: { never: () => 'always' } })`,
  )
  writeFileSync(json, '{ "annotator": "structural", "failOn": "critical" }')

  it('reads a file, and runs none that is not trusted', async () => {
    expect(await readPolicy(json)).toMatchObject({ annotator: 'structural', policy: { failOn: 'critical' } })
    await expect(readPolicy(code)).rejects.toMatchObject({ code: 'untrusted_policy' })
    expect((await readPolicy(code, { trusted: true })).annotator).toBe('structural')
    await expect(readPolicy(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'unreadable_file' })
  })

  it('gives what check takes', async () => {
    const { client } = scripted()
    const transcripts = [said('poor')]
    expect((await check({ client, transcripts, policy: await readPolicy(json) })).verdict).toBe('passed')
    const rules = await rulesFrom(code, { trusted: true })
    expect(Object.keys(rules)).toEqual(['never'])
    const { cases } = await check({ client, annotator: 'structural', transcripts: [said('strong')], policy: { rules } })
    expect(cases[0]?.reasons).toEqual([{ rule: 'custom', signal: 'never', known: false }])
  })
})
