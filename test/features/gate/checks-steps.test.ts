import {
  askPlan,
  type Baseline,
  type BaselineWriter,
  type CheckInput,
  check,
  concludeCheck,
  estimatePlan,
  nothingAsked,
  openCache,
  type PlanOptions,
  planCheck,
  policyFrom,
  withRules,
} from '@svc/checks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const transcriptsOf = (words: readonly string[]): CheckInput[] =>
  words.map((each, at) => ({ path: `${at}.json`, transcript: conversation(each) as never }))

/** A client whose service answers as the words of each transcript ask, and the steps of a check with it. */
function scripted() {
  const shell = scriptedShell()
  const { clock } = shell
  const client = shell.client({ fetch: shell.fetch })
  return {
    ...{ asked: shell.asked, client, clock, cwd: shell.cwd },
    plan: (words: readonly string[], more: Partial<PlanOptions> = {}) =>
      planCheck({ annotator: 'structural', transcripts: transcriptsOf(words), clock, ...more }),
    checked: (words: readonly string[], more: Partial<Parameters<typeof check>[0]> = {}) =>
      clock.until(check({ client, annotator: 'structural', transcripts: transcriptsOf(words), clock, ...more })),
  }
}

describe('the steps of a check', () => {
  it('give the result of check, and a plan sends nothing', async () => {
    const words = ['strong', 'poor loop', '422', 'strong']
    const whole = await scripted().checked(words)
    const { plan: planOf, client, clock, asked } = scripted()
    const plan = await planOf(words)
    expect([asked, plan.cases.length]).toEqual([[], 4])
    const answers = await clock.until(askPlan(plan, { client, clock }))
    expect(answers.cases.map(({ answers }) => answers.map(({ from }) => from))).toEqual([
      ['asked'],
      ['asked'],
      [],
      ['same'],
    ])
    const { report } = await concludeCheck(plan, answers, { clock })
    expect({ ...report, ended_at: '' }).toEqual({ ...whole.report, ended_at: '' })
  })

  it('an estimate bounds the requests that a plan then sends, of which the cache saves some', async () => {
    const word = fc.constantFrom('strong', 'poor', 'mixed loop', 'indeterminate')
    const limits = fc.constantFrom({ attempts: 1 }, { attempts: 3 }, { attempts: 3, confirmOnFail: true })
    let nth = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 5 }),
        fc.array(word, { maxLength: 5 }),
        limits,
        async (earlier, later, more) => {
          const { plan: planOf, client, clock, cwd, checked } = scripted()
          const path = `${cwd}/cache-${nth++}`
          const first = await openCache(path)
          await checked(earlier, { ...more, cache: first })
          first.close()
          const cache = await openCache(path)
          const plan = await planOf(later, more)
          const { least, most, cached, canPass } = await clock.until(
            estimatePlan(plan, { client: async () => client, cache }),
          )
          const { requests } = await clock.until(askPlan(plan, { client, cache, clock }))
          expect([least <= requests.sent, requests.sent <= most, canPass]).toEqual([true, true, later.length > 0])
          expect(requests.cached).toBe(cached)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('refuse an option that they do not know, each by itself', async () => {
    const { plan: planOf, client } = scripted()
    const plan = await planOf(['strong'])
    const answers = await askPlan(plan, { client })
    for (const step of [
      () => planCheck({ transcripts: [], annotator: 'structural', basline: {} } as never),
      () => askPlan(plan, { client, maxToken: 1 } as never),
      () => concludeCheck(plan, answers, { allowEmty: true } as never),
    ])
      await expect(step()).rejects.toMatchObject({
        code: 'invalid_option',
        message: expect.stringContaining('unknown option'),
      })
  })

  it('each step of a check refuses options and inputs that are no plain data, and sends nothing', async () => {
    const { plan: planOf, client, asked } = scripted()
    const planned = { transcripts: transcriptsOf(['strong']), annotator: 'structural' }
    const plan = await planOf(['strong'])
    for (const [step, place] of [
      [() => planCheck({ ...planned, options: new Map([['depth', 2]]) } as never), '/options'],
      [() => planCheck({ ...planned, attempts: Promise.resolve(3) } as never), '/attempts'],
      [() => planCheck({ ...planned, paths: Object.create(['a']) } as never), '/paths'],
      [() => planCheck(Object.create(planned)), 'inherits'],
      [() => planCheck({ ...planned, baseline: Promise.resolve({ transcripts: [] }) } as never), 'await the promise'],
      [() => planCheck({ ...planned, transcripts: [Object.create({ path: 'a.json', error: 'e' })] }), 'transcripts[0]'],
      [() => planCheck({ ...planned, policy: { ...policyFrom({ failOn: 'none' }) } } as never), 'the policy'],
      [() => askPlan(plan, { client, concurrency: Promise.resolve(1) } as never), '/concurrency'],
      [() => askPlan(plan, { client, cache: openCache('c') } as never), 'await the promise'],
      [() => concludeCheck(plan, nothingAsked, { allowEmpty: Promise.resolve(true) } as never), '/allowEmpty'],
      [() => concludeCheck(plan, nothingAsked, { redacted: new Map() } as never), '/redacted'],
    ] as const)
      await expect(step(), place).rejects.toMatchObject({
        code: 'invalid_option',
        message: expect.stringContaining(place),
      })
    expect(asked).toEqual([])
  })

  it('a policy of policyFrom or of withRules is used as one of a file', async () => {
    const policy = policyFrom({ failOn: 'none' })
    expect((await scripted().checked(['poor'], { policy })).verdict).toBe('passed')
    const stricter = withRules(policy, { ...policy.policy, failOn: 'poor' })
    expect((await scripted().checked(['poor'], { policy: stricter })).verdict).toBe('failed')
  })
})

describe('the options of a check that svc check sets', () => {
  it('select a sample, and what failed in an earlier report', async () => {
    const words = ['poor a', 'strong b', 'poor c', 'strong d']
    const { report: before } = await scripted().checked(words)
    const { asked, checked } = scripted()
    const onlyFailed = { from: 'before.json', report: before }
    const { report } = await checked(words, { select: { onlyFailed, sample: 1 } })
    expect(['poor a', 'poor c']).toContain(asked[0])
    expect([asked.length, report.selection]).toEqual([
      1,
      { sample: 1, seed: '0', only_failed: 'before.json', where: {}, not_selected: 3 },
    ])
  })

  it('send the given messages in place of those of the transcript', async () => {
    const { asked, checked } = scripted()
    const [input] = transcriptsOf(['poor'])
    const messages = conversation('strong') as never
    const { verdict } = await checked([], {
      transcripts: [{ ...(input as { path: string; transcript: never }), messages }],
    })
    expect([asked, verdict]).toEqual([['strong'], 'passed'])
  })

  it('accept all findings into a baseline, which the writer makes from the one that it has', async () => {
    const written: Baseline[] = []
    const updateBaseline: BaselineWriter = async (next) => {
      const made = next(written.at(-1), { reason: 'known' })
      written.push(made.baseline)
      return made
    }
    const { verdict, report, updated } = await scripted().checked(['poor', 'strong'], { updateBaseline })
    expect([verdict, report.baseline?.updated, updated?.accepted.length]).toEqual(['passed', true, 1])
    const [baseline] = written
    const held = await scripted().checked(['poor', 'strong'], { baseline })
    expect([held.verdict, held.report.results.known]).toEqual(['passed', 1])
    await scripted().checked(['poor', '422'], { updateBaseline })
    expect(written.length).toBe(1)
  })

  it('accept nothing if the baseline cannot be written', async () => {
    const full = new Error('The disk is full.')
    const result = await scripted().checked(['poor'], { updateBaseline: () => Promise.reject(full) })
    expect([result.verdict, result.baselineFailure, result.report.baseline?.updated]).toEqual(['failed', full, false])
  })

  it('give a stopped check and a failed one the exit codes of the program', async () => {
    const stop = new AbortController()
    const { checked } = scripted()
    const failed = await checked(['poor'], { failedExit: 1 })
    const stopped = await checked(['strong', 'strong b'], {
      ...{ concurrency: 1, signal: stop.signal, stoppedExit: (reason: unknown) => (reason === 'SIGINT' ? 130 : 0) },
      onAnswered: () => stop.abort('SIGINT'),
    })
    expect([failed.report.exit, stopped.report.exit]).toEqual([1, 130])
    expect(stopped.report.line).toBe('could not judge: 1 of 2 not judged; stopped')
  })

  it('ask for positions once, of the transcripts alone that the report points at', async () => {
    const located: number[][] = []
    const { cases } = await scripted().checked(['strong', 'poor', 'strong loop'], {
      async locate(of) {
        located.push(of.map(({ index }) => index))
        return of.map(() => [
          { line: 7, column: 1 },
          { line: 8, column: 1 },
        ])
      },
    })
    expect([located, cases.map(({ line }) => line)]).toEqual([[[1, 2]], [null, 7, 7]])
    expect(cases[2]?.signals).toMatchObject([{ key: 'loop', line: 8 }])
  })

  it('end a check once its own deadline has passed, and say so', async () => {
    const { checked } = scripted()
    const { report } = await checked(['strong', 'strong b'], { deadlineMs: 0 })
    expect([report.exit, report.cases[0]?.gap]).toEqual([
      75,
      { why: 'not annotated', detail: 'The deadline of this run has passed.', temporary: true },
    ])
  })
})
