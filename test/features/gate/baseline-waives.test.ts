import { type Baseline, type CheckInput, type CheckPolicy, type CheckReport, check, type ReportCase } from '@svc/checks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { createSession } from '../../helpers/session.js'

/** A transcript, and what the annotator answers about its content. */
interface Drawn {
  path: string
  record: number
  content: string
  id: string | undefined
}
type Answers = Record<string, { outcome: string; signals: string[] }>
interface Run {
  transcripts: Drawn[]
  answers: Answers
  policy: Pick<CheckPolicy, 'failOn' | 'forbidden' | 'required'>
}

const contents = ['one', 'two', 'three']
const signals = fc.subarray(['loop', 'rude'])
const drawn: fc.Arbitrary<Drawn> = fc.record({
  path: fc.constantFrom('a.json', 'b.json'),
  record: fc.constantFrom(1, 2),
  content: fc.constantFrom(...contents),
  id: fc.constantFrom(undefined, '', 'x', 'y'),
})
const outcomes = ['strong', 'mixed', 'poor', 'critical']
const answer = fc.record({ outcome: fc.constantFrom(...outcomes, 'indeterminate'), signals })
const run: fc.Arbitrary<Run> = fc.record({
  transcripts: fc.array(drawn, { minLength: 1, maxLength: 5 }),
  answers: fc.record(Object.fromEntries(contents.map((content) => [content, answer]))),
  policy: fc.record({
    failOn: fc.constantFrom('mixed', 'poor', 'critical', 'none'),
    forbidden: signals,
    required: signals,
  }),
}) as fc.Arbitrary<Run>

const versions = { annotator_version: '1', taxonomy_version: '1' }
const summary = { title: '', keywords: [], summary: '', quality_concerns: '', user_intent: '', domain: '' }
const usage = { tokens_in: 1, tokens_out: 1, latency_ms: 1 }

const { client, clock } = createSession()

function checked({ transcripts, answers, policy }: Run, more: Partial<Parameters<typeof check>[0]> = {}) {
  const annotating = client({
    async fetch(request) {
      if (request.url.endsWith('/annotators'))
        return Response.json({ annotators: [{ id: 'structural', description: '', ...versions }] })
      const { transcript } = (await request.json()) as { transcript: { content: string }[] }
      const { outcome = '', signals = [] } = answers[transcript[0]?.content ?? ''] ?? {}
      const fired = Object.fromEntries(signals.map((key) => [key, { evidence: '', turn: 1 }]))
      return Response.json({
        ...{ outcome, signals: fired, summary, usage, outcome_notes: '', annotator: 'structural', ...versions },
      })
    },
  })
  const inputs = transcripts.map(({ path, record, content, id }): CheckInput => {
    const turns = [{ role: 'user' as const, content }]
    const place = { record, offset: 0, pointer: '' }
    return { path, record, transcript: { turns, externalId: id, losses: [], place } as never }
  })
  const indeterminate = 'fail' as const
  const required = policy.required?.filter((each) => !policy.forbidden?.includes(each)) ?? []
  return check({
    client: annotating,
    clock,
    annotator: 'structural',
    transcripts: inputs,
    policy: { ...policy, required, indeterminate },
    ...more,
  })
}

const reasonKey = (reason: ReportCase['reasons'][number]) => `${reason.rule} ${'signal' in reason ? reason.signal : ''}`

const isNoWorse = (now: string | null, before: string | null) =>
  now === before || (now !== 'indeterminate' && before !== 'indeterminate' && rank(now) <= rank(before))
const rank = (outcome: string | null) => outcomes.indexOf(outcome ?? '')

/** The indexes of the accepted transcripts that may waive what is known of a transcript of a later run. */
function waivers(
  at: number,
  later: Run,
  report: CheckReport,
  earlier: Run,
  accepted: CheckReport,
  isForAny: boolean,
): number[] {
  const of = later.transcripts[at] as Drawn
  const { outcome, reasons } = report.cases[at] as ReportCase
  const isOnce = ({ transcripts }: Run) => transcripts.filter(({ id }) => id === of.id).length === 1
  const known = reasons.filter(({ known }) => known).map(reasonKey)
  return earlier.transcripts.flatMap((entry, index) => {
    const before = accepted.cases[index] as ReportCase
    const isSameId = isForAny && of.id && entry.id === of.id && isOnce(earlier) && isOnce(later)
    const isSame = entry.content === of.content || isSameId
    const broke = before.reasons.map(reasonKey)
    return isSame && isNoWorse(outcome, before.outcome) && known.every((each) => broke.includes(each)) ? [index] : []
  })
}

/** True if each list of choices can have a choice of its own. */
function canAllChoose(choices: readonly number[][], taken: readonly number[] = []): boolean {
  const [first, ...others] = choices
  if (!first) return true
  return first.some((each) => !taken.includes(each) && canAllChoose(others, [...taken, each]))
}

/** A baseline as a person may write it: only entries with an external id may say so, and without a reason it is refused. */
const forAnyContent = ({ transcripts, ...rest }: Baseline, hasReason: boolean): Baseline => ({
  ...rest,
  transcripts: transcripts.map((each) => ({
    ...each,
    ...(each.external_id !== undefined && { anyContent: true as const }),
    findings: each.findings.map((finding) => ({ ...finding, ...(hasReason && { reason: 'bug 7' }) })),
  })),
})

describe('a baseline', () => {
  it('a baseline waives a finding once, only by the same rule, if not worse, for equal content, or any content if it says so', async () => {
    await fc.assert(
      fc.asyncProperty(run, run, fc.boolean(), fc.boolean(), async (earlier, later, isForAny, hasReason) => {
        const { report: accepted, nextBaseline } = await checked(earlier)
        const baseline = nextBaseline()
        expect(baseline?.transcripts).toHaveLength(earlier.transcripts.length)
        const written = baseline && (isForAny ? forAnyContent(baseline, hasReason) : baseline)
        const hasFindings = written?.transcripts.some((each) => each.anyContent && each.findings.length > 0)
        if (isForAny && !hasReason && hasFindings) {
          await expect(checked(later, { baseline: written })).rejects.toMatchObject({ code: 'invalid_baseline' })
          return
        }
        const { report } = await checked(later, { baseline: written })
        const known = report.cases.flatMap(({ reasons }, at) => (reasons.some((each) => each.known) ? [at] : []))
        const choices = known.map((at) => waivers(at, later, report, earlier, accepted, isForAny && hasReason))
        expect(canAllChoose(choices)).toBe(true)
      }),
      { numRuns: runs(50) },
    )
  }, 60_000)

  it('a baseline waives every finding of the run that it was written from, and none once it expired', async () => {
    await fc.assert(
      fc.asyncProperty(run, async (drawn) => {
        const first = await checked(drawn)
        const baseline = first.nextBaseline({ expires: '2025-12-31' })
        const held = first.nextBaseline({ expires: '2026-01-01' })
        expect((await checked(drawn, { baseline: held })).report.results.failed).toBe(0)
        const failed = first.report.results.failed
        expect((await checked(drawn, { baseline })).report.results.failed).toBe(failed)
      }),
      { numRuns: runs(20) },
    )
  }, 60_000)
})
