import { areSameVersions, type Versions, versionsText } from '../annotation.js'
import {
  areSameOptions,
  type Baseline,
  optionsText,
  refuseOtherAnnotator,
  refuseOtherOptions,
  type Update,
} from '../baseline/index.js'
import { CheckError } from '../check-error.js'
import { type Against, judgeChanges, refuseUnusable } from '../compare/index.js'
import type { Acceptance, CheckReport, NamedReport } from '../report/index.js'

/** A check that accepts only what another version of the annotator changed. */
interface JudgeUpdate {
  /** The file of the baseline. */
  path: string
  before: Baseline | undefined
  against: Against | undefined
}

/** @throws {CheckError} before anything is asked, if the baseline and the report cannot show what another version changes */
export function refuseUnclearAcceptance(
  of: JudgeUpdate & { isUpdate: boolean },
  { annotator, options }: { annotator: string; options: Record<string, unknown> | undefined },
): void {
  if (!of.isUpdate)
    throw new CheckError('invalid_option', 'check: accept needs updateBaseline, which writes what it accepts.')
  const { before, reference } = partsOf(of)
  refuseOtherAnnotator(of.path, before, annotator)
  refuseOtherOptions(of.path, before, options)
  refuseUnusable(reference)
  refuseOtherVersions(before, reference)
}

function partsOf({ path, before, against }: JudgeUpdate): { before: Baseline; reference: NamedReport } {
  const hint = 'make both with the earlier version of the annotator'
  if (!before) throw new CheckError('not_comparable', `${path}: there is no baseline yet.`, { hint })
  const { from, report } = against ?? {}
  if (from !== undefined && report) return { before, reference: { from, report } }
  const why = from === undefined ? 'check: accept needs `against`.' : `${from}: there is no such report.`
  throw new CheckError('not_comparable', why, { hint })
}

/** The flips are those since the version of the baseline, and not since any other, nor by other options. */
function refuseOtherVersions(before: Baseline, { from, report }: NamedReport): void {
  const { annotator, versions, options } = report
  const isSame =
    annotator === before.annotator &&
    versions.length === 1 &&
    versions.every((of) => areSameVersions(of, before)) &&
    areSameOptions(options ?? undefined, before.options)
  if (isSame) return
  throw new CheckError('not_comparable', `${from} is not of the version and the options of the baseline.`, {
    details: [
      `the baseline has ${textOf(before.annotator, [before], before.options)}`,
      `the report has ${textOf(annotator, versions, options)}`,
    ],
    hint: 'give the report of a check with the version and the options of the baseline',
  })
}

const textOf = (
  annotator: string,
  versions: readonly Versions[],
  options: CheckReport['options'] | undefined,
): string => [annotator, ...versions.map(versionsText), optionsText(options ?? undefined)].join(', ')

/** The error of a baseline that has the version of the annotator already, so that there is nothing to accept; else undefined. */
export const sameVersion = (path: string, before: Versions, now: Versions): CheckError | undefined =>
  areSameVersions(before, now)
    ? new CheckError('not_comparable', `${path}: the baseline has this version already: ${versionsText(now)}.`, {
        hint: 'check with --baseline alone: no version of the annotator is to be accepted',
      })
    : undefined

/**
 * The findings that an update accepts in place of all: those of transcripts that passed in the report, have the same content,
 * and now fail.
 *
 * @throws {CheckError} if that cannot be told, also because the baseline changed meanwhile
 */
export function judgeUpdate(
  of: JudgeUpdate,
  report: CheckReport,
  acceptance: Acceptance,
): Required<Pick<Update, 'acceptance' | 'accepts'>> {
  const { before, reference } = partsOf(of)
  refuseOtherVersions(before, reference)
  const same = report.versions.map((versions) => sameVersion(of.path, before, versions)).find(Boolean)
  if (same) throw same
  const failsByJudge = judgeChanges(reference, report)
  const { reason } = acceptance
  const change = changeText(reference.report, report)
  return {
    acceptance: { ...acceptance, reason: reason === undefined ? change : `${change}: ${reason}` },
    accepts(each) {
      const fails = failsByJudge(each)
      return fails === undefined ? 'nothing' : fails ? 'findings' : 'no finding'
    },
  }
}

/** As in `annotator 1.1.0 → 1.2.0, attempts 1 → 3`. */
function changeText(before: CheckReport, after: CheckReport): string {
  const sides = [before, after].map(({ versions: [versions], attempts, confirm_on_fail }) => ({
    annotator: versions?.annotator_version,
    taxonomy: versions?.taxonomy_version,
    attempts,
    confirmOnFail: confirm_on_fail,
  }))
  const [one, other] = sides as [(typeof sides)[number], (typeof sides)[number]]
  return (['annotator', 'taxonomy', 'attempts', 'confirmOnFail'] as const)
    .flatMap((what) => (one[what] === other[what] ? [] : [`${what} ${one[what]} → ${other[what]}`]))
    .join(', ')
}
