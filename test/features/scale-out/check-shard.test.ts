import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckReport } from '@svc/checks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const reportIn = (cwd: string, path: string): CheckReport => JSON.parse(readFileSync(join(cwd, path), 'utf8'))

/** A shell with these files, and functions that check all of them, or a shard. Reports are in `reports`. */
function shardsOver(files: Record<string, unknown>, flags: readonly string[] = []) {
  const shell = scriptedShell()
  mkdirSync(join(shell.cwd, 'conversations'))
  const check = (name: string, more: readonly string[] = []) =>
    shell.check([], ['--no-cache', ...flags, ...more, '--report', `json=reports/${name}.json`], { files })
  const shard = (number: number, count: number, more: readonly string[] = []) =>
    check(`${number}`, ['--shard', `${number}/${count}`, ...more])
  const merge = (...argv: string[]) => shell.svc(['report', 'merge', ...argv])
  return { ...shell, check, shard, merge, report: (name: string) => reportIn(shell.cwd, `reports/${name}.json`) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const filesOf = (words: readonly string[]) =>
  Object.fromEntries(words.map((each, at) => [`conversations/${at}.json`, conversation(each)]))

describe('svc check --shard', () => {
  const word = fc.constantFrom(
    'strong a',
    'strong b',
    'mixed c',
    'poor d',
    'poor e loop',
    'indeterminate f',
    '422',
    'x',
  )
  const file = fc.oneof(
    { weight: 6, arbitrary: word.map((each): unknown => conversation(each)) },
    fc.constantFrom<unknown>('{"messages": [', '[]', `${JSON.stringify(conversation('strong line'))}\n{`),
  )
  const flags = fc.constantFrom([], ['--min-judged', '60%'], ['--max-rate', 'poor=30%', '--min-judged', '50%'])

  it('judges each transcript and file in one shard, and the merge ends as a check of all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 4 }),
        flags,
        async (all, count, more) => {
          const files = Object.fromEntries(all.map((each, at) => [`conversations/${at}.jsonl`, each]))
          const { check, shard, merge, report, cwd } = shardsOver(files, more)
          const whole = await check('whole')
          const codes: number[] = []
          for (const number of numbers(count)) codes.push((await shard(number, count)).code)
          const paths = numbers(count).map((number) => `reports/${number}.json`)
          const merged = await merge(...paths, '--expect', `${count}`, '--report', 'json=merged.json')
          const [expected, found] = [report('whole'), reportIn(cwd, 'merged.json')]
          expect([merged.code, found.verdict, found.total]).toEqual([whole.code, expected.verdict, expected.total])
          const keys = ({ cases }: CheckReport) =>
            cases.map((each) => `${each.sha256} ${each.occurrence} ${each.result}`)
          expect(keys(found).sort()).toEqual(keys(expected).sort())
          expect([found.rates, found.unmatched]).toEqual([
            expected.rates.map((rate) => ({ ...rate, culprits: expect.any(Array) })),
            expected.unmatched,
          ])
          expect(found.usage).toEqual(expected.usage)
          // A finding is that of its shard; a single shard has all, and its rates.
          const hasFailed = (number: number) => report(`${number}`).cases.some(({ result }) => result === 'failed')
          for (const number of count > 1 ? numbers(count) : [])
            expect(codes[number - 1] === 100).toBe(hasFailed(number))
        },
      ),
      { numRuns: 12 },
    )
  }, 60_000)

  it('leaves rates and a share that must be judged to the merge, and says so in each report', async () => {
    const words = ['poor a', 'poor b', 'strong c', 'strong d', 'strong e', '422']
    const limits = ['--fail-on', 'none', '--max-rate', 'poor=30%', '--min-judged', '80%', '--max-tokens', '1000']
    const { shard, merge, report, cwd } = shardsOver(filesOf(words), limits)
    const forms = ['md', 'junit', 'sarif', 'html'].flatMap((form) => ['--report', `${form}=r-1.${form}`])
    const codes = [await shard(1, 3, forms), await shard(2, 3), await shard(3, 3)].map(({ code }) => code)
    expect(codes).toEqual([0, 0, 0])
    expect(report('1')).toMatchObject({
      line: expect.stringMatching(/^passed: .*; shard 1 of 3$/),
      ...{ rates: [], verdict: 'passed' },
      shard: { numbers: [1], count: 3, total: 6, own_limits: ['maxTokens'], merged_limits: ['minJudged', 'rates'] },
    })
    for (const form of ['md', 'junit', 'sarif', 'html'])
      expect(readFileSync(join(cwd, `r-1.${form}`), 'utf8'), form).toMatch(/maxTokens.*minJudged/s)
    const { code, json } = await merge('reports', '--expect', '3', '--json')
    expect([code, json()]).toMatchObject([
      100,
      { line: 'failed: poor or worse: 2 of 5, 40 %, at most 30 %; 1 of 6 not judged', usage: { tokens_in: 15 } },
    ])
  })

  it('fails a shard whose gaps no other shard can make up for', async () => {
    const { shard, report } = shardsOver({ 'conversations/a.json': '{' })
    const codes = [(await shard(1, 2)).code, (await shard(2, 2)).code]
    expect(codes.sort()).toEqual([0, 101])
    expect([report('1').total, report('2').total].sort()).toEqual([0, 1])
  })

  it('stops a shard at its own limit of failures, and the merge shows all of them', async () => {
    const words = numbers(12).map((n) => `poor ${n}`)
    const { shard, merge, report } = shardsOver(filesOf(words), ['--max-failures', '1', '--concurrency', '1'])
    for (const number of [1, 2]) expect((await shard(number, 2)).code).toBe(100)
    expect([report('1').results.failed, report('2').results.failed]).toEqual([1, 1])
    const { json } = await merge('reports', '--json')
    expect(json()).toMatchObject({ total: 12, results: { failed: 2, 'not judged': 10 }, shard: { numbers: [1, 2] } })
  })

  it('holds each transcript to its entry of a baseline, and the merge says what a check of all says', async () => {
    const named = (id: string, words: string) => ({ external_id: id, messages: conversation(words) })
    const files = { ...filesOf(['poor a', 'strong b', 'poor c']), 'conversations/d.json': named('d', 'poor d') }
    const { check, shard, merge, report, cwd } = shardsOver(files, ['--baseline', 'b.json'])
    expect((await check('accepted', ['--update-baseline'])).code).toBe(0)
    Object.assign(files, filesOf(['poor a', 'strong b', 'poor new']), { 'conversations/d.json': named('d', 'mixed d') })
    expect((await check('whole')).code).toBe(100)
    for (const number of [1, 2, 3]) await shard(number, 3)
    const paths = [1, 2, 3].map((number) => `reports/${number}.json`)
    expect((await merge(...paths, '--report', 'json=merged.json')).code).toBe(100)
    const [{ baseline, results }, expected] = [reportIn(cwd, 'merged.json'), report('whole')]
    expect([baseline, results]).toEqual([expected.baseline, expected.results])
    expect(baseline).toMatchObject({ edited: 1, missing: [{ path: 'conversations/2.json' }] })
  })

  it('takes the shard of an indexed Job from its variables', async () => {
    const shell = scriptedShell()
    const run = (env: Record<string, string>) => shell.check(['strong a'], ['--json', '--no-cache'], { env })
    const { json } = await run({ JOB_COMPLETION_INDEX: '1', JOB_COMPLETIONS: '2' })
    expect(json().shard).toMatchObject({ numbers: [2], count: 2 })
    const { code, err } = await run({ JOB_COMPLETION_INDEX: '1' })
    expect([code, err]).toEqual([3, expect.stringContaining('JOB_COMPLETIONS is not')])
  })

  it('takes the sample of all transcripts, and finds what failed in one shard alone', async () => {
    const { check, shard, report } = shardsOver(filesOf(numbers(9).map((n) => `poor ${n}`)))
    await check('whole', ['--sample', '4'])
    for (const number of [1, 2, 3]) await shard(number, 3, ['--sample', '4'])
    const hashes = (...names: string[]) =>
      names.flatMap((name) => report(name).cases.map(({ sha256 }) => sha256)).sort()
    expect(hashes('1', '2', '3')).toEqual(hashes('whole'))
    const gone = shardsOver({
      'conversations/a.json': conversation('poor'),
      'conversations/b.json': conversation('strong'),
    })
    await gone.check('whole')
    rmSync(join(gone.cwd, 'conversations/a.json'))
    const flags = [
      'check',
      'conversations',
      '--annotator',
      'structural',
      '--only-failed',
      'reports/whole.json',
      '--json',
    ]
    const runs = []
    for (const number of numbers(3)) runs.push(await gone.svc([...flags, '--no-cache', '--shard', `${number}/3`]))
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 0, 101])
  })

  it.each([
    [['--shard', '0/3'], 'Expected a shard such as 1/8'],
    [['--shard', '4/3'], 'Expected a shard such as 1/8'],
    [['--shard', '1/3', '--baseline', 'b.json', '--update-baseline'], '--update-baseline needs every transcript.'],
  ])('%j is a usage error', async (flags, message) => {
    const { code, err } = await scriptedShell().check(['strong a'], [...flags, '--no-cache'])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('svc report merge of shards', () => {
  async function three(words: readonly string[] = ['strong a', 'strong b', 'strong c', 'strong d']) {
    const shards = shardsOver(filesOf(words))
    for (const number of numbers(3)) await shards.shard(number, 3)
    return shards
  }
  const at = (...all: number[]) => all.map((number) => `reports/${number}.json`)

  it('passes only if all shards are there, in any grouping', async () => {
    const { merge } = await three()
    const partial = await merge(...at(3, 1), '--report', 'json=partial.json', '--json')
    expect([partial.code, partial.json().line]).toEqual([
      101,
      expect.stringMatching(/^could not judge: .*shard 2 of 3 missing$/),
    ])
    expect((await merge(...at(1))).code).toBe(101)
    expect((await merge('partial.json', ...at(2))).code).toBe(0)
    expect((await merge(...at(1, 2, 3))).code).toBe(0)
    expect((await merge(...at(1, 2, 3), ...at(1), '--expect', '3')).code).toBe(0)
  })

  it('a failure of the shards that are there decides', async () => {
    const { merge, report } = await three(['poor a', 'strong b', 'strong c'])
    const failed = numbers(3).find((number) => report(`${number}`).exit === 100) ?? expect.fail()
    const others = numbers(3).filter((number) => number !== failed)
    expect((await merge(...at(failed))).code).toBe(100)
    expect((await merge(...at(...others))).code).toBe(101)
  })

  it.each([
    ['a missing shard', [1, 3], 3, 'shard 2 of 3 is missing'],
    ['another number', [1, 2, 3], 4, 'reports/1.json is of 3 shards'],
    ['fewer shards', [1, 2, 3], 2, 'reports/1.json is of 3 shards'],
  ])('refuses %s with 101', async (_, of, expected, message) => {
    const { merge, cwd } = await three()
    const { code, err } = await merge(...at(...of), '--expect', `${expected}`, '--report', 'json=all.json')
    expect([code, err]).toEqual([101, expect.stringContaining(message)])
    expect(reportIn(cwd, 'all.json')).toMatchObject({ verdict: 'not judged', exit: 101 })
  })

  it('refuses a shard that is there twice, and a report of no shard, if it expects shards', async () => {
    const { merge, check, cwd } = await three()
    writeFileSync(join(cwd, 'again.json'), readFileSync(join(cwd, 'reports/2.json')))
    const twice = await merge(...at(1, 2, 3), 'again.json', '--expect', '3')
    expect([twice.code, twice.err]).toEqual([
      101,
      expect.stringContaining('shard 2 of 3 is in reports/2.json and again.json'),
    ])
    expect((await merge(...at(1, 2, 3), 'again.json')).code).toBe(0)
    await check('whole')
    const other = await merge('reports', '--expect', '3')
    expect([other.code, other.err]).toEqual([
      101,
      expect.stringContaining('reports/whole.json is no report of a shard'),
    ])
  })

  it('refuses shards that did not read the same input, because each would leave a transcript to the other', async () => {
    const { merge, cwd, shard } = await three()
    writeFileSync(join(cwd, 'conversations/late.json'), '{"messages": [')
    await shard(2, 3)
    const { code, err } = await merge(...at(1, 2, 3))
    expect([code, err]).toEqual([101, expect.stringContaining('content of all shards (SHA-256)')])
  })

  it('does not pass over a shard that an outage cut short, however few must be judged', async () => {
    const words = [...numbers(30).map((n) => `503|503|503|${n}`), 'strong a', 'strong b']
    const { shard, merge, report } = shardsOver(filesOf(words), ['--min-judged', '1%', '--concurrency', '1'])
    for (const number of [1, 2]) await shard(number, 2)
    expect([report('1').exit, report('2').exit]).toContain(75)
    expect((await merge('reports', '--expect', '2')).code).toBe(75)
  })
})

describe('svc annotate --shard', () => {
  it('annotates each transcript in one shard, the one in which svc check judges it', async () => {
    const shell = scriptedShell()
    const files = filesOf(numbers(10).map((n) => `strong ${n}`))
    const contents: string[][] = []
    for (const number of numbers(3)) {
      shell.asked.length = 0
      const argv = ['annotate', 'conversations', '--annotator', 'structural', '--shard', `${number}/3`]
      const { code, err } = await shell.clock.until(shell.svc(argv, { files }))
      expect([code, err]).toEqual([0, `${shell.asked.length} of 10 transcripts for shard ${number}/3\n`])
      contents.push([...shell.asked].sort())
      shell.asked.length = 0
      await shell.check([], ['--no-cache', '--shard', `${number}/3`], { files })
      expect(shell.asked.sort()).toEqual(contents.at(-1))
    }
    expect(contents.flat().sort()).toEqual(
      numbers(10)
        .map((n) => `strong ${n}`)
        .sort(),
    )
  })
})
