import { count, firstNames, grouped } from '@svc/text'
import type { CheckReport, LabelFigures } from '../report/index.js'
import { isPart } from '../report/index.js'
import { type LabelledCase, ratesOf } from './estimate.js'
import { type Label, type NamedLabels, type Stratum, strata } from './label-file.js'
import { type LabelledVerdict, verdictsOf } from './sample.js'
import { type LabelWord, labelWords } from './words.js'

/** The smallest number of labels in a stratum that gives rates. */
const least = 30

const verdictNames = ['failed', 'passed', 'neither'] as const satisfies readonly LabelledVerdict[]

/** The label of a content by all persons: `unsure` if they do not agree. */
interface Agreed {
  label: LabelWord
  stratum: Label['stratum']
}

/**
 * Compare a report with labels of people. Only labels of a sample that the report has whole give rates; others are counted.
 * Never changes a verdict.
 */
export function labelFigures(report: CheckReport, { from, labels }: NamedLabels): LabelFigures {
  const verdicts = verdictsOf(report)
  const labelsInReport = labels.filter(({ sha256 }) => verdicts.has(sha256))
  const { latest, repeated } = latestOf(labelsInReport)
  const byContent = grouped(latest, ({ sha256 }) => sha256)
  const agreed = new Map([...byContent].map(([sha256, of]) => [sha256, agreedOf(of)]))
  const sample = isPart(report) ? undefined : sampleIn(labels, verdicts, agreed)
  const table = Object.fromEntries(
    verdictNames.map((verdict) => [
      verdict,
      Object.fromEntries(
        labelWords.map((word) => [
          word,
          [...agreed].filter(([sha256, { label }]) => verdicts.get(sha256) === verdict && label === word).length,
        ]),
      ),
    ]),
  ) as LabelFigures['table']
  const unknown = [...new Set(labels.flatMap(({ sha256 }) => (verdicts.has(sha256) ? [] : sha256)))]
  const chosen = [...agreed.values()].filter(({ stratum }) => !stratum || stratum.of !== sample?.of).length
  return {
    from,
    ...{ transcripts: agreed.size, table, chosen, unknown: unknown.length },
    rates: sample && sample.missing.failed + sample.missing.passed === 0 ? ratesOf(sample.cases, sample.totals) : null,
    missing: sample ? sample.missing : null,
    people: peopleOf(latest),
    notes: [
      ...(unknown.length > 0
        ? [
            `${count(unknown.length, 'label')} of content that the report does not have: ${firstNames(unknown.map((each) => each.slice(0, 12)))}`,
          ]
        : []),
      ...(repeated.length > 0
        ? [
            `${count(repeated.length, 'transcript')} labelled again by the same person, whose latest label counts: ${firstNames(repeated)}`,
          ]
        : []),
    ],
  }
}

/** The latest label of each person for each content; `repeated` names who labelled which content again. */
function latestOf(labels: readonly Label[]): { latest: Label[]; repeated: string[] } {
  const latest: Label[] = []
  const repeated: string[] = []
  for (const of of grouped(labels, ({ sha256, by }) => JSON.stringify([sha256, by])).values()) {
    const [last] = of.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    if (!last) continue
    latest.push(last)
    if (of.length > 1) repeated.push(`${last.sha256.slice(0, 12)} by ${last.by}`)
  }
  return { latest, repeated }
}

function agreedOf(labels: readonly Label[]): Agreed {
  const words = new Set(labels.map(({ label }) => label))
  const [word = 'unsure', ...others] = words
  return {
    label: others.length === 0 ? word : 'unsure',
    stratum: labels.find(({ stratum }) => stratum !== null)?.stratum ?? null,
  }
}

interface SampleIn {
  of: string
  cases: LabelledCase[]
  totals: Record<Stratum, number>
  missing: Record<Stratum, number>
}

/** Of the samples whose labelled transcripts the report has all, the one with the most labels; undefined if there is none. */
function sampleIn(
  labels: readonly Label[],
  verdicts: ReadonlyMap<string, LabelledVerdict>,
  agreed: ReadonlyMap<string, Agreed>,
): SampleIn | undefined {
  const bySample = grouped(labels, ({ stratum }) => stratum?.of)
  const whole = [...bySample].flatMap(([of, all]) =>
    of !== undefined && all.every(({ sha256 }) => verdicts.has(sha256)) ? [{ of, all }] : [],
  )
  const [most] = whole.sort((a, b) => b.all.length - a.all.length)
  if (!most) return undefined
  const totals = { failed: 0, passed: 0 }
  for (const { stratum } of most.all) if (stratum) totals[stratum.name] = stratum.total
  const cases = [...agreed].flatMap(([sha256, { label, stratum }]): LabelledCase[] => {
    if (stratum?.of !== most.of || label === 'unsure') return []
    const verdict = verdicts.get(sha256)
    const fails = verdict === 'neither' ? undefined : verdict === 'failed'
    return [{ stratum: stratum.name, isBad: label === 'bad', fails }]
  })
  const missing = Object.fromEntries(
    strata.map((name) => {
      const labelled = cases.filter((each) => each.stratum === name).length
      return [name, Math.max(0, Math.min(least, totals[name]) - labelled)]
    }),
  ) as Record<Stratum, number>
  return { of: most.of, cases, totals, missing }
}

/** The persons, and for each two of them the transcripts that both labelled. */
function peopleOf(labels: readonly Label[]): LabelFigures['people'] {
  const byPerson = new Map(
    [...grouped(labels, ({ by }) => by)].map(([by, of]) => [
      by,
      new Map(of.map(({ sha256, label }) => [sha256, label])),
    ]),
  )
  const names = [...byPerson.keys()].sort()
  return {
    names,
    agreement: names.flatMap((a, at) =>
      names.slice(at + 1).flatMap((b) => {
        const [ofA, ofB] = [byPerson.get(a), byPerson.get(b)]
        const common = [...(ofA?.keys() ?? [])].filter((sha256) => ofB?.has(sha256))
        const same = common.filter((sha256) => ofA?.get(sha256) === ofB?.get(sha256)).length
        return common.length > 0 ? [{ a, b, common: common.length, same }] : []
      }),
    ),
  }
}
